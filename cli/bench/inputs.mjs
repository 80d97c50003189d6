// The bytes every competitor works on, the same in every run.

import crypto from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { findCipher } = require('../../dist/core.js')['catalog/catalog'];

/**
 * Returns the inputs of one definition at one size, for `count` jobs in flight at once: each has a
 * target and a tag, over one source.
 */
export function makeInputs(definition, size, count) {
  const {
    group,
    algorithm,
    operation,
    key: keyForm,
    output,
    messages = 1,
    parameters,
  } = definition;
  const cipher = findCipher(algorithm);
  const shared = {
    group,
    algorithm,
    hash: algorithm.replace(/^hmac-/, ''), // as Node and crypto-async name it
    operation,
    keyForm,
    output,
    size,
    source: pattern(size * messages, 1),
    rawKey: pattern(cipher?.keySize ?? 32, 2),
    iv: pattern(cipher?.ivSize ?? 16, 3),
  };
  if (group === 'kdf')
    Object.assign(shared, {
      parameters,
      password: Buffer.from('correct horse battery staple'),
      salt: pattern(16, 4),
      hash: parameters.digest,
    });
  if (operation === 'open') shared.sealed = seal(shared);
  // One flat string; a slice of a longer one would cost every competitor more.
  if (group === 'text')
    shared.text = shared.source = Buffer.from(
      shared.source.toString('base64').slice(0, size),
    ).toString('latin1');
  if (group === 'hasher') shared.parts = [1, 2, 3].map((seed) => pattern(size, seed));
  if (group === 'many')
    shared.sources = Array.from({ length: messages }, (_, index) =>
      shared.source.subarray(index * size, (index + 1) * size),
    );
  if (group === 'convert') shared.number = BigInt(`0x${shared.source.toString('hex')}`);
  const targetSize = group === 'cipher' || group === 'aead' ? size + 64 : 64 * messages;
  return Array.from({ length: count }, () => ({
    ...shared,
    target: Buffer.alloc(targetSize),
    tag: operation === 'open' ? shared.sealed.subarray(size) : Buffer.alloc(16),
    ciphertext: operation === 'open' ? shared.sealed.subarray(0, size) : undefined,
  }));
}

/**
 * Returns the answer of a form as bytes that can be compared: a digest, all digests of a batch, a
 * plaintext, or ciphertext and tag.
 */
export function answerBytes(result, inputs) {
  if (Array.isArray(result)) return Buffer.concat(result.map((each) => answerBytes(each, inputs)));
  if (typeof result === 'string') return Buffer.from(result, 'hex');
  // A number is as good as a BigInt where 32 bits are asked for.
  if (inputs.output === 'bigint') return Buffer.from(result.toString(16).padStart(128, '0'), 'hex');
  const bytes =
    typeof result === 'number'
      ? Buffer.from(inputs.target.subarray(0, result)) // written into the caller's target
      : Buffer.from(result instanceof ArrayBuffer ? new Uint8Array(result) : result);
  const tagApart = inputs.operation === 'seal' && bytes.length === inputs.size;
  return tagApart ? Buffer.concat([bytes, inputs.tag]) : bytes;
}

function seal({ algorithm, rawKey, iv, source }) {
  const cipher = crypto.createCipheriv(algorithm, rawKey, iv, { authTagLength: 16 });
  return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
}

/** Prime, so that no part of a large message is equal to another that could be taken for it. */
const period = 1048573;

// Sources are read-only; large ones are shared by all competitors.
const made = new Map();

function pattern(size, seed) {
  const key = `${size} ${seed}`;
  const known = made.get(key)?.deref();
  if (known !== undefined) return known;
  const bytes = Buffer.alloc(size);
  let state = seed;
  for (let i = 0; i < Math.min(size, period); i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  for (let at = period; at < size; at += period) bytes.copy(bytes, at, 0, period);
  if (size > period) made.set(key, new WeakRef(bytes));
  return bytes;
}
