// Generates the numbers that native code and JavaScript share: crates/request/src/protocol.rs
// and src/base/protocol.ts. This file is their one source. Run after changing it: node
// tools/protocol.mjs. test/architecture.test.mjs fails when a generated file is stale.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { writeFormatted } from './format.mjs';
import { root } from './steps.mjs';

/** The key derivation functions, in the order of their numbers in core. */
const derivations = [
  .../FUNCTIONS: [^=]*=\s*\[([^\]]*)\]/
    .exec(readFileSync(join(root, 'crates/core/src/kdf/mod.rs'), 'utf8'))[1]
    .matchAll(/&[\w:]+::(\w+)/g),
].map(([, name]) => name);

/**
 * The enumerations, in the order of their numbers from 0. A member is its name, or its name and
 * documentation. `rust` is the name in Rust, if it is another one.
 */
const enumerations = [
  {
    name: 'At',
    doc: 'Indexes of the frame, the 64-bit floats of one call.',
    members: [
      'Operation',
      'Algorithm',
      'Slot',
      'Flags',
      'Key',
      'KeyOffset',
      'KeySize',
      'IvOffset',
      'IvSize',
      'SourceOffset',
      'SourceSize',
      'TargetOffset',
      'TargetSize',
      'AadOffset',
      'AadSize',
      'TagOffset',
      'TagSize',
      'SeedLow',
      'SeedHigh',
      [
        'Count',
        'The number of messages, unless `Flag.HasSizes` or `Flag.HasViews` is set; the ' +
          'first cost parameter of a derivation.',
      ],
      [
        'MessageSize',
        'The bytes of each message, with the same exceptions; the second cost parameter ' +
          'of a derivation.',
      ],
      [
        'MaxMemory',
        'The most bytes of memory that a derivation may take. If it needs more, the ' +
          'engine writes the needed bytes here.',
      ],
      ['MaxTime', 'The most milliseconds that verifying a password hash may take.'],
      ['Route', 'The route of an asynchronous call: a `Route`.'],
      [
        'Cost',
        'Written by the engine: the predicted nanoseconds of an accepted job, 0 if it ' +
          'has run already, more than `POLLED_NS` if the event loop should not poll for it.',
      ],
      [
        'Engine',
        'The engine that computes: an `EngineNumber`. A prepared key determines its engine.',
      ],
      ['Word', 'Written by `hashWord`: a digest of at most 64 bits as an integer, not as a float.'],
      ['Length', 'The length of the frame.'],
    ],
  },
  {
    name: 'Operation',
    rust: 'OperationNumber',
    doc: 'The operations.',
    members: [
      'Hash',
      'Hmac',
      'Encrypt',
      'Decrypt',
      'Seal',
      'Open',
      [
        'Update',
        'Computes the next state of a running hash: the state is the aad, the next one ' +
          'goes to the target, and bytes before the source are the iv.',
      ],
      'Finish',
      ['Squeeze', 'Synchronous only; the next state goes to the tag.'],
      'MacUpdate',
      'MacFinish',
      'HashMany',
      'HmacMany',
      [
        'SealChunks',
        "A run of chunks: the base nonce is the iv, its suffix the aad, the first chunk's " +
          'number the seed.',
      ],
      'OpenChunks',
      ['HashFile', 'A message of `At.MessageSize` bytes in a file; its path is the source.'],
      [
        'HashFiles',
        'Messages in `At.Count` files of at most `At.MessageSize` bytes. The source ' +
          'holds their paths, each ended by a NUL; files.rs describes the target.',
      ],
      [
        'MacBegin',
        "Writes the states of an HMAC's key, which is the source, to the target: twice " +
          "the hash's state size. Synchronous only.",
      ],
      [
        'CipherUpdate',
        'Encrypts or decrypts the next bytes of a message; its handle is the key. Asynchronous ' +
          'only: `updateCipher` is its synchronous form.',
      ],
      [
        'HashPart',
        'The values of a range of a message, which begins at the offset that the iv has as a ' +
          '64-bit little-endian integer. Or the parents of a subtree of BLAKE3 in pre-order and its ' +
          'chaining value: the iv then also has the bytes of a leaf and 1 for the root, or 0.',
      ],
      [
        'JoinParts',
        'The digest from the values of all ranges; the iv has the bytes of each range, as such ' +
          'integers.',
      ],
      [
        'ImportKey',
        'The operations with asymmetric keys, of which public_keys.rs says what they read. The ' +
          'first two fill the reserved key, which is the key.',
      ],
      'GenerateKey',
      'Sign',
      ['VerifySignature', 'The signature is the tag; the result is 1 byte, 1 if it is right.'],
      [
        'SignMany',
        'As `Sign`, of messages one after the other. The iv has three 64-bit floats of each: the ' +
          'sizes of message and signature and the handle of the key, or 0 for the next raw key, ' +
          'which are in the place of the key.',
      ],
      ['VerifyMany', 'As `VerifySignature`, in the same way; the result is a byte of each.'],
      ['Agree', "The handle of the peer's public key is `At.Count`."],
      ['Encapsulate', 'The result is the shared secret and the ciphertext after it.'],
      'Decapsulate',
      'PublicEncrypt',
      'PrivateDecrypt',
      ['HpkeSeal', 'The result is the encapsulated key and the ciphertext after it.'],
      'HpkeOpen',
      [
        'HpkeSender',
        "The result is the encapsulated key and after it the AEAD's key, the nonce of the first " +
          'message and the secret of exports.',
      ],
      ['HpkeRecipient', 'The result is the same without the encapsulated key.'],
      [
        derivations[0],
        'Key derivations, which come last: the password is the key, the salt the iv, other ' +
          'inputs the aad, a second secret the tag.',
      ],
      ...derivations.slice(1),
    ],
  },
  {
    name: 'Flag',
    doc: 'Bits of `At.Flags`: the byte arguments of a call, and how it treats them.',
    bits: true,
    members: [
      'HasTarget',
      'HasIv',
      'HasAad',
      'HasTag',
      'HasKey',
      [
        'Snapshot',
        'The caller may change the source after the call: it is copied during the call.',
      ],
      'Cancellable',
      ['HasSizes', 'The iv holds the sizes of many messages as 64-bit floats.'],
      [
        'HasViews',
        "The source is an array of typed arrays; the source's offset is the index of the " +
          'first message.',
      ],
      ['Copied', 'The source is a copy that JavaScript made for this call.'],
      ['Unlimited', 'The source is copied even beyond the limit for copies.'],
      ['Fresh', 'The target is a new buffer for this result.'],
      ['Progress', 'The job counts its progress, for `progress(slot)`.'],
    ],
  },
  {
    name: 'Route',
    doc: 'Where an asynchronous call runs.',
    members: [
      ['Auto', 'Chosen by its predicted cost.'],
      ['Inline', 'During the call; it settles later.'],
      ['Pool', 'On one worker.'],
      ['Split', 'On all workers, in parts; on one worker if the work has no parts.'],
    ],
  },
  {
    name: 'EngineNumber',
    doc: 'The engine that computes.',
    members: [
      'Native',
      [
        'Kernel',
        'The kernel: /dev/crypto where an accelerator serves the algorithm, else AF_ALG, ' +
          'else /dev/crypto.',
      ],
      ['AfAlg', 'The kernel through AF_ALG.'],
      ['Cryptodev', 'The kernel through /dev/crypto.'],
    ],
  },
  {
    name: 'Purpose',
    rust: 'PurposeNumber',
    doc: 'The kind of algorithm that a key is prepared for.',
    members: ['Cipher', 'Mac', 'Hash'],
  },
  {
    name: 'PublicKeyAlgorithm',
    doc: 'The algorithms of asymmetric keys.',
    members: [
      'Ed25519',
      'X25519',
      'P256',
      'P384',
      'P521',
      'Rsa',
      'RsaPss',
      'MlKem512',
      'MlKem768',
      'MlKem1024',
      'MlDsa44',
      'MlDsa65',
      'MlDsa87',
      'XWing',
    ],
  },
  {
    name: 'KeyForm',
    doc:
      'The encodings of asymmetric keys. `PrivateAndPoint`, which is read only, is a raw private ' +
      'key of a curve of NIST and its uncompressed point.',
    members: [
      'Pkcs8',
      'EncryptedPkcs8',
      'Pkcs1',
      'Sec1',
      'PrivateRaw',
      'Seed',
      'PrivateAndPoint',
      ['Spki', 'The first form of public keys.'],
      'Pkcs1Public',
      'PublicRaw',
      ['Compressed', 'Read as `PublicRaw`.'],
    ],
  },
  {
    name: 'SignatureScheme',
    doc: 'How a message is signed.',
    members: [
      ['Default', 'Of Ed25519 and ML-DSA.'],
      [
        'EcdsaDer',
        'The result is padded; its last two bytes are the size of the signature, little-endian.',
      ],
      'EcdsaP1363',
      'RsaPkcs1',
      'RsaPss',
    ],
  },
  {
    name: 'RawOperation',
    doc: 'The operations of `rawKeys`: the target, then the inputs.',
    members: [
      ['Ed25519KeyPair', 'Seed and public key; a seed.'],
      ['Ed25519Sign', 'A signature; a message, a seed with its public key.'],
      ['Ed25519SignSeed', 'A signature; a message, a seed.'],
      ['Ed25519Verify', 'Nothing; a message, a signature, a public key.'],
      ['X25519', 'A product; a scalar, a point.'],
      ['X25519Public', 'A public key; a scalar.'],
      ['BoxKey', "The shared key of NaCl's box; a public and a secret key."],
      ['BoxSeal', 'Tag and ciphertext; a message, a nonce, a key.'],
      ['BoxOpen', 'A message; tag and ciphertext, a nonce, a key.'],
      ['EcPublicKey', 'A point; a secret key. This and the next five have a `RawCurve` too.'],
      ['EcMultiply', 'A point; a secret key, a point.'],
      ['EcSign', 'Recovery number, r and s; a digest, a secret key, additional entropy.'],
      ['EcSignLow', 'As `EcSign`, with a low s.'],
      ['EcVerify', 'Nothing; a digest, r and s, a point.'],
      ['EcVerifyLow', 'As `EcVerify`, which needs a low s.'],
      ['EcRecover', 'A point of secp256k1; a digest, recovery number with r and s.'],
      ['SchnorrSign', 'A signature by BIP 340; a message, a secret key, entropy.'],
      ['SchnorrVerify', 'Nothing; a message, a signature, a public key.'],
      [
        'LatticeKeyPair',
        'Public and expanded secret key; a seed. This and the next five have a ' +
          '`PublicKeyAlgorithm` too, of ML-KEM or ML-DSA.',
      ],
      ['LatticePublicKey', 'A public key; an expanded secret key.'],
      ['Encapsulate', 'Ciphertext and shared secret; a public key.'],
      ['Decapsulate', 'A shared secret; a ciphertext, an expanded secret key.'],
      ['LatticeSign', 'A signature; a message, an expanded secret key, a context.'],
      ['LatticeVerify', 'Nothing; a message, a signature, a public key.'],
    ],
  },
  {
    name: 'RawCurve',
    doc: 'The curves of ECDSA in `rawKeys`.',
    members: ['Secp256k1', 'P256', 'P384', 'P521'],
  },
  {
    name: 'EncryptionPadding',
    doc: 'The paddings of RSA encryption.',
    members: ['Oaep', 'Pkcs1'],
  },
  {
    name: 'Poll',
    doc: 'The result of a poll.',
    members: [
      ['Done', 'Workers wake the event loop from now on.'],
      ['Again', 'Poll again in the next iteration of the loop.'],
    ],
  },
  {
    name: 'CancelResult',
    doc: 'The result of a request to cancel a job.',
    members: [
      ['AfterEnd', 'The job has ended, or runs to its end.'],
      ['BeforeStart', 'The job had not started and never will.'],
      [
        'Requested',
        'The job runs; it stops at its next checkpoint with the status `Cancelled`, or ' +
          'ends before.',
      ],
    ],
  },
  {
    name: 'Threads',
    doc: 'The numbers of the worker pool.',
    members: [
      ['Limit', 'The most workers that may exist.'],
      ['Started', 'The workers that exist.'],
      ['Queued', 'The tasks that wait.'],
    ],
  },
  {
    name: 'CopiedBytes',
    doc: 'The bytes copied for jobs in flight.',
    members: [
      ['Limit', 'The most bytes, 0 while no limit is set.'],
      ['Now', 'The bytes copied now.'],
    ],
  },
  {
    name: 'SecureMemory',
    doc: 'How prepared keys are kept.',
    members: [
      ['Off', 'On the heap.'],
      ['Preferred', 'In locked memory as far as the system allows.'],
      ['Required', 'In locked memory, or not at all.'],
    ],
  },
  {
    name: 'KdfMemory',
    doc: 'The working memory of derivations.',
    members: [
      ['Limit', 'The most bytes of all derivations together, 0 while no limit is set.'],
      ['Taken', 'The bytes taken now.'],
      ['Waiting', 'The jobs that wait for memory.'],
    ],
  },
  {
    name: 'CostPart',
    doc: 'The numbers of the cost model of an algorithm.',
    members: [
      ['Fixed', 'Fixed nanoseconds.'],
      ['PerByte', 'Nanoseconds per byte.'],
      ['BatchFactor', 'The part of both that one message of a batch takes.'],
      ['Settled', '1 when none of these numbers changes any more, else 0.'],
    ],
  },
];

