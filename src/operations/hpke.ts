/** hpkeSeal, hpkeOpen, createHpkeSender and createHpkeRecipient: from arguments to a request. */
import {
  argument,
  data,
  findBytes,
  findData,
  joined,
  NO_BYTES,
  part,
  range,
  sizeOf,
  sizeOfFound,
} from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import { At, frame, Operation } from '../base/frame.js';
import {
  hpkeOpenOptionNames,
  hpkeRecipientOptionNames,
  hpkeSealOptionNames,
  hpkeSenderOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import { readSecret, SecretCopy, SecretKinds, wipeCopy } from '../base/secret-copy.js';
import { secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { cipherFacts, hashFacts } from '../catalog/catalog.js';
import {
  CIPHERTEXT_BYTES,
  PUBLIC_KEY_BYTES,
  type ByAlgorithm,
  type HeldKey,
} from '../public-keys/held-key.js';
import { readPrivateKey, readPublicKey } from '../public-keys/keys.js';
import {
  deferWipe,
  Form,
  setFinish,
  setIv,
  setResult,
  setTag,
  type Parser,
} from '../request/request.js';
import { readPlace } from './hash.js';
import {
  checkCiphertext,
  HpkeRecipient,
  HpkeSender,
  newState,
  NONCE_BYTES,
  TAG_BYTES,
  type HpkeContext,
  type Suite,
} from './hpke-contexts.js';
import {
  beginWithKey,
  hold,
  letGo,
  parserFor,
  readCallOptions,
  readChoice,
  setExtra,
  setOutput,
  writeTo,
  wrongKey,
  type Options,
} from './public-key-arguments.js';
import { allocate, viewOf, type Buffer } from '#platform/base/runtime.js';

export const hpkeSealParser: Parser = parserFor(
  'hpkeSeal',
  'publicKey, plaintext',
  fillSeal,
  hpkeSealOptionNames,
  targetOptionNames,
);

export const hpkeOpenParser: Parser = parserFor(
  'hpkeOpen',
  'privateKey, encapsulatedKey, ciphertext',
  fillOpen,
  hpkeOpenOptionNames,
  targetOptionNames,
);

export const hpkeSenderParser: Parser = parserFor(
  'createHpkeSender',
  'publicKey',
  fillSender,
  hpkeSenderOptionNames,
);

export const hpkeRecipientParser: Parser = parserFor(
  'createHpkeRecipient',
  'privateKey, encapsulatedKey',
  fillRecipient,
  hpkeRecipientOptionNames,
);

/** IANA's number of the KEM; 0 for keys without. */
const KEMS: ByAlgorithm = [0, 0x20, 0x10, 0x11, 0x12, 0, 0, 0x40, 0x41, 0x42, 0, 0, 0, 0x647a];

/** In the order of IANA's numbers, from 1. */
const KDFS = ['hkdf-sha256', 'hkdf-sha384', 'hkdf-sha512'];
const AEADS = ['aes-128-gcm', 'aes-256-gcm', 'chacha20-poly1305', 'export-only'];
const EXPORT_ONLY = 0xffff;
const PSK_BYTES_MIN = 32;
/** The first number of the KEMs that do not authenticate the sender. */
const KEM_WITHOUT_SENDER = 0x40;

function fillSeal(given: ArrayLike<unknown>, options: Options): void {
  const { aad, target, targetOffset } = options;
  const place = readPlace(target, targetOffset, undefined);
  const extra = aad === undefined ? undefined : data(aad, 'options.aad');
  const plaintext = findData(argument(given, 1), 'plaintext');
  const { encapsulatedSize } = fill(Operation.HpkeSeal, given, options, plaintext);
  const size = sizeOf(plaintext) + TAG_BYTES;
  if (place !== undefined) range(place.targetOffset, size, sizeOf(place.target), 'target');
  setExtra(extra, 'options.aad');
  setResult(encapsulatedSize + size, Form.Buffer);
  setFinish({
    succeed(made) {
      const { buffer, byteOffset } = made as Buffer;
      const ciphertext = viewOf(buffer, byteOffset + encapsulatedSize, size);
      return {
        encapsulatedKey: firstOf(made as Buffer, encapsulatedSize),
        ciphertext: place === undefined ? ciphertext : writeTo(place, ciphertext),
      };
    },
    fail: undefined,
  });
}

/** Copies an encapsulated key, so that it does not keep a large message alive. */
function firstOf(made: Uint8Array, size: number): Buffer {
  const first = allocate(size);
  first.set(part(made, 0, size));
  return first;
}

function fillOpen(given: ArrayLike<unknown>, options: Options): void {
  const { aad, target, targetOffset } = options;
  const place = readPlace(target, targetOffset, undefined);
  const extra = aad === undefined ? undefined : data(aad, 'options.aad');
  const ciphertext = findBytes(argument(given, 2), 'ciphertext');
  const encapsulatedKey = findBytes(argument(given, 1), 'encapsulatedKey');
  fill(Operation.HpkeOpen, given, options, ciphertext, encapsulatedKey);
  checkCiphertext(sizeOf(ciphertext));
  const size = sizeOf(ciphertext) - TAG_BYTES;
  if (place !== undefined) range(place.targetOffset, size, sizeOf(place.target), 'target');
  setExtra(extra, 'options.aad');
  setOutput(size, Form.Secret, place);
}

function fillSender(given: ArrayLike<unknown>, options: Options): void {
  const suite = fill(Operation.HpkeSender, given, options, NO_BYTES);
  const { encapsulatedSize: size } = suite;
  setSecrets(suite, size, (made) => {
    const secrets = part(made, size, made.length - size);
    return new HpkeSender(newState(suite, secrets), firstOf(made, size));
  });
}

function fillRecipient(given: ArrayLike<unknown>, options: Options): void {
  const encapsulatedKey = findBytes(argument(given, 1), 'encapsulatedKey');
  const suite = fill(Operation.HpkeRecipient, given, options, NO_BYTES, encapsulatedKey);
  setSecrets(suite, 0, (made) => new HpkeRecipient(newState(suite, made)));
}

/** Asks for the secrets of a context, after `size` other bytes. */
function setSecrets(
  { aead, hash }: Suite,
  size: number,
  make: (made: Secret<Buffer>) => HpkeContext,
): void {
  setResult(size + (aead?.keySize ?? 0) + NONCE_BYTES + hash.digestSize, Form.Secret);
  setFinish({
    succeed(made) {
      try {
        return make(made as Secret<Buffer>);
      } finally {
        wipe(made as Secret<Buffer>);
      }
    },
    fail: undefined,
  });
}

/**
 * Starts the request; a recipient has an encapsulated key. Keys and the secret, which may run the
 * caller's code, are read last.
 */
function fill(
  operation: Operation,
  given: ArrayLike<unknown>,
  options: Options,
  source: Uint8Array,
  encapsulatedKey?: Uint8Array,
): Suite {
  const { kdf, aead, info, psk, pskId } = options;
  const call = readCallOptions(options);
  const kdfIndex = kdf === undefined ? 0 : readChoice(kdf, 'options.kdf', KDFS);
  const aeadIndex = aead === undefined ? 0 : readChoice(aead, 'options.aead', AEADS);
  const aeadName = AEADS[aeadIndex]!;
  const isExportOnly = aeadName === 'export-only';
  if (isExportOnly && source !== NO_BYTES)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options.aead is export-only, which encrypts nothing: use createHpkeSender and its export',
    );
  if ((psk === undefined) !== (pskId === undefined))
    throw makeError('ERR_MISSING_ARGUMENT', 'options.psk and options.pskId need each other');
  const infoBytes = info === undefined ? NO_BYTES : data(info, 'options.info');
  const id = pskId === undefined ? NO_BYTES : data(pskId, 'options.pskId');
  const isSender = encapsulatedKey === undefined;
  const name = isSender ? 'publicKey' : 'privateKey';
  const held = isSender
    ? readPublicKey(argument(given, 0), name)
    : readPrivateKey(argument(given, 0), name);
  const { algorithmNumber } = held;
  const kemNumber = KEMS[algorithmNumber];
  if (kemNumber === 0) throw wrongKey(name, held, 'x25519, a curve of NIST, ML-KEM or X-Wing');
  const encapsulatedSize = CIPHERTEXT_BYTES[algorithmNumber] || PUBLIC_KEY_BYTES[algorithmNumber];
  const senderOption = isSender ? 'senderKey' : 'senderPublicKey';
  const senderName = `options.${senderOption}`;
  let sender: HeldKey | undefined;
  let secrets: Packed;
  hold(held);
  try {
    const key = options[senderOption];
    if (key !== undefined) {
      sender = isSender ? readPrivateKey(key, senderName) : readPublicKey(key, senderName);
      hold(sender);
    }
    secrets = packSecrets(infoBytes, psk, id);
  } finally {
    letGo(held);
    if (sender !== undefined) letGo(sender);
  }
  const { pskSize, packed } = secrets;
  if (sender !== undefined && sender.algorithmNumber !== algorithmNumber)
    throw wrongKey(senderName, sender, held.algorithm);
  if (sender !== undefined && kemNumber >= KEM_WITHOUT_SENDER)
    throw makeError(
      'ERR_KEY_ALGORITHM',
      `${senderName}: ${held.algorithm} does not authenticate the sender; leave it out`,
    );
  const numbers = [kemNumber, kdfIndex + 1, isExportOnly ? EXPORT_ONLY : aeadIndex + 1];
  beginWithKey(operation, kdfIndex + 1, source, isSender ? 'plaintext' : 'ciphertext', held, call);
  setIv(packed, 0, packed.length);
  if (encapsulatedKey !== undefined) setEncapsulated(encapsulatedKey, held, encapsulatedSize);
  frame[At.MaxTime] = numbers[2]!;
  frame[At.Count] = sender === undefined ? 0 : sender.handles[0]!;
  frame[At.MessageSize] = sizeOf(infoBytes);
  frame[At.SeedLow] = pskSize;
  return {
    hash: hashFacts(KDFS[kdfIndex]!.slice('hkdf-'.length)),
    aead: isExportOnly ? undefined : cipherFacts(aeadName),
    numbers,
    encapsulatedSize,
    preference: held,
  };
}

/** Sets the encapsulated key that a recipient reads. */
function setEncapsulated(bytes: Uint8Array, { algorithm }: HeldKey, size: number): void {
  const own = sizeOfFound(bytes, 'encapsulatedKey');
  if (own !== size)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `encapsulatedKey must be ${size} bytes for ${algorithm}, not ${own}`,
    );
  setTag(bytes, 0, size);
}

