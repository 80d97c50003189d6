/** The operations of ciphers: whole messages, chunks, incremental messages and key wrapping. */
import { At, Operation, Status } from '../base/frame.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { emptySlots } from '../base/intrinsics.js';
import { makesTag } from '../base/operations.js';
import { ciphers } from '../catalog/catalog-table.js';
import type { CipherFacts } from '../catalog/facts.js';
import { checkRun, noncesOf } from './chunks.js';
import { provide, type Needs, type Steps } from './execute.js';
import {
  applyStream,
  FamilyAead,
  RunningAead,
  type AeadCalls,
  type StreamCalls,
} from './families/ciphers.js';
import { wrapWith } from './families/derivations.js';
import type { Family } from './families/family.js';
import { ended } from './digests.js';
import * as modules from './family-modules.js';
import { PreparedKey, type RunningCipher } from './keys.js';
import { messageCount } from './messages.js';
import { NOTHING, overlap, part, refuse } from './windows.js';
import type { Work } from './work.js';

/** The families by the names of their ciphers, without what differs between key sizes. */
const streams: Readonly<Record<string, Family<StreamCalls>>> = {
  'aes-ctr': modules.aesCtr,
  chacha20: modules.chacha20,
};
const aeads: Readonly<Record<string, Family<AeadCalls>>> = {
  'aes-gcm': modules.aesGcm,
  'xaes-gcm': modules.xaesGcm,
  'aes-gcm-siv': modules.aesGcmSiv,
  'chacha20-poly1305': modules.chachaPoly,
  'xchacha20-poly1305': modules.chachaPoly,
};

const familyName = ({ name }: CipherFacts): string => name.replace(/-\d+(?=-)/, '');
const streamOf = (facts: CipherFacts): Family<StreamCalls> => streams[familyName(facts)]!;
const messageOf = (facts: CipherFacts): Family<AeadCalls> => aeads[familyName(facts)]!;

const aeadOfEach = /* @__PURE__ */ emptySlots<FamilyAead>();

/** Returns an AEAD by its number. */
function aeadBy(algorithm: number): FamilyAead {
  return (aeadOfEach[algorithm] ??= new FamilyAead(messageOf(ciphers[algorithm]!)));
}

/** Bytes of a text after which other events may be handled. */
const SLICE = 64 * 1024;

const fitsIv = ({ ivSize, ivMax }: CipherFacts, size: number): boolean =>
  size === ivSize || (size >= 1 && size <= ivMax);
const fitsTag = ({ aead, tagMin, tagSize }: CipherFacts, size: number): boolean =>
  aead ? size >= tagMin && size <= tagSize : size === 0;

/** Refuses sizes that the cipher does not define. */
function checkSizes(facts: CipherFacts, { secret, iv, aad, tag, source }: Work): void {
  if (secret.length !== facts.keySize) refuse(Status.KeySize);
  if (!fitsIv(facts, iv.length)) refuse(Status.IvSize);
  if (!fitsTag(facts, tag.length) || (!facts.aead && aad.length > 0)) refuse(Status.TagSize);
  if (aad.length > facts.maxAad) refuse(Status.AadTooLarge);
  if (source.length > facts.maxSource) refuse(Status.SourceTooLarge);
}

function isShared({ buffer }: Uint8Array): boolean {
  return typeof SharedArrayBuffer === 'function' && buffer instanceof SharedArrayBuffer;
}

function run(work: Work, slowly: boolean): Status | Steps {
  const { operation, algorithm, secret, iv, aad, tag, target } = work;
  let { source } = work;
  const facts = ciphers[algorithm]!;
  checkSizes(facts, work);
  if (source.length !== target.length) refuse(Status.Argument);
  if (overlap(source, target)) {
    if (source.byteOffset !== target.byteOffset) {
      // What is read during the call must not change with the text.
      if ([secret, iv, aad, tag].some((input) => overlap(input, target))) return runCopied(work);
      target.set(source);
    }
    source = target;
  }
  const encrypts = makesTag(operation);
  if (slowly && source.length > SLICE) {
    const steps = facts.aead ? (encrypts ? sealed : opened) : applied;
    return allOrNone(work, steps({ ...work, source }));
  }
  if (!facts.aead) {
    applyStream(streamOf(facts), secret, iv, source, target);
    return Status.Done;
  }
  const inputs = [secret, iv, aad] as const;
  const aead = aeadBy(algorithm);
  const prepared = keptOf(work, aead.family);
  if (encrypts) {
    aead.seal(...inputs, source, target, tag, prepared);
    return Status.Done;
  }
  // Nothing is written to memory that other threads can read before it is authenticated.
  if (isShared(target) && !aead.open(...inputs, source, undefined, tag, prepared)) {
    target.fill(0);
    return Status.Authentication;
  }
  return aead.open(...inputs, source, target, tag, prepared) ? Status.Done : Status.Authentication;
}

