/**
 * Which works the platform's own cryptography does for the engine: large ones, of algorithms that
 * have given the right answer to a small question before. Its answers come on the event loop, from
 * threads of its own.
 */
import { Operation, Status } from '../request/frame.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import type { PreparedKey } from './keys.js';
import {
  aesCtr,
  digest,
  gcmOpen,
  gcmSeal,
  hmac,
  importCipherKey,
  importHmacKey,
  NotAuthentic,
  type ImportedKey,
  type Served,
} from './webcrypto.js';
import { copyOf, NOTHING } from './windows.js';
import { perform } from './execute.js';
import type { Work } from './work.js';

/**
 * Told how a work has ended; of what was encrypted with the tag that was made, otherwise with none.
 */
export type Ended = (status: Status, target: Uint8Array, tag: Uint8Array) => void;

/**
 * Bytes from which asking takes less of this thread's time, and ends sooner, than computing here
 * (Node 20 and Chromium; a call costs 20 to 60 us).
 */
const HASH_MIN_BYTES = 8192;
const CIPHER_MIN_BYTES = 4096;

/** Tags that WebCrypto knows everywhere. */
const TAG_MIN_BYTES = 12;

/**
 * Begins a work, and answers true; or false where it has to be done otherwise. A source that is not
 * `lent` may change when this has returned; keys and what else is short are copied.
 */
export function tryWebCrypto(work: Work, ended: Ended, lent = false): boolean {
  if (!isLarge(work) || !isTrusted(work)) return false;
  const served = compute(work, lent);
  if (served === undefined) return false;
  // Before the tag, if there is one. The source itself may be gone when the answer comes.
  const textSize = work.target.length;
  served.then(
    (answer) => settle(answer, textSize, ended),
    (error: unknown) =>
      ended(
        error instanceof NotAuthentic ? Status.Authentication : Status.Engine,
        NOTHING,
        NOTHING,
      ),
  );
  return true;
}

function settle(answer: Uint8Array, size: number, ended: Ended): void {
  ended(Status.Done, answer.subarray(0, size), answer.subarray(size));
}

function isLarge({ operation, source }: Work): boolean {
  return (
    source.length >=
    (operation === Operation.Hash || operation === Operation.Hmac
      ? HASH_MIN_BYTES
      : CIPHER_MIN_BYTES)
  );
}

/** The answer: a digest, or a text with the tag that was made after it. */
function compute(work: Work, lent: boolean): Served {
  const { operation, algorithm, key, iv, aad, source, tag, target } = work;
  const secret = key?.bytes ?? work.secret;
  switch (operation) {
    case Operation.Hash:
      return target.length === hashes[algorithm]!.digestSize && secret.length === 0
        ? digest(algorithm, source)
        : undefined;
    case Operation.Hmac:
      return target.length === hashes[algorithm]!.digestSize
        ? hmac(algorithm, importedOf(key) ?? secret, source, lent)
        : undefined;
    case Operation.Encrypt:
    case Operation.Seal:
    case Operation.Decrypt:
    case Operation.Open:
      break;
    default:
      return undefined;
  }
  const { aead, keySize, ivSize, maxAad, tagSize } = ciphers[algorithm]!;
  const fits =
    secret.length === keySize &&
    iv.length === ivSize &&
    aad.length <= maxAad &&
    target.length === source.length;
  if (!fits || tag.length > tagSize || (aead && tag.length < TAG_MIN_BYTES)) return undefined;
  const ready = importedOf(key) ?? secret;
  if (!aead) return aesCtr(algorithm, ready, iv, source, lent);
  if (operation === Operation.Encrypt || operation === Operation.Seal)
    return gcmSeal(algorithm, ready, iv, aad, source, tag.length, lent);
  const sealed = withTag(work);
  if (sealed !== undefined) return gcmOpen(algorithm, ready, iv, aad, sealed, tag.length, lent);
  const copy = new Uint8Array(source.length + tag.length);
  copy.set(source);
  copy.set(tag, source.length);
  return gcmOpen(algorithm, ready, iv, aad, copy, tag.length, true);
}

/**
 * Ciphertext and tag where they stand one after the other, as they mostly do, though what we have
 * of the tag is a copy.
 */
function withTag({ source, tag }: Work): Uint8Array | undefined {
  const end = source.byteOffset + source.length;
  if (end + tag.length > source.buffer.byteLength) return undefined;
  const after = new Uint8Array(source.buffer, end, tag.length);
  return after.every((byte, index) => byte === tag[index])
    ? new Uint8Array(source.buffer, source.byteOffset, source.length + tag.length)
    : undefined;
}

