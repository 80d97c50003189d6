/** Recipients and identities of age that are hybrid of X25519 and ML-KEM-768, by HPKE. */
import { MillraceError } from '../../base/errors.js';
import type { Secret } from '../../base/secret-memory.js';
import { hpkeOpenParser, hpkeSealParser } from '../../operations/hpke.js';
import type { PrivateKey } from '../../public-keys/key-objects.js';
import { createPrivateKey, createPublicKey } from '../../public-keys/keys.js';
import { runPromise } from '../../scheduling/run.js';
import { encode } from './header.js';
import { fromOther, shareOf, type Identity, type Recipient } from './x25519.js';

const HYBRID = 'mlkem768x25519';
const HYBRID_SHARE_SIZE = 1120;
const hpkeOptions = {
  kdf: 'hkdf-sha256',
  aead: 'chacha20-poly1305',
  info: `age-encryption.org/${HYBRID}`,
};

/** Returns the recipient of a public key's bytes. */
export function hybridRecipient(bytes: Uint8Array): Recipient {
  const publicKey = createPublicKey({ key: bytes, format: 'raw', algorithm: 'x-wing' });
  return {
    isPostQuantum: true,
    async wrap(fileKey) {
      const given = [publicKey, fileKey, hpkeOptions];
      const sealed = (await runPromise(undefined, hpkeSealParser.fill, given, 3)) as {
        readonly encapsulatedKey: Uint8Array;
        readonly ciphertext: Uint8Array;
      };
      return { type: HYBRID, args: [encode(sealed.encapsulatedKey)], body: sealed.ciphertext };
    },
  };
}

/** Returns the identity of a key. */
export function hybridIdentity(privateKey: PrivateKey): Identity {
  return {
    async unwrap({ type, args, body }) {
      if (type !== HYBRID) return undefined;
      const share = shareOf(type, args, 0, body, HYBRID_SHARE_SIZE);
      const given = [privateKey, share, body, hpkeOptions];
      try {
        return await fromOther(
          async () => (await runPromise(undefined, hpkeOpenParser.fill, given, 4)) as Secret,
        );
      } catch (error) {
        if (error instanceof MillraceError && error.code === 'ERR_AUTHENTICATION') return undefined;
        throw error;
      }
    },
    dispose: () => privateKey.dispose(),
  };
}

export function privateHybrid(key: Uint8Array): PrivateKey {
  return createPrivateKey({ key, format: 'raw', algorithm: 'x-wing' });
}
