/** createCipher and createDecipher: from algorithm and options to a cipher. */
import { options as optionsObject } from '../base/arguments.js';
import { failure, makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { isUint8Array } from '../base/intrinsics.js';
import { At, frame } from '../base/frame.js';
import { SecretCopy, wipeCopy } from '../base/secret-copy.js';
import { cipherFacts, type CipherAlgorithm } from '../catalog/catalog.js';
import type { CipherFacts } from '../catalog/facts.js';
import {
  localEngines,
  readEnginePreference,
  withKeyEngines,
  type EnginePreference,
} from '../engines/engines.js';
import { appendedTagSize, readAad, readCipherKey, readIv } from '../operations/cipher-arguments.js';
import { Cipher, Decipher, inside } from './cipher.js';
import { HeldText } from './held.js';
import {
  cipherTakes,
  decipherTakes,
  type CreateCipherOptions,
  type CreateDecipherOptions,
} from './options.js';
import { RunningCipher } from './running.js';
import { copiedTag, noTag } from './tag.js';

/**
 * Creates a cipher that encrypts a message incrementally: `update` returns the ciphertext of each
 * piece, `final` ends the message, and `authTag` is the tag of an AEAD. Any division of the message
 * gives the bytes of one call. It is also a stream.Transform. Sealed streams (`sealStream` of
 * `millrace/promises`) are the better choice where no format is given: they need no nonce, and
 * their reader gets verified bytes only.
 *
 * @example
 * ```js
 * import { createCipher, generateKey, randomBytes } from 'millrace';
 *
 * const options = {
 *   key: generateKey('aes-256-gcm'),
 *   iv: randomBytes(12),
 * };
 * const cipher = createCipher('aes-256-gcm', options);
 * const text = [
 *   cipher.update('attack '),
 *   cipher.update('at dawn'),
 *   cipher.final(),
 * ];
 * const tag = cipher.authTag;
 * ```
 *
 * @param algorithm `aes-128-ctr`, `aes-192-ctr`, `aes-256-ctr`, `chacha20`, `aes-128-gcm`,
 *   `aes-192-gcm`, `aes-256-gcm`, `xaes-256-gcm`, `chacha20-poly1305` or `xchacha20-poly1305`
 * @throws MillraceError ERR_UNKNOWN_ALGORITHM, ERR_ARGUMENT_TYPE, ERR_ARGUMENT_VALUE,
 *   ERR_MISSING_ARGUMENT, ERR_KEY_SIZE, ERR_IV_SIZE, ERR_TAG_SIZE, ERR_SOURCE_SIZE,
 *   ERR_KEY_DISPOSED, ERR_KEY_ALGORITHM, ERR_ENGINE_UNAVAILABLE
 */
export function createCipher(algorithm: CipherAlgorithm, options: CreateCipherOptions): Cipher {
  if (arguments.length > 2) refuseSurplus(arguments, 2, 'createCipher(algorithm, { key, nonce })');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'createCipher needs an algorithm and options');
  const facts = piecesFacts(algorithm);
  const given = optionsObject<CreateCipherOptions>(options, 'options', cipherTakes);
  return new Cipher(inside, begin(facts, true, given), given);
}

/**
 * Creates a decipher that decrypts a message incrementally. An AEAD's plaintext is held until
 * `final` has checked the tag, at most 64 MiB (ERR_HELD_LIMIT): read long messages with
 * `openStream` of `millrace/promises`, or state with `unverified: true` that you handle bytes that
 * an attacker may have changed.
 *
 * @example
 * ```js
 * import {
 *   createCipher,
 *   createDecipher,
 *   generateKey,
 *   randomBytes,
 * } from 'millrace';
 *
 * const options = {
 *   key: generateKey('aes-256-gcm'),
 *   iv: randomBytes(12),
 * };
 * const cipher = createCipher('aes-256-gcm', options);
 * const text = Buffer.concat([
 *   cipher.update('attack at dawn'),
 *   cipher.final(),
 * ]);
 *
 * const { authTag } = cipher;
 * const decipher = createDecipher('aes-256-gcm', { ...options, authTag });
 * decipher.update(text);
 * decipher.final().toString(); // throws ERR_AUTHENTICATION if it was changed
 * ```
 *
 * @param algorithm as for {@link createCipher}
 * @throws MillraceError as {@link createCipher}
 */
export function createDecipher(
  algorithm: CipherAlgorithm,
  options: CreateDecipherOptions,
): Decipher {
  if (arguments.length > 2)
    refuseSurplus(arguments, 2, 'createDecipher(algorithm, { key, nonce, authTag })');
  if (arguments.length < 2)
    throw makeError('ERR_MISSING_ARGUMENT', 'createDecipher needs an algorithm and options');
  const facts = piecesFacts(algorithm);
  const given = optionsObject<CreateDecipherOptions>(options, 'options', decipherTakes);
  return new Decipher(inside, begin(facts, false, given), given);
}

/** Returns the facts of a cipher that can process a message incrementally. */
function piecesFacts(algorithm: unknown): CipherFacts {
  const facts = cipherFacts(algorithm);
  if (!facts.name.endsWith('-siv')) return facts;
  throw makeError(
    'ERR_ARGUMENT_VALUE',
    `algorithm: ${facts.name} needs the whole message: use seal and open`,
  );
}

function begin(facts: CipherFacts, encrypt: boolean, given: CreateDecipherOptions): RunningCipher {
  // All getters run here, before any memory is read.
  const { key, nonce, iv, aad, authTagLength, authTag, unverified, engine } = given;
  const asked = readEnginePreference(engine);
  if (nonce === undefined && iv === undefined)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      `${encrypt ? 'createCipher' : 'createDecipher'} needs options.nonce or options.iv`,
    );
  if (nonce !== undefined && iv !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.nonce and options.iv exclude each other');
  if (authTagLength !== undefined && !facts.aead) throw noTag('options.authTagLength', facts);
  if (unverified !== undefined && !facts.aead) throw noTag('options.unverified', facts);
  const tagSize = facts.aead ? appendedTagSize(authTagLength, facts) : 0;
  if (unverified !== undefined && typeof unverified !== 'boolean')
    throw wrongType('options.unverified', 'a boolean', unverified);
  const first = iv === undefined ? readIv(nonce, facts, 'nonce') : readIv(iv, facts, 'iv');
  const extra = readAad(aad, facts);
  const tag = authTag === undefined ? undefined : copiedTag(authTag, facts, tagSize);
  const secret = readCipherKey(key, facts, asked);
  try {
    const held = encrypt || !facts.aead || unverified === true ? undefined : new HeldText();
    const raw = SecretCopy.is(secret) ? secret.bytes : isUint8Array(secret) ? secret : undefined;
    const preference = enginesFor(raw === undefined ? (secret as EnginePreference) : asked, asked);
    const local = localEngines(preference, `incremental ${facts.name}`);
    const server = local.engines[0]!;
    frame[At.Key] = local.handles?.[0] ?? 0;
    const handle = server.binding.createCipher(facts.id, encrypt ? 1 : 0, first, extra, raw);
    if (handle < 0) throw failure(-handle);
    const immediate = held === undefined;
    const setup = { facts, encrypt, tagSize, immediate, engine: server };
    const running = new RunningCipher(setup, handle, held);
    running.tag = tag;
    return running;
  } finally {
    wipeCopy(secret);
  }
}

function enginesFor(
  given: EnginePreference | undefined,
  asked: EnginePreference | undefined,
): EnginePreference | undefined {
  return given === undefined || given === asked || asked === undefined
    ? given
    : withKeyEngines(given, asked);
}
