/**
 * Sealed streams, loaded on first use: node:stream takes a millisecond.
 */

/** Returns the web streams. */
export function sealedStreams(): typeof import('../../streams/sealed-streams.js') {
  return require('../../streams/sealed-streams.js');
}

/** Returns the functions with a passphrase. */
export function passphrases(): typeof import('../../streams/passphrase/transforms.js') {
  return require('../../streams/passphrase/transforms.js');
}

/** Returns the Node.js streams. */
export function sealedDuplexes(): typeof import('../../streams/sealed-duplex.js') {
  return require('../../streams/sealed-duplex.js');
}
