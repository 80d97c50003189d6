/** Operations of the portable engine that a bundle has if it can call them. */
import { provideCiphers as ciphers } from '../portable/ciphers.js';
import { provideParts as parts } from '../portable/parts.js';
import { providePasswords as passwords } from '../portable/passwords.js';
import { provideReports as reports } from '../portable/report.js';

export function provideCiphers(): void {
  ciphers();
}

export function provideParts(): void {
  parts();
}

export function providePasswords(): void {
  passwords();
}

export function provideReports(): void {
  reports();
}
