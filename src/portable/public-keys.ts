/** The operations with asymmetric keys. */
import {
  At,
  NO_HASH,
  Operation,
  PublicKeyAlgorithm,
  SignatureScheme,
  Status,
} from '../base/frame.js';
import { fillsKey } from '../base/operations.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { hashes } from '../catalog/catalog-table.js';
import {
  algorithms,
  describeKey,
  exportKey,
  fieldOf,
  imported,
  isMlKem,
  isRsa,
  keyFor,
  made,
  publicKeyOf,
  type OpenKey,
} from './asymmetric-keys.js';
import { hashOf } from './digests.js';
import { fromDer, toDer } from './ecdsa-signatures.js';
import { provide } from './execute.js';
import { PLAIN } from './families/hash.js';
import { callModule, type KeyCalls } from './families/public-keys.js';
import type { AsymmetricKey } from './keys.js';
import { NOTHING, refuse } from './windows.js';
import { computeLater, fitting } from './webcrypto-keys.js';
import type { Work } from './work.js';

declare const crypto: { getRandomValues<Bytes extends Uint8Array>(bytes: Bytes): Bytes };

/** Why an operation is refused. */
const LATER_ONLY =
  'the portable engine has no HPKE and no many signatures in a call, and leaves P-384, P-521 and ' +
  'RSA to WebCrypto, which has no synchronous calls: call with a callback, or from ' +
  'millrace/promises';

/** Calls `use` with random bytes, which are wiped afterwards. */
function withRandom<Result>(size: number, use: (random: Secret) => Result): Result {
  const random = secretMemory(size);
  try {
    return use(crypto.getRandomValues(random));
  } finally {
    wipe(random);
  }
}

/** Returns a new key. */
function generated(algorithm: number): Secret {
  if (algorithms[algorithm] === undefined)
    refuse(algorithm < algorithms.length ? Status.Unavailable : Status.KeyNotSupported);
  return withRandom(isMlKem(algorithm) ? 64 : 32, (random) =>
    made(algorithm, true, [random, NOTHING, NOTHING]),
  );
}

/** Returns the key of a work; refuses one that it does not take, and other wrong arguments. */
function checkedKey(work: Work): OpenKey {
  const { operation, secret, aad } = work;
  const isPublic =
    operation === Operation.VerifySignature ||
    operation === Operation.Encapsulate ||
    operation === Operation.PublicEncrypt;
  const key = keyFor(secret, !isPublic);
  const { algorithm } = key;
  let fits = algorithm === PublicKeyAlgorithm.Rsa;
  if (operation === Operation.Sign || operation === Operation.VerifySignature) {
    checkSignature(work, algorithm);
    fits = true;
  } else if (operation === Operation.Agree) {
    fits = algorithm === PublicKeyAlgorithm.X25519 || fieldOf(algorithm) !== undefined;
    if (keyFor(aad, false).algorithm !== algorithm && fits) refuse(Status.KeyPair);
  } else if (operation === Operation.Encapsulate || operation === Operation.Decapsulate)
    fits = isMlKem(algorithm);
  return fits ? key : refuse(Status.KeyUse);
}

/** The hashes that signatures and OAEP take. */
const HASH = /^sha(1|224|256|384|512|512-224|512-256|3-224|3-256|3-384|3-512)$/;

/** Refuses a scheme, a hash, a context or a digest that a key does not take. */
function checkSignature({ numbers, source, aad }: Work, algorithm: number): void {
  const scheme = numbers[At.Count] as SignatureScheme;
  const hash = numbers[At.Algorithm]!;
  const isDigest = numbers[At.SeedLow] === 1;
  const isMlDsa = algorithm >= PublicKeyAlgorithm.MlDsa44;
  let digestSize = 64;
  let fits = isMlDsa || (algorithm === PublicKeyAlgorithm.Ed25519 && !isDigest);
  if (scheme !== SignatureScheme.Default) {
    if (!HASH.test(hashes[hash]?.name ?? '')) refuse(Status.SignatureHash);
    ({ digestSize } = hashes[hash]!);
    const isEcdsa = scheme === SignatureScheme.EcdsaDer || scheme === SignatureScheme.EcdsaP1363;
    const isPss = scheme === SignatureScheme.RsaPss;
    fits = isEcdsa ? fieldOf(algorithm) !== undefined : isRsa(algorithm);
    fits &&= isPss || algorithm !== PublicKeyAlgorithm.RsaPss;
  } else if (hash !== NO_HASH) refuse(Status.SignatureHash);
  if (!fits) refuse(Status.KeyUse);
  if (aad.length > (isMlDsa && !isDigest ? 255 : 0)) refuse(Status.ContextSize);
  if (isDigest && source.length !== digestSize) refuse(Status.DigestSize);
}