/** What the info, the pre-shared key and its name are packed in. */
interface Packed {
  readonly pskSize: number;
  readonly packed: Secret;
}

/** Copies the info, the pre-shared key and its name to memory that the call wipes. */
function packSecrets(info: Uint8Array, psk: unknown, id: Uint8Array): Packed {
  const secret = psk === undefined ? NO_BYTES : readSecret(psk, 'options.psk', SecretKinds.Keys);
  try {
    const key = SecretCopy.is(secret) ? secret.bytes : secret;
    const pskSize = sizeOf(key);
    if (psk !== undefined && pskSize < PSK_BYTES_MIN)
      throw makeError(
        'ERR_KEY_SIZE',
        `options.psk must be at least ${PSK_BYTES_MIN} bytes, not ${pskSize}`,
      );
    if (psk !== undefined && sizeOfFound(id, 'options.pskId') === 0)
      throw makeError('ERR_ARGUMENT_VALUE', 'options.pskId must not be empty');
    const sizes = [sizeOfFound(info, 'options.info'), pskSize, sizeOf(id)];
    const parts = [info, key, id].map((each, index) => part(each, 0, sizes[index]!));
    const packed = joined(parts, secretMemory);
    deferWipe(packed);
    return { pskSize, packed };
  } finally {
    wipeCopy(secret);
  }
}
