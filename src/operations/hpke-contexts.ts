/**
 * The contexts of HPKE (RFC 9180). A prepared key seals or opens the messages as every other does;
 * a context numbers them, and derives secrets from a prepared key of HMAC.
 */
import {
  argument,
  bytes,
  data,
  joined,
  NO_BYTES,
  part,
  sizeOf,
  type Bytes,
  type Data,
} from '../base/arguments.js';
import { makeError, refuseSurplus } from '../base/errors.js';
import { between } from '../base/numbers.js';
import {
  secretCopy,
  secretMemory,
  wipe,
  wipeWhenCollected,
  type Secret,
} from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { Unclonable } from '../base/unclonable.js';
import type { CipherFacts, HashFacts } from '../catalog/facts.js';
import type { EnginePreference } from '../engines/engines.js';
import type { Key } from '../request/key.js';
import { deferWipe } from '../request/request.js';
import { countCopies } from '../scheduling/copies.js';
import { runPromise, runSync } from '../scheduling/run.js';
import { openParser, sealParser } from './cipher.js';
import { hmacSync } from './digest-sync.js';
import { cipherTarget, macTarget, prepareKey } from './key.js';
import { utf8, type Buffer } from '#platform/base/runtime.js';

/** The bytes of an AEAD's nonce and tag. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;

/** What a context computes with. */
export interface Suite {
  readonly hash: HashFacts;
  /** Undefined for a context that exports secrets only. */
  readonly aead: CipherFacts | undefined;
  /** IANA's numbers of the KEM, the KDF and the AEAD. */
  readonly numbers: readonly number[];
  /** The bytes of an encapsulated key. */
  readonly encapsulatedSize: number;
  /** The engine that has the recipient's key. */
  readonly preference: EnginePreference;
}

/** The state of a context. */
interface State {
  readonly suite: Suite;
  readonly key: Key | undefined;
  readonly exporter: Key;
  readonly baseNonce: Secret;
  /** The number of the next message. */
  sequence: number;
  /** The asynchronous opens that have not ended. */
  pending: number;
  /** Ends with the last of them, and never fails. */
  last: Promise<unknown>;
}

/** Returns the state for the secrets that the engine has derived, which the caller wipes. */
export function newState(suite: Suite, secrets: Uint8Array): State {
  const { aead, hash, preference } = suite;
  const size = aead?.keySize ?? 0;
  const key = aead && prepareKey(cipherTarget(aead), part(secrets, 0, size), preference);
  const exporter = part(secrets, size + NONCE_BYTES, hash.digestSize);
  return {
    suite,
    key,
    exporter: prepareKey(macTarget(hash), exporter, preference),
    baseNonce: secretCopy(part(secrets, size, NONCE_BYTES)),
    sequence: 0,
    pending: 0,
    last: Promise.resolve(),
  };
}

/** Returns the state of a context. The class sets it, which alone can read the private field. */
let stateOf: (context: HpkeContext) => State;

/** What the contexts of sender and recipient have in common. */
export abstract class HpkeContext extends Unclonable {
  readonly #state: State;

  /** @internal */
  constructor(state: State) {
    super();
    this.#state = state;
    wipeWhenCollected(this, state.baseNonce);
  }

  /**
   * Derives a secret that both sides have, in its own ArrayBuffer.
   *
   * @param label the purpose of the secret: bytes or a string
   * @param size bytes, at most 255 digests
   * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
   *   ERR_KEY_DISPOSED
   */
  export(label: Data, size: number): Buffer {
    if (arguments.length > 2) refuseSurplus(arguments, 2, 'export(label, size)');
    if (arguments.length < 2) throw makeError('ERR_MISSING_ARGUMENT', 'export needs (label, size)');
    const { suite, exporter } = this.#state;
    if (exporter.disposed) throw disposed();
    const wanted = between(size, 1, 255 * suite.hash.digestSize, 'size');
    const text = data(label, 'label');
    const info = joined(
      [
        bigEndian([wanted]),
        utf8('HPKE-v1HPKE'),
        bigEndian(suite.numbers),
        utf8('sec'),
        part(text, 0, sizeOf(text)),
      ],
      secretMemory,
    );
    return expand(exporter, suite.hash, info, wanted);
  }

