/** Verification of codes, with a promise. */
import { refuseSurplus } from '../../base/errors.js';
import { laterVerification, type ReadVerification } from '../../operations/verify-mac.js';
import { perform } from './call.js';

export async function verifyLater(
  name: string,
  read: ReadVerification,
  given: IArguments,
): Promise<boolean> {
  if (given.length > 2) refuseSurplus(given, 2, `${name}(algorithm, { key, source, mac })`);
  const { fill, verdict } = laterVerification(read);
  return verdict(await perform({ fill, counts: [2], options: 1 }, given));
}
