/** Verification of codes, with a promise. */
import { refuseSurplus } from '../../base/errors.js';
import type { FillRequest } from '../../request/request.js';
import type { Secret } from '../../base/secret-memory.js';
import {
  Call,
  fillVerification,
  isSameCode,
  type ReadVerification,
} from '../../operations/verify-mac.js';
import { perform } from './call.js';

export async function verifyLater(
  name: string,
  read: ReadVerification,
  given: IArguments,
): Promise<boolean> {
  refuseSurplus(given, 2, name);
  let mac!: Uint8Array;
  const fill: FillRequest = (values, _count, _promised, asked) => {
    mac = fillVerification(read(values[0], values[1], Call.Promise, asked));
  };
  const code = await perform({ fill, counts: [2], options: 1 }, given);
  return isSameCode(code as Secret, mac);
}