/**
 * How a call or job ended, with the error that JavaScript throws for it. The reason of a status
 * replaces the message.
 */
const statuses = [
  { name: 'Done', code: 'ERR_ENGINE', message: 'no error' },
  { name: 'KeySize', code: 'ERR_KEY_SIZE', message: 'key has the wrong size' },
  { name: 'IvSize', code: 'ERR_IV_SIZE', message: 'iv has the wrong size' },
  { name: 'TagSize', code: 'ERR_TAG_SIZE', message: 'tag has the wrong size' },
  { name: 'OutputSize', code: 'ERR_OUTPUT_SIZE', message: 'output has the wrong size' },
  {
    name: 'SourceTooLarge',
    code: 'ERR_SOURCE_SIZE',
    message: 'source is longer than the algorithm allows',
  },
  {
    name: 'AadTooLarge',
    code: 'ERR_SOURCE_SIZE',
    message: 'aad is longer than the algorithm allows',
  },
  {
    name: 'Authentication',
    code: 'ERR_AUTHENTICATION',
    message: 'authentication failed: wrong key, nonce, aad or tag, or changed ciphertext',
  },
  {
    name: 'NotSupported',
    code: 'ERR_ENGINE',
    message: 'the engine does not support this operation',
  },
  { name: 'Engine', code: 'ERR_ENGINE', message: 'the engine failed' },
  {
    name: 'Argument',
    doc:
      'An argument is not a typed array, or a range does not fit in it: a bug in the parser, ' +
      'or the buffer was detached.',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'a range does not fit its buffer: was it detached or resized during the call?',
  },
  {
    name: 'Overlap',
    doc: 'The ranges of tag and target overlap.',
    code: 'ERR_OVERLAP',
    message: 'the range of the tag must not overlap the range of the target',
  },
  { name: 'KeyDisposed', code: 'ERR_KEY_DISPOSED', message: 'key was disposed' },
  {
    name: 'KeyAlgorithm',
    doc: 'The prepared key belongs to another algorithm.',
    code: 'ERR_KEY_ALGORITHM',
    message: 'key was prepared for another algorithm',
  },
  {
    name: 'Cancelled',
    doc: 'Cancelled by an AbortSignal, which has the reason.',
    code: 'ERR_ENGINE',
    message: 'the job was cancelled',
  },
  {
    name: 'Internal',
    doc: 'A bug: the job panicked.',
    code: 'ERR_ENGINE',
    message: 'internal error: please report it',
  },
  { name: 'Memory', doc: 'Memory is short.', code: 'ERR_OUT_OF_MEMORY', message: 'out of memory' },
  {
    name: 'State',
    doc: 'The bytes are not a state of this hash, or are one that cannot be continued.',
    code: 'ERR_STATE',
    message: 'state does not belong to this hash',
  },
  {
    name: 'CopyLimitUnset',
    doc: 'Not accepted: a limit for copies must be set first.',
    code: 'ERR_ENGINE',
    message: 'the limit for copies is not set: internal',
  },
  { name: 'SaltSize', code: 'ERR_ARGUMENT_VALUE', message: 'the salt has the wrong size' },
  {
    name: 'Cost',
    doc: 'A cost parameter that the algorithm does not define.',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'a cost parameter is outside the range that the algorithm defines',
  },
  {
    name: 'MemoryLimit',
    doc: 'More working memory than the call allows.',
    code: 'ERR_MEMORY_LIMIT',
    message: 'the derivation needs more memory than the call allows',
  },
  {
    name: 'Encoded',
    doc: 'The text is not a password hash that Millrace knows.',
    code: 'ERR_PASSWORD_HASH',
    message: 'hash is not a PHC or bcrypt string',
  },
  {
    name: 'EncodedSize',
    doc: 'The salt or the hash in a PHC string has a size that is not accepted.',
    code: 'ERR_PASSWORD_HASH',
    message: 'hash must have a salt of 8 to 512 bytes and a hash of 16 to 512 bytes',
  },
  {
    name: 'Work',
    doc: 'The password hash needs more work than the call allows.',
    code: 'ERR_WORK_LIMIT',
    message: 'hash needs more work than options.maxTime allows',
  },
  {
    name: 'KdfMemoryLimit',
    doc: 'More working memory than all derivations together may take.',
    code: 'ERR_MEMORY_LIMIT',
    message: 'the derivation needs more memory than configure({ maxKdfMemory }) allows',
  },
  {
    name: 'KeyEncoding',
    doc: 'The bytes are not an asymmetric key in this encoding.',
    code: 'ERR_KEY_ENCODING',
    message: 'key is not a key in this encoding: it is damaged, incomplete or followed by more',
  },
  {
    name: 'KeyNotSupported',
    doc: 'The algorithm, curve or parameters of the asymmetric key are not supported.',
    code: 'ERR_KEY_NOT_SUPPORTED',
    message: 'the algorithm or curve of key is not supported',
  },
  {
    name: 'KeyEncryption',
    doc: 'The scheme that encrypts the private key is not supported.',
    code: 'ERR_KEY_NOT_SUPPORTED',
    message: 'the scheme that encrypts key is not supported: use PBES2 with AES-CBC',
  },
  {
    name: 'Passphrase',
    doc: 'The passphrase of a private key is wrong.',
    code: 'ERR_PASSPHRASE',
    message: 'passphrase is wrong, or the encrypted key was changed',
  },
  {
    name: 'KeyWork',
    doc: 'Decrypting a private key needs more iterations or memory than is allowed.',
    code: 'ERR_WORK_LIMIT',
    message: 'key demands more than 10 million iterations or 256 MiB of memory to decrypt',
  },
  {
    name: 'KeyValue',
    doc: 'The parts of a key contradict each other or are out of range, or are no point.',
    code: 'ERR_KEY_INVALID',
    message: 'key is not valid: its parts contradict each other, or it is no point on the curve',
  },
  {
    name: 'SharedSecret',
    doc: "The peer's key has a small order.",
    code: 'ERR_KEY_INVALID',
    message: 'publicKey has a small order: the shared secret would be all zero',
  },
  {
    name: 'KeyUse',
    doc: 'A key of this algorithm has no such operation.',
    code: 'ERR_KEY_ALGORITHM',
    message: 'keys of this algorithm do not support this operation or encoding',
  },
  {
    name: 'KeyPair',
    doc: 'The keys of an agreement belong to different algorithms.',
    code: 'ERR_KEY_ALGORITHM',
    message: 'privateKey and publicKey belong to different algorithms',
  },
  {
    name: 'ModulusSize',
    code: 'ERR_KEY_SIZE',
    message: 'RSA keys must have 1024 to 16384 bits; new ones 2048 to 8192 in steps of 128',
  },
  {
    name: 'Exponent',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'publicExponent must be odd and from 3 to 2^33 - 1, of a new key to 2^32 - 1',
  },
  {
    name: 'SignatureHash',
    doc: 'The scheme or the key does not take this hash.',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'this key or scheme does not take this hash',
  },
  {
    name: 'SaltLength',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'saltLength does not fit the key: use "digest"',
  },
  {
    name: 'ContextSize',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'context must have at most 255 bytes, and none beside a digest',
  },
  {
    name: 'DigestSize',
    code: 'ERR_SOURCE_SIZE',
    message: 'data must have the size of a digest of this hash, as options.digest is true',
  },
  {
    name: 'MessageSize',
    code: 'ERR_SOURCE_SIZE',
    message: 'data is longer than this key can encrypt, or the key is too short for the hash',
  },
  {
    name: 'CiphertextSize',
    code: 'ERR_SOURCE_SIZE',
    message: 'the ciphertext has the wrong size for this key',
  },
  {
    name: 'Decryption',
    code: 'ERR_AUTHENTICATION',
    message: 'the ciphertext does not decrypt under this key, hash and label',
  },
  {
    name: 'EncapsulatedKey',
    doc: 'An encapsulated key is no point of the curve, or has a small order.',
    code: 'ERR_KEY_INVALID',
    message: 'encapsulatedKey is not valid: it is no point on the curve, or has a small order',
  },
  {
    name: 'SecureMemory',
    doc: 'A key must be kept in locked memory, and cannot be.',
    code: 'ERR_SECURE_MEMORY',
    message:
      'the key cannot be kept in locked memory, which settings.secureMemory demands: ' +
      'engines().secureMemory.reason says why',
  },
  {
    name: 'Unavailable',
    doc: 'The engine that was asked for cannot do this here.',
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: 'the engine is not available',
    reason: true,
  },
  {
    name: 'TooLarge',
    doc: 'The message is too large for the engine that was asked for.',
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: 'the message is larger than this engine accepts',
    reason: true,
  },
  {
    name: 'File',
    doc: 'The file is not regular, cannot be read, or has changed.',
    code: 'ERR_FILE_CHANGED',
    message: 'the file is not regular, cannot be read, or has changed',
  },
];

