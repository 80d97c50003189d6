/**
 * The operations of the portable engine with asymmetric keys. Apart from parts.browser.ts, as
 * bundlers leave out whole files: millrace/webcrypto loads them when it makes the first key.
 */
export * from '../portable/public-keys.js';
