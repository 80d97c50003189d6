/**
 * Sealed streams in browsers: web streams only.
 */
import { makeError } from '../base/errors.js';
import * as pumps from './passphrase/pumps.js';
import * as parts from './sealed-parts.js';
import * as streams from './sealed-streams.js';
import type { SealingWork } from './sealed-streams.js';
import type { Duplex } from '../base/stream-types.browser.js';

export function sealedStreams(): typeof streams {
  return streams;
}

export function passphrases(): typeof pumps {
  return pumps;
}

/** Node.js streams. */
interface Duplexes {
  duplexStream(work: SealingWork): Duplex;
}

export function sealedDuplexes(): Duplexes {
  throw makeError(
    'ERR_NOT_SUPPORTED',
    'browsers have no Node.js streams: use sealTransformStream, openTransformStream or ' +
      'their WithPassphrase and WithKey forms',
  );
}

export function sealedParts(): typeof parts {
  return parts;
}