  /** True once `dispose` was called; the context then fails with ERR_KEY_DISPOSED. */
  get disposed(): boolean {
    return this.#state.exporter.disposed;
  }

  /**
   * Wipes the keys. Messages on their way still complete; opens that wait for others fail. Calling
   * it again does nothing.
   */
  dispose(): void {
    if (arguments.length > 0) refuseSurplus(arguments, 0, 'dispose()');
    const { key, exporter, baseNonce } = this.#state;
    key?.dispose();
    exporter.dispose();
    wipe(baseNonce);
  }

  /** Does the same as `dispose`, for `using sender = createHpkeSender(...)`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  static {
    stateOf = (context) => context.#state;
  }
}

/** Seals messages for a recipient; made by {@link createHpkeSender}. */
export class HpkeSender extends HpkeContext {
  /** What the recipient needs beside its private key, to be sent once. */
  readonly encapsulatedKey: Buffer;

  /** @internal */
  constructor(state: State, encapsulatedKey: Buffer) {
    super(state);
    this.encapsulatedKey = encapsulatedKey;
  }

  /**
   * Encrypts the next message. Returns the ciphertext and the tag after it.
   *
   * @param plaintext bytes or a string (UTF-8)
   * @param aad what is authenticated but not encrypted: bytes or a string
   * @throws MillraceError ERR_MISSING_ARGUMENT, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
   *   ERR_KEY_DISPOSED; ERR_NONCE_LIMIT after 2^53 - 1 messages
   */
  seal(plaintext: Data, aad?: Data): Buffer;
  seal(): unknown {
    return runSync(sealParser.fill, sealing(stateOf(this), 'seal', arguments), 2);
  }

  /**
   * Encrypts the next message asynchronously. Its number is taken at the call, so that several can
   * be on their way; arguments are copied.
   */
  sealAsync(plaintext: Data, aad?: Data): Promise<Buffer>;
  sealAsync(): Promise<unknown> {
    try {
      const given = sealing(stateOf(this), 'sealAsync', arguments);
      return runPromise(undefined, sealParser.fill, given, 2);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }
}

/** Opens the messages of a sender in their order; made by {@link createHpkeRecipient}. */
export class HpkeRecipient extends HpkeContext {
  /**
   * Decrypts the next message. After an error the same message is expected.
   *
   * @param ciphertext what {@link HpkeSender.seal} returned
   * @param aad what the sender authenticated with it
   * @throws MillraceError as {@link HpkeSender.seal}; ERR_AUTHENTICATION if anything was changed,
   *   ERR_SOURCE_SIZE, ERR_CIPHER_BUSY
   */
  open(ciphertext: Bytes, aad?: Data): Buffer;
  open(): unknown {
    const state = stateOf(this);
    const message = messageOf(state, 'open', 'ciphertext', arguments);
    if (state.pending > 0)
      throw makeError(
        'ERR_CIPHER_BUSY',
        'asynchronous opens are on their way: await them, or use openAsync',
      );
    const opened = runSync(openParser.fill, numbered(state, message), 2);
    state.sequence += 1;
    return opened;
  }

