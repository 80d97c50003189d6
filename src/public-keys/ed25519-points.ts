/** Points of Ed25519 on which versions of OpenSSL differ, and AWS-LC from them. */
import { hexOf } from '../base/hex.js';
import { part } from '../base/intrinsics.js';

/** The coordinates y of the points of small order on edwards25519, also those not reduced. */
const SMALL_ORDERS = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  ...['ec', 'ed', 'ee'].map((first) => `${first}${'ff'.repeat(30)}7f`),
]);
const SMALL_ORDER_STARTS = [0, 1, 0x26, 0xc7, 0xec, 0xed, 0xee];

/** Returns true if bytes begin with a point of small order, which Node.js 24 refuses. */
export function hasSmallOrder(bytes: Uint8Array): boolean {
  if (!SMALL_ORDER_STARTS.includes(bytes[0]!)) return false;
  const last = Uint8Array.of(bytes[31]! & 127);
  return SMALL_ORDERS.has(hexOf(bytes, 0, Math.min(bytes.length, 31)) + hexOf(last));
}

/** Returns true for a point that is reduced and not of small order. */
export function isUsualPoint(point: Uint8Array): boolean {
  // A coordinate that is not reduced: p is 2^255 - 19, and the highest bit is the sign.
  const isLarge =
    point[0]! >= 0xed &&
    (point[31]! & 127) === 127 &&
    part(point, 1, 30).every((byte) => byte === 255);
  return !isLarge && !hasSmallOrder(point);
}
