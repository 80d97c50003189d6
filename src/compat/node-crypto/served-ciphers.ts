/**
 * Decides which names of ciphers Millrace serves: those of AES-GCM, AES-CTR, ChaCha20 and
 * ChaCha20-Poly1305 for which Node.js and Millrace return the same bytes.
 */
import { findCipher } from '../../catalog/catalog.js';
import type { CipherFacts } from '../../catalog/facts.js';
import { NO_BYTES } from '../../base/intrinsics.js';
import { beginMessage } from './cipher-message.js';
import { original } from './original.js';
import { ServedNames } from './serving.js';

/** A cipher that Millrace serves. */
export interface ServedCipher {
  /** The name as the caller wrote it. */
  readonly name: string;
  readonly facts: CipherFacts;
  /** True if it takes nonces and tags of several sizes. */
  readonly gcm: boolean;
}

const PROBE = Buffer.from('the same bytes');
const SERVED = /^(aes-\d+-(gcm|ctr)|chacha20(-poly1305)?)$/;

/** The names of ciphers that Millrace serves. */
export const servedCiphers = new ServedNames<ServedCipher>((name) => {
  const facts = findCipher(name);
  return facts !== undefined && SERVED.test(facts.name) && isSame(facts, name)
    ? { name, facts, gcm: facts.name.endsWith('-gcm') }
    : undefined;
});

function isSame(facts: CipherFacts, name: string): boolean {
  const [key, iv] = [Buffer.alloc(facts.keySize, 1), Buffer.alloc(facts.ivSize, 2)];
  const aead = facts.tagSize > 0;
  const theirs = original.createCipheriv(name as 'aes-128-gcm', key, iv);
  if (aead) theirs.setAAD(PROBE);
  const parts = [theirs.update(PROBE), theirs.final()];
  if (aead) parts.push(theirs.getAuthTag());
  const sealed = Buffer.concat(parts);
  const own = beginMessage(key, key.length, iv);
  own.start(facts, true, aead ? PROBE : NO_BYTES);
  const [text, tag] = [Buffer.alloc(PROBE.length), Buffer.alloc(facts.tagSize)];
  const status = own.update(PROBE, PROBE.length, text) || own.finish(tag, true);
  own.end();
  return status === 0 && sealed.equals(Buffer.concat([text, tag]));
}
