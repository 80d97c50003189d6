// The work of piscina's threads: the same calls of node:crypto as on the main thread.

import crypto from 'node:crypto';

import { requirePackage } from '../packages.mjs';

const { move, transferableSymbol, valueSymbol } = requirePackage('piscina');
const tagged = { authTagLength: 16 };

/** From this size on it is quicker to hand a buffer over than to copy it. */
const large = 8192;

export default function work({ group, algorithm, source, rawKey, iv, target }) {
  if (group === 'hash') return crypto.createHash(algorithm).update(source).digest();
  const aead = group === 'aead';
  const cipher = crypto.createCipheriv(algorithm, rawKey, iv, aead ? tagged : undefined);
  const text = cipher.update(source);
  cipher.final();
  const tag = aead ? cipher.getAuthTag() : undefined;
  if (target !== undefined) target.set(text);
  const answer = target === undefined ? text : text.length;
  const result = aead ? { text: answer, tag } : answer;
  if (answer !== text || text.length < large || text.length !== text.buffer.byteLength)
    return result;
  return move({ [valueSymbol]: result, [transferableSymbol]: text.buffer });
}
