/** verifyHmac of `millrace/promises`. */
import { refuseSurplus } from '../../request/errors.js';
import type { Data } from '../../request/arguments.js';
import type { HashAlgorithm } from '../../catalog/catalog.js';
import {
  isSameCode,
  readVerification,
  type VerifyHmacOptions,
} from '../../operations/verify-hmac.js';
import type { CallOptions } from '../../scheduling/routes.js';
import { hmac } from './digests.js';

/**
 * Resolves to true if `mac` is the HMAC of `source`; see `verifyHmac` of `millrace`. Key, message
 * and code are copied at the call.
 */
export async function verifyHmac(
  algorithm: HashAlgorithm,
  options: VerifyHmacOptions<Data> & CallOptions,
): Promise<boolean> {
  refuseSurplus(arguments, 2, 'verifyHmac');
  const { key, source, mac, rest } = readVerification(options, true);
  return isSameCode(await hmac(algorithm, key, source, rest), mac);
}
