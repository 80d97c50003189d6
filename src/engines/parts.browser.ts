/** Operations of the portable engine that a bundle has if it can call them. */
export { provideCiphers } from '../portable/ciphers.js';
export { providePasswords } from '../portable/passwords.js';
export { provideReports } from '../portable/report.js';
