/** Provides the operations of the portable engine. */
import { provideCiphers } from './ciphers.js';
import { provideDigests } from './digests.js';
import { provideParts } from './parts.js';
import { providePasswords } from './passwords.js';
import { providePublicKeys } from './public-keys.js';
import { provideReports } from './report.js';

export function provideOperations(): void {
  provideDigests();
  provideCiphers();
  provideParts();
  providePasswords();
  providePublicKeys();
  provideReports();
}
