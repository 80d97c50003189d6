/** encrypt and decrypt, and the AES key wrap. */
import type { CipherFacts } from '../../catalog/facts.js';
import { unwrapKeyParser, wrapKeyParser } from '../../kdf/key-wrap.js';
import { sizeOf } from '../../base/arguments.js';
import { At, frame, Operation } from '../../base/frame.js';
import { beginRequest, Form, setAad, setEngines, setIv, setResult } from '../../request/request.js';
import { predict } from '../../scheduling/cost-model.js';
import type { Algorithm } from './dictionaries.js';
import type { Kept } from './keys.js';
import { bytesOf, exception } from './platform.js';
import { check, deriveNow, enginesOf, refuse, run, runNow } from './run.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

type Result = ArrayBuffer | Promise<ArrayBuffer>;

/** Returns the ciphertext or the plaintext of a BufferSource. */
export function crypt(
  encrypt: boolean,
  algorithm: Algorithm,
  kept: Kept,
  data: unknown,
  now = false,
): Result {
  const source = bytesOf(data)!;
  check(algorithm.served, algorithm.problem, source);
  const facts = kept.cipher!;
  const size = sizeOf(source);
  if (size > facts.maxSource)
    refuse(algorithm.served, exception('OperationError', 'the data is too long'));
  const fill = facts.aead
    ? readAead(encrypt, algorithm, kept, facts, source, size)
    : readCounter(encrypt, algorithm, kept, facts, source, size);
  if (now) return runNow(fill);
  return run(predict(encrypt ? Operation.Seal : Operation.Open, facts.id, size), fill);
}

function readAead(
  encrypt: boolean,
  { served, bytes, numbers }: Algorithm,
  kept: Kept,
  facts: CipherFacts,
  source: Uint8Array,
  size: number,
): () => void {
  const iv = bytes.iv!;
  const aad = bytes.additionalData;
  const { tagLength = 128 } = numbers;
  const ivSize = sizeOf(iv);
  const isGcm = facts.ivMax > 0;
  // The platform has tags of 4 and 8 bytes too, which Millrace does not make.
  if (tagLength !== 128 && !(isGcm && GCM_TAG_BITS.includes(tagLength)))
    refuse(served, exception('OperationError', 'this tagLength is not supported'));
  // The platform refuses shorter ones, which Millrace could take.
  if (ivSize < facts.ivSize || ivSize > (isGcm ? facts.ivMax : facts.ivSize))
    refuse(served, exception('OperationError', `iv must have ${facts.ivSize} bytes`));
  const tagSize = tagLength / 8;
  if (!encrypt && size < tagSize)
    refuse(served, exception('OperationError', 'the data is shorter than its tag'));
  const engines = enginesOf(kept);
  return () => {
    beginRequest(encrypt ? Operation.Seal : Operation.Open, facts.id, source, 0, size);
    frame[At.TagSize] = tagSize;
    setEngines(engines);
    setIv(iv, 0, ivSize);
    if (aad !== undefined) setAad(aad, 0, sizeOf(aad));
    setResult(encrypt ? size + tagSize : size - tagSize, Form.Secret);
  };
}

const GCM_TAG_BITS = [96, 104, 112, 120];

function readCounter(
  encrypt: boolean,
  { served, bytes, numbers }: Algorithm,
  kept: Kept,
  facts: CipherFacts,
  source: Uint8Array,
  size: number,
): () => void {
  const counter = bytes.counter!;
  if (sizeOf(counter) !== facts.ivSize || wraps(counter, numbers.length!, Math.ceil(size / 16)))
    refuse(served, exception('OperationError', 'counter or length is not supported'));
  const engines = enginesOf(kept);
  return () => {
    beginRequest(encrypt ? Operation.Encrypt : Operation.Decrypt, facts.id, source, 0, size);
    setEngines(engines);
    setIv(counter, 0, facts.ivSize);
    setResult(size, Form.Secret);
  };
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
  const parser = wrap ? wrapKeyParser : unwrapKeyParser;
  return deriveNow(parser, [`aes-${key.length * 8}-kw`, { key, source }]);
}