const constants = [
  {
    name: 'NO_HASH',
    value: 255,
    type: 'u32',
    doc: 'The number in the place of a hash where an operation with an asymmetric key takes none.',
  },
  {
    name: 'OPERATION_COUNT',
    value: enumerations.find(({ name }) => name === 'Operation').members.length,
    type: 'u32',
    doc: 'The number of operations.',
  },
  {
    name: 'KERNEL_HANDLE_BYTES',
    value: 16,
    type: 'usize',
    doc: 'Bytes of the handle of a hash state that the kernel keeps, for any hash.',
  },
  {
    name: 'WHOLE',
    value: -1,
    type: 'f64',
    doc: 'A value of `At.SourceSize`: the whole source that is passed.',
  },
  {
    name: 'COMPLETION_BUFFER_BYTES',
    value: 65_536,
    type: 'usize',
    doc: 'Bytes of the completion buffer, in which results come back.',
  },
  {
    name: 'RECORD_NUMBERS',
    value: 4,
    type: 'usize',
    doc:
      '32-bit numbers of a record in the completion buffer before its result: slot, ' +
      'status, and the sizes of the two parts.',
  },
  {
    name: 'COMPLETION_RESULT_MAX',
    value: 2048,
    type: 'usize',
    doc:
      'Bytes: a result of up to this size travels in the completion buffer; a larger one ' +
      'gets its own buffer.',
  },
  {
    name: 'REPLY_MAX',
    value: 4096,
    type: 'usize',
    doc: 'Bytes: the engine accepts no larger result for the completion buffer.',
  },
  {
    name: 'POLLED_NS',
    value: 100_000,
    type: 'u64',
    doc: 'The event loop polls for jobs of up to this many predicted nanoseconds.',
  },
  {
    name: 'INLINE_ALONE_NS',
    value: 50_000,
    type: 'u64',
    doc: 'The most nanoseconds of a job that runs during its call while no other is in flight.',
  },
  {
    name: 'MEASURED_FIRST_NS',
    value: 10_000,
    type: 'u64',
    doc:
      'The nanoseconds from which a job does not run during its call before a worker has ' +
      'measured the algorithm: on this CPU it may take a multiple of what the table says.',
  },
  {
    name: 'SUBMIT_NS',
    value: 700,
    type: 'u64',
    doc:
      'Nanoseconds of the event loop to pass a job to a worker. Only what an inline job takes ' +
      'beyond them counts as blocking the loop.',
  },
  {
    name: 'INLINE_FIRST_NS',
    value: 4000,
    type: 'u64',
    doc:
      'Nanoseconds of jobs that run during their calls in each round of an event-loop iteration, ' +
      'whatever each of them takes: sharing less with a worker gains nothing.',
  },
  {
    name: 'INLINE_FIRST_JOBS',
    value: 2,
    type: 'usize',
    doc:
      'The fewest jobs in flight that end this: then results come a few at a time, and the calls ' +
      'that follow them would all be so little work that none is left for a worker.',
  },
  {
    name: 'COPY_NS_PER_KIB',
    value: 128,
    type: 'u64',
    doc:
      'Nanoseconds of the event loop to copy 1024 bytes for a worker, and to allocate memory ' +
      'for the copy.',
  },
];