/** Works like {@link run}, with copies of the inputs that lie within the target. */
function runCopied(work: Work): Status | Steps {
  const { iv, aad } = work;
  const secret = secretCopy(work.secret);
  try {
    const tag = makesTag(work.operation) ? work.tag : work.tag.slice();
    return run({ ...work, secret, iv: iv.slice(), aad: aad.slice(), tag }, false);
  } finally {
    wipe(secret);
  }
}

/** A nonce of a message that is not one. */
const NO_NONCE = /* @__PURE__ */ new Uint8Array(12);

/** Returns what a prepared key of AES-GCM keeps: a message under it, with the key's schedule. */
function keptOf({ key }: Work, family: Family<AeadCalls>): Uint8Array | undefined {
  if (key === undefined || family !== modules.aesGcm) return undefined;
  return (key.states ??= new RunningAead(family, [key.bytes, NO_NONCE, NOTHING]).take());
}

/** Calls `each` with the slices of a text and their offsets, and yields after each. */
function* slices(
  source: Uint8Array,
  each: (slice: Uint8Array, at: number, size: number) => void,
): Generator<undefined, void, undefined> {
  for (let at = 0; at < source.length; at += SLICE) {
    const size = Math.min(SLICE, source.length - at);
    each(part(source, at, size), at, size);
    yield;
  }
}

/** Runs steps; unless all are done, the target is left with zeros. */
function* allOrNone({ target }: Work, steps: Steps): Steps {
  let status = Status.Internal;
  try {
    return (status = yield* steps);
  } finally {
    if (status !== Status.Done) target.fill(0);
  }
}

function* applied({ algorithm, secret, iv, source, target }: Work): Steps {
  const family = streamOf(ciphers[algorithm]!);
  yield* slices(source, (slice, at, size) =>
    applyStream(family, secret, iv, slice, part(target, at, size), at),
  );
  return Status.Done;
}

function* sealed({ algorithm, secret, iv, aad, source, target, tag }: Work): Steps {
  const { family } = aeadBy(algorithm);
  const message = new RunningAead(family, [secret, iv, aad]);
  const siv = family === modules.aesGcmSiv;
  const made = secretMemory(tag.length);
  try {
    yield* slices(source, (slice, at, size) =>
      message.seal(slice, siv ? undefined : part(target, at, size)),
    );
    message.tag(made);
    if (siv)
      yield* slices(source, (slice, at, size) =>
        message.encrypt(at, slice, part(target, at, size), made),
      );
    tag.set(made);
    return Status.Done;
  } finally {
    message.dispose();
  }
}

function* opened({ algorithm, secret, iv, aad, source, target, tag }: Work): Steps {
  const { family } = aeadBy(algorithm);
  const expected = secretCopy(tag);
  for (const to of isShared(target) ? [undefined, target] : [target]) {
    const message = new RunningAead(family, [secret, iv, aad]);
    try {
      yield* slices(source, (slice, at, size) =>
        message.open(slice, to && part(to, at, size), expected),
      );
      if (!message.verify(expected)) return Status.Authentication;
    } finally {
      message.dispose();
    }
  }
  return Status.Done;
}

// chunks

/** Seals or opens a run of chunks: all or none. */
function chunks(work: Work): Steps {
  const { algorithm, secret } = work;
  const tagSize = checkRun(work);
  const prepared = keptOf(work, aeadBy(algorithm).family);
  if (secret.length !== ciphers[algorithm]!.keySize) refuse(Status.KeySize);
  return allOrNone(work, chunksOf(work, tagSize, noncesOf(work), prepared));
}

function* chunksOf(
  work: Work,
  tagSize: number,
  nonceOf: (index: number) => Uint8Array,
  prepared: Uint8Array | undefined,
): Steps {
  const { operation, algorithm, numbers, source, target, secret } = work;
  const seals = operation === Operation.SealChunks;
  const [text, other] = seals ? [source, target] : [target, source];
  const [count, size] = [messageCount(work), numbers[At.MessageSize]!];
  const aead = aeadBy(algorithm);
  for (let index = 0; index < count; index++) {
    const [at, sealedAt] = [index * size, index * (size + tagSize)];
    const length = Math.min(size, text.length - at);
    const plain = part(text, at, length);
    const chunk = part(other, sealedAt, length);
    const tag = part(other, sealedAt + length, tagSize);
    const nonce = nonceOf(index);
    if (seals) aead.seal(secret, nonce, NOTHING, plain, chunk, tag, prepared);
    else if (!aead.open(secret, nonce, NOTHING, chunk, plain, tag, prepared))
      return Status.Authentication;
    yield;
  }
  return Status.Done;
}

// incremental messages

/** A message of a stream cipher: its place in the keystream. */
class RunningStream implements RunningCipher {
  #offset = 0;
  readonly #key: Secret;
  readonly #iv: Secret;

  constructor(
    readonly family: Family<StreamCalls>,
    key: Uint8Array,
    iv: Uint8Array,
    readonly encrypts: boolean,
  ) {
    this.#key = secretCopy(key);
    this.#iv = secretCopy(iv);
  }

