/**
 * Sealed streams, loaded with the first one: node:stream takes a millisecond.
 */
import type { Duplex } from 'node:stream';
import type { TransformStream, TransformStreamDefaultController } from 'node:stream/web';

export type { Duplex, TransformStream, TransformStreamDefaultController };

/** Those of the web. */
export function sealedStreams(): typeof import('../../streams/sealed-streams.js') {
  return require('../../streams/sealed-streams.js') as typeof import('../../streams/sealed-streams.js');
}

/** What is sealed with a passphrase. */
export function passphrases(): typeof import('../../streams/passphrase/transforms.js') {
  return require('../../streams/passphrase/transforms.js') as typeof import('../../streams/passphrase/transforms.js');
}

/** Those of Node. */
export function sealedDuplexes(): typeof import('../../streams/sealed-duplex.js') {
  return require('../../streams/sealed-duplex.js') as typeof import('../../streams/sealed-duplex.js');
}