const head = 'Generated by tools/protocol.mjs. Do not edit.';
const described = (member) => (Array.isArray(member) ? member : [member, undefined]);
const shown = (value) =>
  String(value).replace(/\B(?=(\d{3})+$)/g, Math.abs(value) > 9999 ? '_' : '');
const upper = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();

function typescript() {
  const comment = (doc, indent = '') =>
    doc === undefined
      ? ''
      : block(doc.replace(/`(Flag|At|Route|EngineNumber)(\.\w+)?`/g, '{@link $1$2}'), indent);
  const body = (members, value) =>
    members
      .map(
        (member, index) =>
          `${comment(described(member)[1], '  ')}  ${described(member)[0]}${value(index)},\n`,
      )
      .join('');
  const enums = enumerations.map(
    ({ name, doc, members, bits = false }) =>
      `${comment(doc)}export const enum ${name} {\n` +
      `${body(members, (index) => (bits ? ` = ${1 << index}` : ''))}}\n`,
  );
  const status = `${comment('How a call or a job ended.')}export const enum Status {\n${body(
    statuses.map(({ name, doc }) => [name, doc]),
    () => '',
  )}}\n`;
  const errors = statuses.map(({ code, message }) => `  ['${code}', '${message}'],\n`).join('');
  const table =
    '/** The error of each status. */\nexport const statusErrors: ' +
    `readonly (readonly [code: ErrorCode, message: string])[] = [\n${errors}];\n`;
  const numbers = constants.map(
    ({ name, value, doc }) => `${comment(doc)}export const ${name} = ${shown(value)};\n`,
  );
  return (
    `/**\n * The numbers that JavaScript and the engines share.\n *\n * ${head}\n ` +
    '*/\nimport type { ErrorCode } from ' +
    `'./error-codes.js';\n\n${[...enums, status, table, ...numbers].join('\n')}`
  );
}

