/**
 * bcrypt (Provos and Mazieres, 1999).
 *
 * Not from a library: bcryptjs takes passwords as strings only, hash-wasm is asynchronous only, and
 * a password may be any bytes. Slightly faster than both (80 us times 2^cost). Blowfish starts with
 * digits of pi, which are computed on first use (15 ms) and not shipped (11 KB).
 */
import { Status } from '../../request/frame.js';
import {
  put,
  refused,
  type Derivation,
  type Kdf,
  type Numbers,
  type Progress,
  type Scheme,
} from './contract.js';

export interface BcryptCost extends Derivation {
  readonly what: 'bcrypt';
  readonly kind: '2a' | '2b' | '2y';
  /** The base-2 logarithm of the rounds. */
  readonly cost: number;
}

export const bcryptScheme: Scheme<BcryptCost> = {
  what: 'bcrypt',
  memory: () => 0,
  predict: ({ cost }) => 80_000 * 2 ** cost,
  slowNanoseconds: ({ cost }) => 120_000 * 2 ** cost,
  bytes: ({ cost }, { password, salt }, _size, progress) => hashed(password, salt, cost, progress),
  fastBytes: async () => undefined,
};

/** Reads the cost of a new password hash. */
export function bcryptCost({ costs: [cost] }: Numbers): BcryptCost {
  return cost >= 4 && cost <= 31 ? { what: 'bcrypt', kind: '2b', cost } : refused(Status.Cost);
}

/** Derives the 23 bytes of a new password hash. A longer password is refused, not truncated. */
export const bcrypt: Kdf<BcryptCost> = {
  what: 'bcrypt',
  read: bcryptCost,
  check(_cost, { password, salt }, size) {
    if (password.length > KEY) refused(Status.SourceTooLarge);
    if (salt.length !== 16) refused(Status.SaltSize);
    if (size !== 23) refused(Status.OutputSize);
    if (password.includes(0)) refused(Status.NotSupported);
  },
  memory: () => 0,
  predict: bcryptScheme.predict,
  derive({ cost }, { password, salt }, target, progress) {
    put(hashed(password, salt, cost, progress), target);
  },
};

/** Significant bytes of a password, including its final zero byte. */
const KEY = 72;
const SUBKEYS = 18;
const BOXES = 4 * 256;
/** Rounds between two progress reports: about 5 ms. */
const SLICE = 64;

/** Derives the 23 bytes of a bcrypt string; the password has no zero byte. */
function hashed(
  password: Uint8Array,
  salt: Uint8Array,
  cost: number,
  progress: Progress | undefined,
): Uint8Array {
  const key = new Uint8Array(Math.min(password.length + 1, KEY));
  key.set(password.subarray(0, KEY));
  const keyWords = cyclicWords(key);
  const saltWords = cyclicWords(salt);
  const [subkeys, boxes] = [initial().slice(0, SUBKEYS), initial().slice(SUBKEYS)];
  try {
    expand(subkeys, boxes, keyWords, saltWords);
    const rounds = 2 ** cost;
    for (let round = 1; round <= rounds; round++) {
      expand(subkeys, boxes, keyWords, undefined);
      expand(subkeys, boxes, saltWords, undefined);
      if (round % SLICE === 0) progress?.(round / rounds);
    }
    return encrypted(subkeys, boxes);
  } finally {
    for (const each of [key, keyWords, subkeys, boxes]) each.fill(0);
  }
}

/** Repeats bytes as the 18 words that are mixed into the subkeys. */
function cyclicWords(bytes: Uint8Array): Int32Array {
  const words = new Int32Array(SUBKEYS);
  for (let index = 0; index < 4 * SUBKEYS; index++)
    words[index >> 2] = (words[index >> 2]! << 8) | bytes[index % bytes.length]!;
  return words;
}

/**
 * The key schedule: encrypts subkeys and boxes, with an optional 16-byte salt mixed in. {@link
 * encipher} is inlined here, where nearly all time is spent.
 */
