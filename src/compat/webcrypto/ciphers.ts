/** encrypt and decrypt, and the AES key wrap. */
import type { CipherFacts } from '../../catalog/facts.js';
import { keyWrapParser } from '../../kdf/key-wrap.js';
import { sizeOf } from '../../base/arguments.js';
import { At, frame, Operation } from '../../base/frame.js';
import { beginRequest, Form, setAad, setEngines, setIv, setResult } from '../../request/request.js';
import { predict } from '../../scheduling/cost-model.js';
import type { Algorithm } from './dictionaries.js';
import type { Kept } from './keys.js';
import { bytesOf } from './platform.js';
import { check, deriveNow, enginesOf, refuseOperation, run, runNow, type Result } from './run.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

/** Returns the ciphertext or the plaintext of a BufferSource. */
export function crypt(
  encrypt: boolean,
  algorithm: Algorithm,
  kept: Kept,
  data: unknown,
  now = false,
): Result {
  const { served, problem, bytes, numbers } = algorithm;
  const source = bytesOf(data)!;
  check(served, problem, source);
  const facts = kept.cipher!;
  const { id, aead } = facts;
  const size = sizeOf(source);
  if (size > facts.maxSource) refuseOperation(served, 'the data is too long');
  const iv = aead ? bytes.iv! : bytes.counter!;
  const ivSize = sizeOf(iv);
  const aad = bytes.additionalData;
  const tagSize = aead ? tagSizeOf(algorithm, facts, ivSize) : 0;
  if (!aead && (ivSize !== facts.ivSize || wraps(iv, numbers.length!, Math.ceil(size / 16))))
    refuseOperation(served, 'counter or length is not supported');
  if (!encrypt && size < tagSize) refuseOperation(served, 'the data is shorter than its tag');
  const engines = enginesOf(kept);
  const sealing = encrypt ? Operation.Seal : Operation.Open;
  const operation = aead ? sealing : encrypt ? Operation.Encrypt : Operation.Decrypt;
  const fill = (): void => {
    beginRequest(operation, id, source, 0, size);
    if (aead) frame[At.TagSize] = tagSize;
    setEngines(engines);
    setIv(iv, 0, ivSize);
    if (aad !== undefined) setAad(aad, 0, sizeOf(aad));
    setResult(encrypt ? size + tagSize : size - tagSize, Form.Secret);
  };
  return now ? runNow(fill) : run(predict(sealing, id, size), fill);
}

const GCM_TAG_BITS = [96, 104, 112, 120];

/** Returns the size of the tag, if it and the nonce's are right. */
function tagSizeOf({ served, numbers }: Algorithm, facts: CipherFacts, ivSize: number): number {
  const { tagLength = 128 } = numbers;
  const isGcm = facts.ivMax > 0;
  // The platform has tags of 4 and 8 bytes too, which Millrace does not make.
  if (tagLength !== 128 && !(isGcm && GCM_TAG_BITS.includes(tagLength)))
    refuseOperation(served, 'this tagLength is not supported');
  // The platform refuses shorter ones, which Millrace could take.
  if (ivSize < facts.ivSize || ivSize > (isGcm ? facts.ivMax : facts.ivSize))
    refuseOperation(served, `iv must have ${facts.ivSize} bytes`);
  return tagLength / 8;
}

/** Returns true if a counter of `bits` may wrap, which Millrace does for 128 bits only. */
function wraps(counter: Uint8Array, bits: number, blocks: number): boolean {
  if (bits < 1 || bits > 128) return true;
  if (bits === 128) return false;
  // The last 6 bytes: a carry beyond them is rare.
  const counted = Math.min(bits, 48);
  let low = 0;
  for (let index = 10; index < 16; index++) low = low * 256 + counter[index]!;
  return (low % 2 ** counted) + blocks > 2 ** counted;
}

/** Returns a wrapped or unwrapped key of AES-KW. */
export function keyWrap(wrap: boolean, kept: Kept, source: Uint8Array): ArrayBuffer {
  const key = kept.secret!;
  return deriveNow(keyWrapParser(wrap), [`aes-${key.length * 8}-kw`, { key, source }]);
}
