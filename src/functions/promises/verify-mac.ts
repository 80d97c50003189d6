/** verifyMac and verifyHmac of `millrace/promises`. */
import type { Data } from '../../base/arguments.js';
import type { HashAlgorithm, MacAlgorithm } from '../../catalog/catalog.js';
import { refuseSurplus } from '../../base/errors.js';
import type { FillRequest } from '../../request/request.js';
import type { Secret } from '../../base/secret-memory.js';
import {
  Call,
  fillVerification,
  isSameCode,
  readHmac,
  readMac,
  type ReadVerification,
  type VerifyHmacOptions,
  type VerifyMacOptions,
} from '../../operations/verify-mac.js';
import type { CallOptions } from '../../scheduling/routes.js';
import { perform } from './call.js';

/**
 * Resolves to true if `mac` is the code of `source` under the key; see `verifyMac` of `millrace`.
 * Key, message and code are copied at the call.
 *
 * @example
 * ```js
 * import { generateKey, hash, verifyMac } from 'millrace/promises';
 *
 * const key = generateKey('blake3');
 * const source = 'a message';
 * const mac = await hash('blake3', source, { key });
 * await verifyMac('blake3', { key, source, mac }); // true
 * ```
 */
export function verifyMac(
  algorithm: MacAlgorithm,
  options: VerifyMacOptions<Data> & CallOptions,
): Promise<boolean>;
export function verifyMac(): Promise<boolean> {
  return verify('verifyMac', readMac, arguments);
}

/**
 * Resolves to true if `mac` is the HMAC of `source`; see `verifyHmac` of `millrace`. Key, message
 * and code are copied at the call.
 *
 * @example
 * ```js
 * import { hmac, verifyHmac } from 'millrace/promises';
 *
 * const key = 'a secret';
 * const source = 'a message';
 * const mac = await hmac('sha256', key, source);
 * await verifyHmac('sha256', { key, source, mac }); // true
 * ```
 */
export function verifyHmac(
  algorithm: HashAlgorithm,
  options: VerifyHmacOptions<Data> & CallOptions,
): Promise<boolean>;
export function verifyHmac(): Promise<boolean> {
  return verify('verifyHmac', readHmac, arguments);
}

async function verify(name: string, read: ReadVerification, given: IArguments): Promise<boolean> {
  refuseSurplus(given, 2, name);
  let mac!: Uint8Array;
  const fill: FillRequest = (values, _count, _promised, asked) => {
    mac = fillVerification(read(values[0], values[1], Call.Promise, asked));
  };
  const code = await perform({ fill, counts: [2], options: 1 }, given);
  return isSameCode(code as Secret, mac);
}
