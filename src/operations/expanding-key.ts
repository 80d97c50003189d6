/**
 * A key of which HKDF-Expand (RFC 5869) with SHA-512 makes the keys of messages, their nonces, and
 * commitments to them: of sealed streams, and of `seal` with `commit`.
 */
import { SecretKinds } from '../base/secret-copy.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { hashFacts } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import { localEngines } from '../engines/engines.js';
import { isKey, type Key } from '../request/key.js';
import { runSync } from '../scheduling/run.js';
import { hmacParser } from './digest-readers.js';
import { checkKeySize, cipherTarget, createMacKey, macKeyOf, withKeyBytes } from './key.js';

/** Bytes of the random salt of a message, and of the commitment to its key. */
export const SALT_SIZE = 24;
export const COMMITMENT_SIZE = 32;

/** The hash of the derivation. */
const MAC = 'sha512';
const DIGEST_SIZE = 64;

/** The key. {@link ExpandingKey.dispose} wipes it. */
export class ExpandingKey {
  readonly #mac: Key;

  /** Takes a key of the cipher: its bytes, or one prepared for it. `purpose` is for errors. */
  constructor(facts: CipherFacts, key: unknown, purpose: string) {
    const prepare = (secret: Uint8Array): Key => {
      checkKeySize(cipherTarget(facts), secret);
      return createMacKey(hashFacts(MAC), secret, localEngines(undefined, purpose));
    };
    this.#mac = isKey(key)
      ? macKeyOf(key, facts.name, hashFacts(MAC))
      : withKeyBytes(key, prepare, 'key', SecretKinds.Prepared);
  }

  /** Computes HKDF-Expand (RFC 5869). Returns at least `size` bytes. */
  expand(info: Uint8Array, size: number): Secret {
    const rounds = Math.ceil(size / DIGEST_SIZE);
    const material = secretMemory(rounds * DIGEST_SIZE);
    // T(n - 1) || info || n
    const message = secretMemory(DIGEST_SIZE + info.length + 1);
    message.set(info, DIGEST_SIZE);
    for (let round = 1; round <= rounds; round++) {
      message[message.length - 1] = round;
      const targetOffset = (round - 1) * DIGEST_SIZE;
      const source = round === 1 ? message.subarray(DIGEST_SIZE) : message;
      runSync(hmacParser.fill, [MAC, this.#mac, source, { target: material, targetOffset }], 4);
      message.set(material.subarray(targetOffset, targetOffset + DIGEST_SIZE));
    }
    wipe(message);
    return material;
  }

  /** Wipes the key. */
  dispose(): void {
    this.#mac.dispose();
  }
}

/** Returns true if both are equal, in a time that does not depend on where they differ. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length;
  for (let index = 0; index < left.length; index++) difference |= left[index]! ^ right[index]!;
  return difference === 0;
}