/** Returns what is signed: the message or a digest. */
function signedBytes({ numbers, source }: Work): Uint8Array {
  const hash = numbers[At.Algorithm]!;
  if (hash === NO_HASH || numbers[At.SeedLow] === 1) return source;
  const digest = new Uint8Array(hashes[hash]!.digestSize);
  hashOf(hash).digest(PLAIN, source, digest);
  return digest;
}

/** The operations that only the native engine has. */
const nativeOperations: readonly Operation[] = [
  Operation.SignMany,
  Operation.VerifyMany,
  Operation.HpkeSeal,
  Operation.HpkeOpen,
  Operation.HpkeSender,
  Operation.HpkeRecipient,
];

function run(work: Work): Status {
  const { operation, numbers, source, target, aad, tag } = work;
  if (fillsKey(operation)) {
    const algorithm = numbers[At.Algorithm]!;
    const isImport = operation === Operation.ImportKey;
    const bytes = isImport ? imported(numbers[At.Count]!, algorithm, source) : generated(algorithm);
    (work.key as AsymmetricKey).fill(bytes);
    return Status.Done;
  }
  if (nativeOperations.includes(operation)) refuse(Status.Unavailable);
  const { algorithm, bytes } = checkedKey(work);
  const { family, set } = algorithms[algorithm] ?? refuse(Status.Unavailable);
  const isDer = numbers[At.Count] === SignatureScheme.EcdsaDer;
  const kind = Number(numbers[At.SeedLow] === 1);
  const call = (name: keyof KeyCalls, ...inputs: Uint8Array[]): Secret =>
    callModule(family, name, set, kind, bytes, ...inputs);
  const put = (result: Secret, isPadded = false): Status => {
    try {
      target.set(fitting(target, result, isPadded));
    } finally {
      wipe(result);
    }
    return Status.Done;
  };
  switch (operation) {
    case Operation.Sign: {
      const signature = withRandom(32, (random) => call('sign', signedBytes(work), aad, random));
      return put(isDer ? (toDer(signature) as Secret) : signature, isDer);
    }
    case Operation.VerifySignature: {
      const signature = isDer ? fromDer(tag, 32) : tag;
      return put(call('verify', signedBytes(work), aad, signature ?? NOTHING));
    }
    case Operation.Agree:
      return put(call('agree', keyFor(aad, false).bytes));
    case Operation.Encapsulate:
      return withRandom(32, (random) => put(call('encapsulate', random)));
    default:
      return put(call('decapsulate', source));
  }
}

/** Provides the operations with asymmetric keys. */
export function providePublicKeys(): void {
  const operations = [
    Operation.ImportKey,
    Operation.GenerateKey,
    Operation.Sign,
    Operation.VerifySignature,
    ...nativeOperations,
    Operation.Agree,
    Operation.Encapsulate,
    Operation.Decapsulate,
    Operation.PublicEncrypt,
    Operation.PrivateDecrypt,
  ];
  provide(operations, {
    run,
    // They run on this thread.
    families: () => [],
    computesLater({ operation, numbers, secret }) {
      if (operation === Operation.ImportKey) return false;
      const algorithm = operation === Operation.GenerateKey ? numbers[At.Algorithm]! : secret[0]!;
      return algorithm < algorithms.length && algorithms[algorithm] === undefined;
    },
    later: async (work) =>
      computeLater(work, work.operation === Operation.GenerateKey ? undefined : checkedKey(work)),
    keys: { describe: describeKey, publicKeyOf, export: exportKey, laterOnly: LATER_ONLY },
  });
}
