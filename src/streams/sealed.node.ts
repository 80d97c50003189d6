/**
 * Sealed streams, loaded on first use: node:stream takes a millisecond.
 */

/** Returns the web streams. */
export function sealedStreams(): typeof import('./sealed-streams.js') {
  return require('./sealed-streams.js');
}

/** Returns the functions with a passphrase. */
export function passphrases(): typeof import('./passphrase/pumps.js') {
  return require('./passphrase/pumps.js');
}

/** Returns the Node.js streams. */
export function sealedDuplexes(): typeof import('./sealed-duplex.js') {
  return require('./sealed-duplex.js');
}

/** Returns the functions that seal a stream in parts. */
export function sealedParts(): typeof import('./sealed-parts.js') {
  return require('./sealed-parts.js');
}