/** What the enums of Rust are made by. */
const macros = `/// Defines enums of numbers.
macro_rules! numbers {
    ($($(#[$about:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $member:ident = $number:literal,)*
    })*) => {$(
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $member = $number,)*
        }

        impl $name {
            /// Returns \`None\` for a number without a member.
            pub const fn from_number(number: u32) -> Option<$name> {
                match number {
                    $($number => Some($name::$member),)*
                    _ => None,
                }
            }
        }
    )*};
}

/// Defines an enum with numbers, of which members may carry a reason.
macro_rules! statuses {
    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$doc:meta])* $member:ident $(($reason:ty))? = $number:literal,)*
    }) => {
        $(#[$about])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $member $(($reason))?,)*
        }

        impl $name {
            pub const fn number(self) -> u32 {
                match self {
                    $($name::$member { .. } => $number,)*
                }
            }
        }
    };
}

`;

function rust() {
  const comment = (doc, indent = '') =>
    doc === undefined ? '' : lines(doc.replace(/`(\w+)\.(\w+)`/g, '`$1::$2`'), `${indent}/// `);
  const constant = ({ name, value, type, doc }) =>
    `${comment(doc)}pub const ${name}: ${type} = ` +
    `${shown(value)}${type === 'f64' ? '.0' : ''};\n`;
  const member = (text, name, index) => `${comment(text, '        ')}        ${name} = ${index},\n`;
  const enumeration = ({ name, rust: other = name, doc, members }) => {
    const body = members.map(described).map(([each, text], index) => member(text, each, index));
    return `${comment(doc, '    ')}    pub enum ${other} {\n${body.join('')}    }\n`;
  };
  const flags = ({ name, doc, members }) => {
    const body = members
      .map(described)
      .map(
        ([flag, text], index) =>
          `${comment(text, '    ')}    pub const ${upper(flag)}: u32 = ${1 << index};\n`,
      );
    return `${comment(doc)}pub mod ${name.toLowerCase()} {\n${body.join('')}}\n`;
  };
  const [bits, numbers] = [true, false].map((wanted) =>
    enumerations.filter((each) => (each.bits ?? false) === wanted),
  );
  const body = statuses.map(({ name, doc, reason }, index) =>
    member(doc, `${name}${reason ? "(&'static str)" : ''}`, index),
  );
  const reasons = statuses
    .filter(({ reason }) => reason)
    .map(({ name }) => `Status::${name}(reason)`)
    .join(' | ');
  const status = `statuses! {
    /// How a call or job ended. A status with a reason carries a message.
    pub enum Status {
${body.join('')}    }
}

impl Status {
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            ${reasons} => Some(reason),
            _ => None,
        }
    }
}
`;
  const derivation = `impl OperationNumber {
    /// Returns the number of a key derivation function in core.
    pub const fn derivation(self) -> Option<usize> {
        (self as usize).checked_sub(OperationNumber::${derivations[0]} as usize)
    }
}
`;
  return (
    '//! The numbers that native code and JavaScript share. ' +
    `${head}\n\n${macros}` +
    [
      `numbers! {\n${numbers.map(enumeration).join('\n')}}\n`,
      ...bits.map(flags),
      derivation,
      status,
      ...constants.map(constant),
    ].join('\n')
  );
}

