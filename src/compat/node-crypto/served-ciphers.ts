/**
 * Decides which names of ciphers Millrace serves: those of AES-GCM, AES-CTR, ChaCha20 and
 * ChaCha20-Poly1305 for which Node.js and Millrace return the same bytes.
 */
import { findCipher } from '../../catalog/catalog.js';
import type { CipherFacts } from '../../catalog/facts.js';
import { NO_BYTES } from '../../base/intrinsics.js';
import { beginMessage } from './cipher-message.js';
import { original } from './original.js';
import { isServing, mayServe } from './serving.js';

/** A cipher that Millrace serves. */
export interface ServedCipher {
  /** The name as the caller wrote it. */
  readonly name: string;
  readonly facts: CipherFacts;
  /** True if it takes nonces and tags of several sizes. */
  readonly gcm: boolean;
}

/** The most names that are remembered: a program may pass names that it was given. */
const NAMES_MAX = 256;
const PROBE = Buffer.from('the same bytes');
const SERVED = /^(aes-\d+-(gcm|ctr)|chacha20(-poly1305)?)$/;

const known = new Map<string, ServedCipher | null>();
let lastName = '';
let last: ServedCipher | undefined;

/** Returns the cipher of a name if Millrace serves it. */
export function servedCipher(name: string): ServedCipher | undefined {
  if (!isServing()) return undefined;
  if (name === lastName) return last;
  let served = known.get(name);
  if (served === undefined) {
    const facts = findCipher(name);
    served =
      facts !== undefined && serves(facts, name)
        ? { name, facts, gcm: facts.name.endsWith('-gcm') }
        : null;
    if (known.size < NAMES_MAX) known.set(name, served);
  }
  if (served === null) return undefined;
  lastName = name;
  return (last = served);
}

function serves(facts: CipherFacts, name: string): boolean {
  try {
    return SERVED.test(facts.name) && mayServe() && compare(facts, name);
  } catch {
    // Node.js does not know the name: the call goes there, for Node's own error.
    return false;
  }
}

function compare(facts: CipherFacts, name: string): boolean {
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
