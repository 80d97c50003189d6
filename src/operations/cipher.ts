/**
 * Cipher calls: seal and open (AEAD with the tag appended), and cipher, the general form, with
 * options or positional.
 */
import {
  cipherOptionNames,
  openOptionNames,
  sealOptionNames,
  targetOptionNames,
} from '../base/option-names.js';
import { surplusArguments, type Bytes, type Data } from '../base/arguments.js';
import { makeError } from '../base/errors.js';
import type { KeyInput } from '../request/key-input.js';
import type { Accepted } from '../base/options.js';
import { clearRequest, request, type Parser } from '../request/request.js';
import { cipherFacts } from '../catalog/catalog.js';
import type { EngineOptions, EnginePreference } from '../engines/engines.js';
import { routedSync, runFilled } from '../scheduling/run.js';
import { takes, type Takes } from '../scheduling/routes.js';
import { readCipher, readCipherPositional, readOpen, readSeal } from './cipher-readers.js';
import { provideCiphers } from '#platform/engines/parts.js';

provideCiphers();

/** Options of {@link seal}. Sizes are in bytes. */
export interface SealOptions extends EngineOptions {
  /**
   * The key: 16, 24 or 32 bytes, depending on the algorithm, or a key prepared for it. Copied at
   * the call.
   */
  readonly key: KeyInput;
  /**
   * The nonce: 12 bytes (24 for xchacha20-poly1305; GCM accepts 1 to 128). Never use one twice with
   * a key. Copied at the call. Without it `seal` generates a random nonce and puts it before the
   * ciphertext, where
   * `open` without a nonce reads it. Use xchacha20-poly1305 for that: its random nonces do not
   * repeat. With the 12-byte nonces of the others seal at most 2^32 messages with one key (NIST SP
   * 800-38D, 8.3); a prepared key counts them and then refuses with ERR_NONCE_LIMIT.
   */
  readonly nonce?: Bytes | undefined;
  /** The message. */
  readonly source: Data;
  /**
   * Additional authenticated data: authenticated, not encrypted, required again to open. Copied at
   * the call.
   */
  readonly aad?: Data;
  /** Size of the tag: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

/** Options of {@link open}. Sizes are in bytes. */
export interface OpenOptions extends EngineOptions {
  /** The key the message was sealed with. */
  readonly key: KeyInput;
  /**
   * The nonce the message was sealed with. Without it the source begins with the nonce, as `seal`
   * without a nonce returns it.
   */
  readonly nonce?: Bytes | undefined;
  /** The ciphertext with the tag appended, as seal returned it. */
  readonly source: Bytes;
  /** The additional authenticated data the message was sealed with. */
  readonly aad?: Data;
  /** Size of the tag at the end of the source: 16 by default; 12 to 16 for GCM. */
  readonly authTagLength?: number | undefined;
}

/** Options of {@link cipher}. Sizes are in bytes. */
export interface CipherOptions extends EngineOptions {
  /** True (or 1) to encrypt, false (or 0) to decrypt. */
  readonly encrypt: boolean | 0 | 1;
  /** The key, or a key prepared for the algorithm. Copied at the call. */
  readonly key: KeyInput;
  /**
   * The iv: 16 bytes for CTR and chacha20, 12 for GCM (1 to 128 are accepted) and
   * chacha20-poly1305, 24 for xchacha20-poly1305. Copied at the call.
   */
  readonly iv: Bytes;
  /** The text to encrypt or decrypt. */
  readonly source: Data;
  /** AEAD only: additional authenticated data. */
  readonly aad?: Data;
  /**
   * Required for an AEAD: written when encrypting, checked when decrypting. 16 bytes; 12 to 16 for
   * GCM.
   */
  readonly tag?: Bytes | undefined;
}

/**
 * Where to write the result instead of returning it. The call is then zero-copy: source and target
 * are lent.
 */
export interface TextTargetOptions<T extends Bytes | undefined = Bytes> {
  /**
   * Receives the result. It may be the source or overlap it. The call returns the number of bytes
   * written.
   */
  readonly target: T;
  /** The offset in the target, in bytes. Default: 0. */
  readonly targetOffset?: number | undefined;
}

/** `(algorithm, options)` of seal. */
export const sealParser: Parser = { fill: fillSeal, counts: [2], options: 1 };

type SealFields = SealOptions & Partial<TextTargetOptions>;
const sealTable: Takes<keyof SealFields> = takes(
  'seal(algorithm)',
  sealOptionNames,
  targetOptionNames,
);

function fillSeal(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('seal', given, count);
  readSeal(given[0], given[1], promised ? sealTable.promised : sealTable.plain);
}

/** Runs `seal(algorithm, options)` on the calling thread. */
export function sealSync(algorithm: unknown, given: object): unknown {
  return runOptions(readSeal, algorithm, given, sealTable.plain);
}

function runOptions(
  fill: typeof readSeal,
  algorithm: unknown,
  given: object,
  accepted: Accepted<any>,
): unknown {
  try {
    fill(algorithm, given, accepted);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

/** `(algorithm, options)` of open. */
export const openParser: Parser = { fill: fillOpen, counts: [2], options: 1 };

type OpenFields = OpenOptions & Partial<TextTargetOptions>;
const openTable: Takes<keyof OpenFields> = takes(
  'open(algorithm)',
  openOptionNames,
  targetOptionNames,
);

function fillOpen(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  needOptions('open', given, count);
  readOpen(given[0], given[1], promised ? openTable.promised : openTable.plain);
}

/** Runs `open(algorithm, options)` on the calling thread. */
export function openSync(algorithm: unknown, given: object): unknown {
  return runOptions(readOpen, algorithm, given, openTable.plain);
}

function needOptions(name: string, given: ArrayLike<unknown>, count: number): void {
  if (count !== 2 || given[1] === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', `${name} needs an algorithm and an options object`);
}

/** `(algorithm, options)`, or 5 arguments, or 7 with aad and tag. */
export const cipherParser: Parser = { fill: fillCipher, counts: [2, 5, 7], options: 1 };

type CipherFields = CipherOptions & Partial<TextTargetOptions>;
const cipherTable: Takes<keyof CipherFields> = takes(
  'cipher(algorithm)',
  cipherOptionNames,
  targetOptionNames,
);

function fillCipher(
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
): void {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2) {
    if (given[1] === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', 'cipher needs an options object');
    readCipher(facts, given[1], promised ? cipherTable.promised : cipherTable.plain);
  } else if (count === 5 || count === 7) readCipherPositional(facts, given, count, asked);
  else throw surplusArguments('cipher takes 2, 5 or 7 arguments', count);
}
