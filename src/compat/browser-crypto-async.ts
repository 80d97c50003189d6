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

export const cipher = refuse;
export const hash = refuse;
export const hmac = refuse;