function expand(
  subkeys: Int32Array,
  boxes: Int32Array,
  key: Int32Array,
  salt: Int32Array | undefined,
): void {
  for (let index = 0; index < SUBKEYS; index++) subkeys[index]! ^= key[index]!;
  let left = 0;
  let right = 0;
  for (let index = 0; index < SUBKEYS + BOXES; index += 2) {
    if (salt !== undefined) {
      left ^= salt[index & 2]!;
      right ^= salt[(index & 2) | 1]!;
    }
    left ^= subkeys[0]!;
    for (let round = 1; round <= 16; round += 2) {
      right ^=
        (((boxes[left >>> 24]! + boxes[256 + ((left >>> 16) & 255)]!) ^
          boxes[512 + ((left >>> 8) & 255)]!) +
          boxes[768 + (left & 255)]!) ^
        subkeys[round]!;
      left ^=
        (((boxes[right >>> 24]! + boxes[256 + ((right >>> 16) & 255)]!) ^
          boxes[512 + ((right >>> 8) & 255)]!) +
          boxes[768 + (right & 255)]!) ^
        subkeys[round + 1]!;
    }
    const last = right ^ subkeys[17]!;
    right = left;
    left = last;
    const [words, at] = index < SUBKEYS ? [subkeys, index] : [boxes, index - SUBKEYS];
    words[at] = left;
    words[at + 1] = right;
  }
}

/** Encrypts one Blowfish block in place. */
function encipher(subkeys: Int32Array, boxes: Int32Array, block: Int32Array): void {
  let left = block[0]! ^ subkeys[0]!;
  let right = block[1]!;
  for (let index = 1; index <= 16; index += 2) {
    right ^=
      (((boxes[left >>> 24]! + boxes[256 + ((left >>> 16) & 255)]!) ^
        boxes[512 + ((left >>> 8) & 255)]!) +
        boxes[768 + (left & 255)]!) ^
      subkeys[index]!;
    left ^=
      (((boxes[right >>> 24]! + boxes[256 + ((right >>> 16) & 255)]!) ^
        boxes[512 + ((right >>> 8) & 255)]!) +
        boxes[768 + (right & 255)]!) ^
      subkeys[index + 1]!;
  }
  block[0] = right ^ subkeys[17]!;
  block[1] = left;
}

function encrypted(subkeys: Int32Array, boxes: Int32Array): Uint8Array {
  const text = new TextEncoder().encode('OrpheanBeholderScryDoubt');
  const view = new DataView(text.buffer);
  const block = new Int32Array(2);
  for (let at = 0; at < text.length; at += 8) {
    block[0] = view.getInt32(at);
    block[1] = view.getInt32(at + 4);
    for (let time = 0; time < 64; time++) encipher(subkeys, boxes, block);
    view.setInt32(at, block[0]);
    view.setInt32(at + 4, block[1]);
  }
  return text.subarray(0, 23);
}

let digits: Int32Array | undefined;

/** Returns Blowfish's initial subkeys and boxes: the fraction of pi. */
function initial(): Int32Array {
  return (digits ??= piFraction(SUBKEYS + BOXES));
}

/**
 * Returns words of the fraction of pi, by Machin's formula: pi = 16 arctan(1/5) - 4 arctan(1/239).
 */
function piFraction(words: number): Int32Array {
  // 32 extra bits absorb the rounding errors.
  const scale = 32n * BigInt(words + 1);
  const one = 1n << scale;
  const fraction = ((16n * inverseArctan(5n, one) - 4n * inverseArctan(239n, one)) % one) >> 32n;
  const found = new Int32Array(words);
  const text = fraction.toString(16).padStart(8 * words, '0');
  for (let index = 0; index < words; index++)
    found[index] = Number.parseInt(text.slice(8 * index, 8 * index + 8), 16);
  return found;
}

/** Returns arctan(1/x) times `one`. */
function inverseArctan(x: bigint, one: bigint): bigint {
  const square = x * x;
  let [sum, power] = [0n, one / x];
  for (let divisor = 1n; power > 0n; divisor += 4n) {
    sum += power / divisor;
    power /= square;
    sum -= power / (divisor + 2n);
    power /= square;
  }
  return sum;
}