  /**
   * Decrypts the next message asynchronously. Calls are served one after the other, in their order:
   * the number of a message depends on whether those before it were right. Arguments are copied;
   * the copies of calls that wait count as `queuedBytes`.
   */
  openAsync(ciphertext: Bytes, aad?: Data): Promise<Buffer>;
  openAsync(): Promise<unknown> {
    const state = stateOf(this);
    const start = ({ source, aad }: Message): Promise<unknown> =>
      runPromise(undefined, openParser.fill, numbered(state, { source, aad }), 2).then((opened) => {
        state.sequence += 1;
        return opened;
      });
    // Keeps the context, whose collection wipes the nonce, until the last open has ended.
    const ended = (): void => {
      stateOf(this).pending -= 1;
    };
    try {
      const message = messageOf(state, 'openAsync', 'ciphertext', arguments);
      const opened = state.pending === 0 ? start(message) : later(state, message, start);
      state.pending += 1;
      state.last = opened.then(ended, ended);
      return opened;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }
}

/** A message, whose bytes are the caller's. */
interface Message {
  readonly source: Uint8Array | string;
  readonly aad: Uint8Array;
}

function disposed(): Error {
  return makeError('ERR_KEY_DISPOSED', 'the context was disposed');
}

/** Reads the arguments of a call. */
function messageOf(
  { suite, exporter, sequence }: State,
  call: string,
  name: 'plaintext' | 'ciphertext',
  given: ArrayLike<unknown>,
): Message {
  if (given.length > 2) refuseSurplus(given, 2, `${call}(${name}[, options])`);
  if (given.length < 1) throw makeError('ERR_MISSING_ARGUMENT', `${call} needs a ${name}`);
  if (exporter.disposed) throw disposed();
  if (suite.aead === undefined)
    throw makeError('ERR_ARGUMENT_VALUE', `${call}: options.aead of the context is export-only`);
  if (sequence === Number.MAX_SAFE_INTEGER)
    throw makeError('ERR_NONCE_LIMIT', 'the context has numbered 2^53 - 1 messages: make another');
  const message = argument(given, 0);
  const aad = argument(given, 1);
  const extra = aad === undefined ? NO_BYTES : data(aad, 'aad');
  if (name === 'plaintext')
    return { source: typeof message === 'string' ? message : data(message, name), aad: extra };
  const source = bytes(message, name);
  checkCiphertext(sizeOf(source));
  return { source, aad: extra };
}

/** Checks that a ciphertext can hold a tag. */
export function checkCiphertext(size: number): void {
  if (size < TAG_BYTES)
    throw makeError(
      'ERR_SOURCE_SIZE',
      `ciphertext must hold at least the tag's ${TAG_BYTES} bytes, not ${size}`,
    );
}

/**
 * Starts with a copy of the message, which the caller may change, when the opens before it have
 * ended. Until then the copy counts.
 */
function later(
  { last }: State,
  { source, aad }: Message,
  start: (message: Message) => Promise<unknown>,
): Promise<unknown> {
  const copy = { source: secretCopy(source as Uint8Array), aad: secretCopy(aad) };
  const bytes = copy.source.length + copy.aad.length;
  countCopies(bytes);
  return last.then(() => {
    countCopies(-bytes);
    return start(copy);
  });
}

/** Returns the arguments that seal or open the next message. */
function numbered({ suite, key, baseNonce, sequence }: State, { source, aad }: Message): unknown[] {
  const nonce = secretCopy(baseNonce);
  deferWipe(nonce);
  for (let at = NONCE_BYTES - 1, rest = sequence; rest > 0; at -= 1, rest = Math.floor(rest / 256))
    nonce[at]! ^= rest % 256;
  return [suite.aead!.name, { __proto__: null, key, nonce, source, aad }];
}

/** Returns the arguments that seal the next message, and counts it: no failure uses it again. */
function sealing(state: State, call: string, given: ArrayLike<unknown>): unknown[] {
  const numberedCall = numbered(state, messageOf(state, call, 'plaintext', given));
  state.sequence += 1;
  return numberedCall;
}

/** Returns numbers of two bytes each. */
function bigEndian(numbers: readonly number[]): Uint8Array {
  return Uint8Array.from(numbers.flatMap((number) => [number >> 8, number & 255]));
}

/** Returns `size` bytes of HKDF-Expand (RFC 5869) with a prepared key of HMAC. */
function expand(key: Key, { name, digestSize }: HashFacts, info: Secret, size: number): Buffer {
  const secret = secretResult(size);
  const target = secretMemory(digestSize);
  // The last digest, the info and the number of the next digest.
  const input = secretMemory(digestSize + info.length + 1);
  try {
    input.set(info, digestSize);
    for (let at = 0; at < size; at += digestSize) {
      input[input.length - 1]! += 1;
      const source = at === 0 ? part(input, digestSize, info.length + 1) : input;
      hmacSync(name, key, source, { __proto__: null, target });
      input.set(target);
      secret.set(part(target, 0, Math.min(digestSize, size - at)), at);
    }
    return secret;
  } finally {
    wipe(input);
    wipe(target);
  }
}
