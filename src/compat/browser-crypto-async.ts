/**
 * `millrace/crypto-async` in browsers: its ancestor is for Node.js, and so is this.
 */
import { makeError } from '../request/errors.js';

/** What was asked for does not exist here; `millrace` and `millrace/promises` do. */
function refuse(): never {
  throw makeError(
    'ERR_NOT_SUPPORTED',
    'millrace/crypto-async is for Node.js: use millrace or millrace/promises',
  );
}

/** Throws ERR_NOT_SUPPORTED: `cipher` of crypto-async needs Node.js. */
export const cipher = refuse;
/** Throws ERR_NOT_SUPPORTED: `hash` of crypto-async needs Node.js. */
export const hash = refuse;
/** Throws ERR_NOT_SUPPORTED: `hmac` of crypto-async needs Node.js. */
export const hmac = refuse;