// ---- keys ----------------------------------------------------------------------------------------

const importedKeys = new WeakMap<PreparedKey, ImportedKey | undefined>();

/**
 * What WebCrypto has made of a prepared key; undefined before it has, which is asked of it at the
 * first opportunity.
 */
function importedOf(key: PreparedKey | undefined): ImportedKey | undefined {
  if (key === undefined || importedKeys.has(key)) return key && importedKeys.get(key);
  importedKeys.set(key, undefined);
  const importing = (key.mac === undefined ? importCipherKey : importHmacKey)(
    key.algorithm,
    key.bytes,
  );
  importing?.then(
    (each) => importedKeys.set(key, each),
    () => {},
  );
  return undefined;
}

// ---- trust ---------------------------------------------------------------------------------------

/** Operations, by what they do and the number of the algorithm, whose answers were right. */
const trusted = new Set<string>();
let selfTest: Promise<void> | undefined;

const nameOf = ({ operation, algorithm }: Pick<Work, 'operation' | 'algorithm'>): string =>
  `${operation} ${algorithm}`;

/**
 * Whether the platform has answered a small question of this kind rightly; where that is not known
 * it is asked.
 */
export function isTrusted(work: Pick<Work, 'operation' | 'algorithm'>): boolean {
  if (trusted.has(nameOf(work))) return true;
  void testPlatform();
  return false;
}

/**
 * Asks the platform for what we know, once. What it does not know, or answers otherwise, is not
 * asked again. Ends in a few milliseconds.
 */
export function testPlatform(): Promise<void> {
  return (selfTest ??= Promise.all(samples().map(test)).then(() => {}));
}

/** Whether the platform may be given this work; asks it now where that is not known yet. */
export async function isServed(work: Work): Promise<boolean> {
  if (!isLarge(work)) return false;
  if (!trusted.has(nameOf(work)))
    await Promise.all(
      samples()
        .filter((each) => nameOf(each) === nameOf(work))
        .map(test),
    );
  return trusted.has(nameOf(work));
}

async function test(sample: Work): Promise<void> {
  try {
    const expected = { ...sample, target: copyOf(sample.target), tag: copyOf(sample.tag) };
    const answer = await compute(sample, true);
    if (answer === undefined || perform(expected) !== Status.Done) return;
    const makesTag = sample.operation === Operation.Encrypt || sample.operation === Operation.Seal;
    const right = [...expected.target, ...(makesTag ? expected.tag : [])];
    if (right.length === answer.length && right.every((byte, index) => byte === answer[index]))
      trusted.add(nameOf(sample));
  } catch {
    // Refused: it stays untrusted.
  }
}

function samples(): Work[] {
  const works: Work[] = [];
  for (const { id, name, digestSize } of hashes) {
    if (!/^sha(1|256|384|512)$/.test(name)) continue;
    const target = new Uint8Array(digestSize);
    works.push(
      sample(Operation.Hash, id, { target }),
      sample(Operation.Hmac, id, { secret: counting(50), target }),
    );
  }
  for (const { id, name, aead, keySize, ivSize, tagSize } of ciphers) {
    if (!/^aes-\d+-(ctr|gcm)$/.test(name)) continue;
    // A counter that carries through all of its bytes.
    const iv = aead ? counting(ivSize) : new Uint8Array(ivSize).fill(255);
    const encryption = sample(Operation.Encrypt, id, {
      secret: counting(keySize),
      iv,
      aad: aead ? counting(9) : NOTHING,
      tag: new Uint8Array(tagSize),
    });
    const [source, tag] = [copyOf(encryption.target), copyOf(encryption.tag)];
    perform({ ...encryption, target: source, tag });
    const decryption = { ...encryption, operation: Operation.Decrypt, source, tag };
    works.push(encryption, decryption);
    if (aead)
      works.push(
        { ...encryption, operation: Operation.Seal },
        { ...decryption, operation: Operation.Open },
      );
  }
  return works;
}

function sample(operation: Operation, algorithm: number, given: Partial<Work>): Work {
  const source = counting(77);
  return {
    operation,
    algorithm,
    source,
    key: undefined,
    secret: NOTHING,
    seedLow: 0,
    seedHigh: 0,
    iv: NOTHING,
    aad: NOTHING,
    tag: NOTHING,
    target: new Uint8Array(source.length),
    views: undefined,
    count: 0,
    size: 0,
    derivation: undefined,
    ...given,
  };
}

function counting(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => 3 * index + 1);
}
