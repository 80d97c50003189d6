/**
 * `millrace/crypto-async` in browsers: the original package needs Node.js, and so does this module.
 */
import { makeError } from '../base/errors.js';

/** Throws: not available in browsers; use `millrace` or `millrace/promises`. */
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
