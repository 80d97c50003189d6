/** Provides the operations of the portable engine that every bundle has. */
import { provideDigests } from './digests.js';

export function provideOperations(): void {
  provideDigests();
}
