/** ML-KEM and ML-DSA of @noble/post-quantum by native code. */
import { isShared, NO_BYTES } from '../../base/intrinsics.js';
import { PublicKeyAlgorithm, RawOperation } from '../../base/protocol.js';
import { secretCopy, secretMemory, wipe } from '../../base/secret-memory.js';
import { judgeRaw, runRaw } from '../../operations/raw-keys.js';
import { isBytes, isPlain, randomBytes, withFunctions } from './bytes.js';

/** An algorithm of noble, or a module with algorithms. */
type Noble = any;
type Bytes = Uint8Array<ArrayBuffer>;

/** The algorithms by their names in noble's modules. */
const algorithms: Readonly<Record<string, PublicKeyAlgorithm>> = {
  ml_kem512: PublicKeyAlgorithm.MlKem512,
  ml_kem768: PublicKeyAlgorithm.MlKem768,
  ml_kem1024: PublicKeyAlgorithm.MlKem1024,
  ml_dsa44: PublicKeyAlgorithm.MlDsa44,
  ml_dsa65: PublicKeyAlgorithm.MlDsa65,
  ml_dsa87: PublicKeyAlgorithm.MlDsa87,
};

/** Returns an object like a module of noble, of which the algorithms are native. */
export function overPostQuantum(module: Noble): Noble {
  const found = Object.entries(algorithms)
    .filter(([name]) => module[name] !== undefined)
    .map(([name, number]) => {
      const over = name.startsWith('ml_kem') ? overMlKem : overMlDsa;
      return [name, over(module[name], number)];
    });
  return { ...module, ...Object.fromEntries(found) };
}

/** Returns the function that makes keys. */
function keygenOver(original: Noble, algorithm: PublicKeyAlgorithm): (seed: unknown) => unknown {
  const { publicKey: publicSize, secretKey: secretSize, seed: seedSize } = original.lengths;
  return (seed) => {
    const own = seed === undefined;
    if (!own && !isBytes(seed)) return original.keygen(seed);
    const from = own ? secretCopy(randomBytes(seedSize)) : seed;
    const pair = secretMemory(publicSize + secretSize);
    try {
      if (runRaw(RawOperation.LatticeKeyPair, pair, from, undefined, undefined, algorithm))
        return { publicKey: pair.slice(0, publicSize), secretKey: pair.slice(publicSize) };
    } finally {
      wipe(pair);
      if (own) wipe(from as typeof pair);
    }
    return original.keygen(seed);
  };
}

function overMlKem(original: Noble, algorithm: PublicKeyAlgorithm): Noble {
  const { cipherText: size } = original.lengths;
  return withFunctions(original, {
    keygen: keygenOver(original, algorithm),
    encapsulate(publicKey: unknown, msg: unknown): unknown {
      // The message is the caller's random bytes, which AWS-LC does not take.
      if (msg === undefined && isBytes(publicKey)) {
        const made = secretMemory(size + 32);
        try {
          if (runRaw(RawOperation.Encapsulate, made, publicKey, undefined, undefined, algorithm))
            return { cipherText: made.slice(0, size), sharedSecret: made.slice(size) };
        } finally {
          wipe(made);
        }
      }
      return original.encapsulate(publicKey, msg);
    },
    decapsulate(cipherText: unknown, secretKey: unknown): Bytes {
      const secret = new Uint8Array(32);
      return isBytes(cipherText) &&
        isBytes(secretKey) &&
        runRaw(RawOperation.Decapsulate, secret, cipherText, secretKey, undefined, algorithm)
        ? secret
        : original.decapsulate(cipherText, secretKey);
    },
  });
}

function overMlDsa(original: Noble, algorithm: PublicKeyAlgorithm): Noble {
  const { publicKey: publicSize, signature: size } = original.lengths;
  return withFunctions(original, {
    keygen: keygenOver(original, algorithm),
    getPublicKey(secretKey: unknown): Bytes {
      const key = new Uint8Array(publicSize);
      const operation = RawOperation.LatticePublicKey;
      return isBytes(secretKey) &&
        runRaw(operation, key, secretKey, undefined, undefined, algorithm)
        ? key
        : original.getPublicKey(secretKey);
    },
    sign(msg: unknown, secretKey: unknown, ...rest: unknown[]): Bytes {
      // Options may ask for a signature that is not hedged.
      if (isPlain(rest) && isBytes(msg) && isBytes(secretKey) && !isShared(msg)) {
        const signature = new Uint8Array(size);
        if (runRaw(RawOperation.LatticeSign, signature, msg, secretKey, NO_BYTES, algorithm))
          return signature;
      }
      return original.sign(msg, secretKey, ...rest);
    },
    verify(sig: unknown, msg: unknown, publicKey: unknown, ...rest: unknown[]): boolean {
      const valid =
        isPlain(rest) && isBytes(sig) && isBytes(msg) && isBytes(publicKey)
          ? judgeRaw(RawOperation.LatticeVerify, NO_BYTES, msg, sig, publicKey, algorithm)
          : undefined;
      return valid ?? original.verify(sig, msg, publicKey, ...rest);
    },
  });
}
