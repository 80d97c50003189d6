/** Nothing: in Node.js the portable engine has all of its operations. */
export function provideCiphers(): void {}

export function provideParts(): void {}

export function providePasswords(): void {}

export function provideReports(): void {}
