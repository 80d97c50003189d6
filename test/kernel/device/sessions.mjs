// One session of /dev/crypto on node:crypto: a cipher, a hash or HMAC, or both, with the state
// between calls.

import crypto from 'node:crypto';

import { Flag, ciphers, macs } from './abi.mjs';

/** An errno for the caller. */
export class Refusal extends Error {
  constructor(errno) {
    super(`errno ${errno}`);
    this.errno = errno;
  }
}

export const Errno = {
  ENOENT: 2,
  EIO: 5,
  EBADF: 9,
  ENOMEM: 12,
  EINVAL: 22,
  ENOTTY: 25,
  EBADMSG: 74,
};

/** Returns the facts of a session's algorithms, checked before its key is read. */
export function describeSession({ cipher, mac, key, macKey }, missing) {
  const facts = {
    cipher: cipher === 0 ? undefined : ciphers.get(cipher),
    mac: mac === 0 ? undefined : macs.get(mac),
  };
  if ((cipher !== 0 && !facts.cipher) || (mac !== 0 && !facts.mac) || (cipher === 0 && mac === 0))
    throw new Refusal(Errno.EINVAL);
  if (key.size > 64 || macKey.size > 512) throw new Refusal(Errno.EINVAL);
  if (missing.has(cipher) || missing.has(mac) || (facts.cipher && !facts.cipher.make))
    throw new Refusal(Errno.ENOENT);
  if (facts.cipher && !facts.cipher.keySizes.includes(key.size)) throw new Refusal(Errno.EINVAL);
  return facts;
}

export class Session {
  constructor(facts, key, macKey, accelerated) {
    this.facts = facts;
    this.accelerated = accelerated;
    this.cipher = facts.cipher && new Cipher(facts.cipher, Buffer.from(key));
    this.mac = facts.mac && new Mac(facts.mac, Buffer.from(macKey));
  }

  /**
   * Does a CIOCCRYPT. Returns `{ output, mac, iv }`, undefined where the session has none. The mac
   * is that of the plaintext.
   */
  crypt({ decrypts, flags, size }, source, iv) {
    if (this.cipher?.facts.aead) throw new Refusal(Errno.EINVAL);
    if (this.mac && (flags === 0 || (flags & Flag.reset) !== 0)) this.mac.reset();
    const output = this.cipher?.crypt(decrypts, source, iv);
    if (this.mac) this.mac.update(decrypts && output ? output : source);
    return {
      output,
      mac: this.mac && endsHash(flags, size) ? this.mac.digest() : undefined,
      iv: this.cipher && Buffer.from(this.cipher.next),
    };
  }

  get names() {
    return {
      cipher: this.facts.cipher?.name,
      hash: this.facts.mac?.name,
      accelerated: this.accelerated,
    };
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
    // continues after the last call, unless the next has an iv
    this.next = Buffer.alloc(facts.ivSize);
  }

  crypt(decrypts, source, iv) {
    const { block, ivSize, counter } = this.facts;
    if (source.length % block !== 0) throw new Refusal(Errno.EINVAL);
    const start = iv.length > 0 ? Buffer.from(iv) : this.next;
    const make = decrypts ? crypto.createDecipheriv : crypto.createCipheriv;
    const cipher = make(this.name, this.key, ivSize === 0 ? null : start).setAutoPadding(false);
    const output = Buffer.concat([cipher.update(source), cipher.final()]);
    if (counter) this.next = addToCounter(start, Math.ceil(source.length / 16));
    else if (source.length >= ivSize && ivSize > 0)
      this.next = Buffer.from((decrypts ? source : output).subarray(-ivSize));
    return output;
  }

  seal(iv, aad, source, authTagLength) {
    const cipher = crypto.createCipheriv(this.name, this.key, iv, { authTagLength }).setAAD(aad);
    return Buffer.concat([cipher.update(source), cipher.final(), cipher.getAuthTag()]);
  }

  open(iv, aad, source, authTagLength) {
    if (source.length < authTagLength) throw new Refusal(Errno.EINVAL);
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

  update(bytes) {
    this.running.update(bytes);
  }

  digest() {
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

function addToCounter(iv, blocks) {
  const sum = (BigInt(`0x${iv.toString('hex')}`) + BigInt(blocks)) % (1n << 128n);
  return Buffer.from(sum.toString(16).padStart(32, '0'), 'hex');
}
