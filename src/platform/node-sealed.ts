/**
 * Sealed streams, loaded with the first one: node:stream takes a millisecond.
 */
import type { Duplex } from 'node:stream';
import type { TransformStream, TransformStreamDefaultController } from 'node:stream/web';

export type { Duplex, TransformStream, TransformStreamDefaultController };

/** Those of the web. */
export function sealedStreams(): typeof import('../sealed-streams.js') {
  return require('../sealed-streams.js') as typeof import('../sealed-streams.js');
}

/** What is sealed with a passphrase. */
export function passphrases(): typeof import('../passphrase/transforms.js') {
  return require('../passphrase/transforms.js') as typeof import('../passphrase/transforms.js');
}

/** Those of Node. */
export function sealedDuplexes(): typeof import('../sealed-duplex.js') {
  return require('../sealed-duplex.js') as typeof import('../sealed-duplex.js');
}
