/**
 * Sealed streams in browsers: web streams only.
 */
import { makeError } from '../base/errors.js';
import * as transforms from './passphrase/transforms.js';
import * as streams from './sealed-streams.js';
import type { Duplex } from '../base/stream-types.browser.js';

export function sealedStreams(): typeof streams {
  return streams;
}

export function passphrases(): typeof transforms {
  return transforms;
}

/** The functions that create Node.js streams. */
interface Duplexes {
  sealStream(options: unknown): Duplex;
  openStream(options: unknown): Duplex;
  sealStreamWithPassphrase(passphrase: unknown, options: unknown): Duplex;
  openStreamWithPassphrase(passphrase: unknown, options: unknown): Duplex;
  sealStreamWithKey(key: unknown, options: unknown): Duplex;
  openStreamWithKey(key: unknown, options: unknown): Duplex;
}

export function sealedDuplexes(): Duplexes {
  throw makeError(
    'ERR_NOT_SUPPORTED',
    'browsers have no Node.js streams: use sealTransformStream, openTransformStream or ' +
      'their WithPassphrase and WithKey forms',
  );
}