const numbered = (names) => Object.fromEntries(names.map((name, index) => [name, index]));

/** For tests: the numbers of an enumeration, the indexes of the frame, and statuses, by name. */
export const numbersOf = (enumeration) =>
  numbered(
    enumerations
      .find(({ name }) => name === enumeration)
      .members.map((member) => described(member)[0]),
  );
export const frameIndexes = numbersOf('At');
export const statusNumbers = numbered(statuses.map(({ name }) => name));

/** The generated files, by path. */
export const generated = {
  'crates/request/src/protocol.rs': rust(),
  'src/base/protocol.ts': typescript(),
};

/** Returns the words in lines of at most 100 columns, each after a prefix. */
function lines(text, prefix) {
  const made = [''];
  for (const word of text.split(' ')) {
    const line = made.at(-1);
    if (line === '') made[made.length - 1] = word;
    else if (prefix.length + line.length + 1 + word.length <= 100)
      made[made.length - 1] += ` ${word}`;
    else made.push(word);
  }
  return made.map((line) => `${prefix}${line}\n`).join('');
}

/** Returns a comment of TypeScript, in one line if it fits. */
function block(text, indent) {
  const short = `${indent}/** ${text} */`;
  if (short.length <= 100) return `${short}\n`;
  return `${indent}/**\n${lines(text, `${indent} * `)}${indent} */\n`;
}

/**
 * Returns the text without what the formatters decide: white space, comment markers and trailing
 * commas.
 */
const unformatted = (text) => text.replace(/[\s,/*]+/g, '');

/** Returns the generated files that differ from what this file describes. */
export function staleFiles() {
  return Object.keys(generated).filter(
    (path) => unformatted(readFileSync(join(root, path), 'utf8')) !== unformatted(generated[path]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of Object.entries(generated)) writeFormatted(path, text);
}
