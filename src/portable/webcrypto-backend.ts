/**
 * Decides which operations WebCrypto runs for the engine: large ones, of algorithms that have
 * passed a self-test. Its results arrive on the event loop, from its own threads.
 */
import { Operation, Purpose, Status } from '../base/frame.js';
import { isHashOrHmac, isMessageCipher, makesTag } from '../base/operations.js';
import { ciphers, hashes } from '../catalog/catalog-table.js';
import {
  cipher,
  digest,
  hmac,
  importKey,
  NotAuthentic,
  type ImportedKey,
  type Served,
} from './webcrypto.js';
import { transferableCopy, NOTHING } from './windows.js';
import { canRun, perform, statusOf } from './execute.js';
import { plainWork, type Work } from './work.js';

/** Receives the end of an operation; the tag is that of an encryption, otherwise empty. */
export type Ended = (status: Status, target: Uint8Array, tag: Uint8Array) => void;

/**
 * Sizes in bytes from which WebCrypto takes less of this thread and less time than JavaScript
 * (Node 20 and Chromium; a call costs 20 to 60 us).
 */
const HASH_MIN_BYTES = 8192;
const CIPHER_MIN_BYTES = 4096;

/** WebCrypto takes tags of at least this many bytes everywhere. */
const TAG_MIN_BYTES = 12;

/**
 * Starts an operation. Returns false if another engine must run it. A source that is not `lent` may
 * change after this returns; keys and other short inputs are copied.
 */
export function tryWebCrypto(work: Work, ended: Ended, lent = false): boolean {
  if (!isLarge(work) || !isTrusted(work)) return false;
  const served = compute(work, lent);
  if (served === undefined) return false;
  // Read now: the target may be detached when the result arrives.
  const textSize = work.target.length;
  served.then(
    (answer) => settle(answer, textSize, ended),
    (error: unknown) => ended(failureOf(error), NOTHING, NOTHING),
  );
  return true;
}

function settle(answer: Uint8Array, size: number, ended: Ended): void {
  ended(Status.Done, answer.subarray(0, size), answer.subarray(size));
}

function isLarge({ operation, source }: Work): boolean {
  return source.length >= (isHashOrHmac(operation) ? HASH_MIN_BYTES : CIPHER_MIN_BYTES);
}

/** Returns the status of a call that WebCrypto, or the memory for its result, failed. */
export function failureOf(error: unknown): Status {
  if (error instanceof NotAuthentic) return Status.Authentication;
  return statusOf(error) === Status.Memory ? Status.Memory : Status.Engine;
}

/** Returns the result: a digest, or a text followed by its tag. */
function compute(work: Work, lent: boolean): Served {
  const { operation, algorithm, secret, iv, aad, source, tag, target } = work;
  if (isHashOrHmac(operation)) {
    if (target.length !== hashes[algorithm]!.digestSize) return undefined;
    if (operation === Operation.Hmac)
      return hmac(algorithm, importedOf(work) ?? secret, source, lent);
    return secret.length === 0 ? digest(algorithm, source) : undefined;
  }
  if (!isMessageCipher(operation)) return undefined;
  const { aead, keySize, ivSize, maxAad, tagSize } = ciphers[algorithm]!;
  const fits =
    secret.length === keySize &&
    iv.length === ivSize &&
    aad.length <= maxAad &&
    target.length === source.length;
  if (!fits || tag.length > tagSize || (aead && tag.length < TAG_MIN_BYTES)) return undefined;
  const ready = importedOf(work) ?? secret;
  const run = (use: 'encrypt' | 'decrypt', text: Uint8Array, isLent: boolean): Served =>
    cipher(algorithm, use, ready, iv, aad, text, tag.length, isLent);
  if (!aead || makesTag(operation)) return run('encrypt', source, lent);
  const sealed = withTag(work);
  if (sealed !== undefined) return run('decrypt', sealed, lent);
  const copy = new Uint8Array(source.length + tag.length);
  copy.set(source);
  copy.set(tag, source.length);
  return run('decrypt', copy, true);
}

