/** Node.js has all of the portable engine in one module, which it loads with the engine. */

export function provideCiphers(): void {}

export function providePasswords(): void {}