  update(source: Uint8Array, target: Uint8Array): void {
    applyStream(this.family, this.#key, this.#iv, source, target, this.#offset);
    this.#offset += source.length;
  }

  finish(tag: Uint8Array): void {
    if (tag.length > 0) refuse(Status.TagSize);
  }

  copy(): RunningStream {
    if (this.encrypts) refuse(Status.NotSupported);
    const copy = new RunningStream(this.family, this.#key, this.#iv, false);
    copy.#offset = this.#offset;
    return copy;
  }

  dispose(): void {
    wipe(this.#key);
    wipe(this.#iv);
  }
}

/** A message of an AEAD. */
class RunningMessage implements RunningCipher {
  #left: number;

  constructor(
    readonly facts: CipherFacts,
    readonly encrypts: boolean,
    readonly message: RunningAead,
    left = facts.maxSource,
  ) {
    this.#left = left;
  }

  update(source: Uint8Array, target: Uint8Array): void {
    if (source.length > this.#left) refuse(Status.SourceTooLarge);
    this.#left -= source.length;
    if (this.encrypts) this.message.seal(source, target);
    else this.message.open(source, target, NOTHING);
  }

  finish(tag: Uint8Array, verify: boolean): void {
    if (verify === this.encrypts) refuse(Status.NotSupported);
    if (!fitsTag(this.facts, tag.length)) refuse(Status.TagSize);
    if (!verify) this.message.tag(tag);
    else if (!this.message.verify(tag)) refuse(Status.Authentication);
  }

  copy(): RunningMessage {
    // Two texts under one nonce reveal each other, and the key of the tag.
    if (this.encrypts) refuse(Status.NotSupported);
    return new RunningMessage(this.facts, false, this.message.copy(), this.#left);
  }

  dispose(): void {
    this.message.dispose();
  }
}

function begin(
  algorithm: number,
  encrypts: boolean,
  key: PreparedKey | Uint8Array,
  iv: Uint8Array,
  aad: Uint8Array,
): RunningCipher {
  const facts = ciphers[algorithm] ?? refuse(Status.Argument);
  const secret = key instanceof PreparedKey ? key.bytes : key;
  if (secret.length !== facts.keySize) refuse(Status.KeySize);
  if (!fitsIv(facts, iv.length)) refuse(Status.IvSize);
  if (aad.length > facts.maxAad) refuse(facts.aead ? Status.AadTooLarge : Status.NotSupported);
  if (!facts.aead) return new RunningStream(streamOf(facts), secret, iv, encrypts);
  const family = messageOf(facts);
  // It needs the whole message.
  if (family === modules.aesGcmSiv) refuse(Status.NotSupported);
  return new RunningMessage(facts, encrypts, new RunningAead(family, [secret, iv, aad]));
}

// key wrapping

/** Bytes that a wrapped key has more. */
const OVERHEAD = 8;

function wrap({ operation, numbers, secret, tag, target }: Work): Status {
  const padded = numbers[At.Count] === 1;
  if (![16, 24, 32].includes(secret.length)) refuse(Status.KeySize);
  if (operation === Operation.WrapKey) {
    if (target.length !== Math.ceil(tag.length / 8) * 8 + OVERHEAD) refuse(Status.OutputSize);
    const wrapped = wrapWith(modules.keyWrap, 'wrap', padded, secret, tag, target.length);
    target.set(wrapped);
    return Status.Done;
  }
  // The last byte is for the size of the padding.
  if (target.length - 1 + OVERHEAD !== tag.length) refuse(Status.OutputSize);
  const found = wrapWith(modules.keyWrap, 'unwrap', padded, secret, tag, target.length - 1);
  if (found.length === 0) return Status.Authentication;
  target.fill(0);
  target.set(found);
  target[target.length - 1] = target.length - 1 - found.length;
  wipe(found as Secret);
  return Status.Done;
}

/** Nanoseconds of a block of key wrapping. */
const WRAP_NS = 500;

function checkWrap({ numbers, target }: Work): Needs {
  const padding = numbers[At.Count]!;
  if (padding !== 0 && padding !== 1) refuse(Status.Cost);
  return { cost: WRAP_NS + WRAP_NS * 6 * Math.ceil(target.length / 8), memory: 0 };
}

/** Provides the operations of ciphers. */
export function provideCiphers(): void {
  const families = ({ algorithm }: Work): readonly Family<object>[] => {
    const facts = ciphers[algorithm]!;
    const family = facts.aead ? messageOf(facts) : streamOf(facts);
    return family === modules.xaesGcm ? [family, modules.aesCtr] : [family];
  };
  provide([Operation.Encrypt, Operation.Decrypt, Operation.Seal, Operation.Open], {
    run,
    families,
  });
  provide([Operation.SealChunks, Operation.OpenChunks], {
    run: (work, slowly) => (slowly ? chunks(work) : ended(chunks(work))),
    families,
  });
  provide([Operation.CipherUpdate], { run: () => refuse(Status.Argument), families, begin });
  provide([Operation.WrapKey, Operation.UnwrapKey], {
    run: wrap,
    families: () => [modules.keyWrap],
    check: checkWrap,
  });
}
