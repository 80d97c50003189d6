// One session of /dev/crypto on node:crypto: a cipher, or a hash or HMAC with its state between
// calls. The module has sessions of both, and ciphers that continue; the engine asks for neither.

import crypto from 'node:crypto';

import { Flag, ciphers, lacking, macs } from './abi.mjs';

/** An errno for the caller. */
export class Refusal extends Error {
  constructor(errno) {
    super(`errno ${errno}`);
    this.errno = errno;
  }
}

export const Errno = { ENOENT: 2, EIO: 5, EBADF: 9, EINVAL: 22, EBADMSG: 74 };

/** Returns the facts of a session's algorithm, checked before its key is read. */
export function describeSession({ cipher, mac, keySize, macKeySize }, missing) {
  const number = cipher || mac;
  if ((cipher && mac) || keySize > 64 || macKeySize > 512) throw new Refusal(Errno.EINVAL);
  if (missing.has(number) || lacking.has(cipher)) throw new Refusal(Errno.ENOENT);
  const facts = cipher ? { cipher: ciphers.get(cipher) } : { mac: macs.get(mac) };
  if (!facts.mac && !facts.cipher?.keySizes.includes(keySize)) throw new Refusal(Errno.EINVAL);
  return facts;
}

export class Session {
  constructor(facts, key, macKey, accelerated) {
    this.facts = facts;
    this.accelerated = accelerated;
    this.cipher = facts.cipher && new Cipher(facts.cipher, Buffer.from(key));
    this.mac = facts.mac && new Mac(facts.mac, Buffer.from(macKey));
  }
}

/** Returns true if a call is the last of its message: every one is, except an update with bytes. */
export function endsHash(flags, size) {
  return (flags & Flag.final) !== 0 || (flags & Flag.update) === 0 || size === 0;
}

class Cipher {
  constructor(facts, key) {
    this.facts = facts;
    this.key = key;
    this.name = facts.make(8 * key.length);
  }

  crypt(source, iv) {
    if (this.facts.tagSize || iv.length === 0) throw new Refusal(Errno.EINVAL);
    return crypto.createCipheriv(this.name, this.key, iv).update(source);
  }

  seal(iv, aad, source, authTagLength) {
    const cipher = crypto.createCipheriv(this.name, this.key, iv, { authTagLength }).setAAD(aad);
    return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
  }

  open(iv, aad, source, authTagLength) {
    const end = source.length - authTagLength;
    const decipher = crypto
      .createDecipheriv(this.name, this.key, iv, { authTagLength })
      .setAAD(aad)
      .setAuthTag(source.subarray(end));
    try {
      return Buffer.concat([decipher.update(source.subarray(0, end)), decipher.final()]);
    } catch {
      throw new Refusal(Errno.EBADMSG);
    }
  }
}

// HMAC consists of two hashes here, as node:crypto cannot copy a running HMAC.
class Mac {
  constructor(facts, key) {
    this.facts = facts;
    this.key = key;
    this.reset();
  }

  reset() {
    this.running = crypto.createHash(this.facts.make);
    if (this.facts.keyed) this.running.update(this.#padded(0x36));
  }

  /** Does a CIOCCRYPT: returns the digest after the last bytes of a message, else nothing. */
  hash(flags, bytes) {
    if (flags === 0 || (flags & Flag.reset) !== 0) this.reset();
    this.running.update(bytes);
    return endsHash(flags, bytes.length) ? this.#digest() : Buffer.alloc(0);
  }

  #digest() {
    const inner = this.running.digest();
    // Without a reset the real module continues from the state of the finished hash: a wrong
    // digest, not an error.
    this.running = crypto.createHash(this.facts.make).update('what was left behind').update(inner);
    return this.facts.keyed
      ? crypto.createHash(this.facts.make).update(this.#padded(0x5c)).update(inner).digest()
      : inner;
  }

  copyFrom(other) {
    if (other.facts !== this.facts) throw new Refusal(Errno.EINVAL);
    this.running = other.running.copy();
    this.key = other.key;
  }

  #padded(value) {
    const { block, make } = this.facts;
    const key =
      this.key.length > block ? crypto.createHash(make).update(this.key).digest() : this.key;
    const out = Buffer.alloc(block, value);
    for (const [index, byte] of key.entries()) out[index] ^= byte;
    return out;
  }
}