/**
 * Returns ciphertext and tag as one array if they are adjacent in memory, as they usually are;
 * `tag` itself is a copy.
 */
function withTag({ source, tag }: Work): Uint8Array | undefined {
  const end = source.byteOffset + source.length;
  if (end + tag.length > source.buffer.byteLength) return undefined;
  const after = new Uint8Array(source.buffer, end, tag.length);
  return after.every((byte, index) => byte === tag[index])
    ? new Uint8Array(source.buffer, source.byteOffset, source.length + tag.length)
    : undefined;
}

// keys

/**
 * Returns the imported form of a prepared key. Starts the import if there is none, and returns
 * undefined until it ends.
 */
function importedOf({ key }: Work): ImportedKey | undefined {
  if (key === undefined || key.imported !== undefined) return key?.imported ?? undefined;
  key.imported = null;
  importKey(key.purpose === Purpose.Mac, key.algorithm, key.bytes)?.then(
    (each) => {
      // It was not disposed meanwhile.
      if (key.imported === null) key.imported = each;
    },
    () => {},
  );
  return undefined;
}

// trust

/** Operations, by number and algorithm, that passed the self-test. */
const trusted = new Set<string>();
let selfTest: Promise<void> | undefined;

const nameOf = ({ operation, algorithm }: Pick<Work, 'operation' | 'algorithm'>): string =>
  `${operation} ${algorithm}`;

/**
 * Returns true if WebCrypto has passed the self-test of this operation. Starts the test if it has
 * not run.
 */
export function isTrusted(work: Pick<Work, 'operation' | 'algorithm'>): boolean {
  if (trusted.has(nameOf(work))) return true;
  void testPlatform();
  return false;
}

/**
 * Tests WebCrypto against known answers, once. An operation that fails is not used. Takes a few
 * milliseconds.
 */
export function testPlatform(): Promise<void> {
  return (selfTest ??= Promise.all(samples().map(test)).then(() => {}));
}

/** Resolves with true if WebCrypto may run this operation; tests it first if necessary. */
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
    const expected = {
      ...sample,
      target: transferableCopy(sample.target),
      tag: transferableCopy(sample.tag),
    };
    const answer = await compute(sample, true);
    if (answer === undefined || perform(expected) !== Status.Done) return;
    const right = [...expected.target, ...(makesTag(sample.operation) ? expected.tag : [])];
    if (right.length === answer.length && right.every((byte, index) => byte === answer[index]))
      trusted.add(nameOf(sample));
  } catch {
    // Refused: it stays untrusted.
  }
}

function samples(): Work[] {
  const works: Work[] = [];
  for (const { id, name, digestSize } of hashes) {
    if (!/^sha(1|256|384|512)$/.test(name) || !canRun(Operation.Hash)) continue;
    const target = new Uint8Array(digestSize);
    works.push(
      sample(Operation.Hash, id, { target }),
      sample(Operation.Hmac, id, { secret: counting(50), target }),
    );
  }
  for (const { id, name, aead, keySize, ivSize, tagSize } of ciphers) {
    if (!/^aes-\d+-(ctr|gcm)$/.test(name) || !canRun(Operation.Encrypt)) continue;
    // A counter with an increment that carries through all bytes.
    const iv = aead ? counting(ivSize) : new Uint8Array(ivSize).fill(255);
    const encryption = sample(Operation.Encrypt, id, {
      secret: counting(keySize),
      iv,
      aad: aead ? counting(9) : NOTHING,
      tag: new Uint8Array(tagSize),
    });
    const [source, tag] = [transferableCopy(encryption.target), transferableCopy(encryption.tag)];
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
  return plainWork(operation, algorithm, {
    source,
    target: new Uint8Array(source.length),
    ...given,
  });
}

function counting(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => 3 * index + 1);
}
