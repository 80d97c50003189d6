/** Nothing: in Node.js the portable engine has all of its operations. */
export function providePublicKeys(): void {}
