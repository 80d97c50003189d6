/**
 * Derives a key from a passphrase with scrypt, within limits on memory and time where an untrusted
 * header sets the parameters.
 */
import { data, sizeOf } from '../../base/arguments.js';
import { defaultEngine } from '../../engines/engines.js';
import { makeError } from '../../base/errors.js';
import { scryptPromise } from '../../kdf/password-derivations.js';
import { scryptMemory } from '../../base/kdf-costs.js';
import { secretCopy, wipe, type Secret } from '../../base/secret-memory.js';
import { secretText } from '../../base/secret-results.js';
import type { Buffer } from '#platform/base/runtime.js';
import { KEY_SIZE, type HeaderScrypt } from '../sealed-file-header.js';
import type { DerivationProgress } from '../../calls/derivations.js';

/** The limits on a header's parameters. */
export interface HeaderLimits {
  /** Bytes. */
  readonly maxMemory: number;
  /** Predicted milliseconds on one slow core. */
  readonly maxTime: number;
}

/** The abort signal and the progress callback of a derivation. */
export interface DerivationWatch {
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: DerivationProgress) => void) | undefined;
}

/**
 * Returns a passphrase as private bytes, to be wiped: text in Unicode's form C, so that every
 * keyboard produces the same bytes. Bytes that are not UTF-8 stay as they are.
 */
export function passphraseBytes(passphrase: unknown): Secret {
  const secret =
    typeof passphrase === 'string'
      ? secretText(passphrase.normalize('NFC'))
      : normalized(secretCopy(data(passphrase, 'passphrase')));
  if (sizeOf(secret) === 0) throw makeError('ERR_ARGUMENT_VALUE', 'passphrase must not be empty');
  return secret;
}

/**
 * Normalizes to Unicode's form C. ASCII is in that form. Only other text becomes a string, which
 * cannot be wiped: JavaScript normalizes nothing else.
 */
function normalized(given: Secret): Secret {
  if (given.every((byte) => byte < 0x80)) return given;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(given);
  } catch {
    return given;
  }
  wipe(given);
  return secretText(text.normalize('NFC'));
}

/**
 * Refuses a header above the limits.
 *
 * @throws MillraceError ERR_MEMORY_LIMIT, ERR_WORK_LIMIT
 */
export function checkLimits(scrypt: HeaderScrypt, { maxMemory, maxTime }: HeaderLimits): void {
  const memory = scryptMemory(scrypt);
  if (memory > maxMemory) {
    throw makeError(
      'ERR_MEMORY_LIMIT',
      `the header asks for ${memory} bytes of memory to derive the key; options.maxMemory ` +
        `allows ${maxMemory}`,
    );
  }
  const time = milliseconds(scrypt);
  if (time > maxTime) {
    throw makeError(
      'ERR_WORK_LIMIT',
      `the header asks for about ${Math.ceil(time)} ms to derive the key; options.maxTime ` +
        `allows ${maxTime}`,
    );
  }
}

/** Predicts as for password hashes: crates/core/src/kdf/phc.rs. */
function milliseconds({ N, r, p }: HeaderScrypt): number {
  const nanoseconds = defaultEngine.engine.name === 'portable' ? 600 * N + 9600 : 200 * N + 3200;
  return (nanoseconds * r * p) / 1e6;
}

/** Derives the key and wipes the passphrase. */
export async function keyOf(
  passphrase: Secret,
  scrypt: HeaderScrypt,
  { signal, onProgress }: DerivationWatch,
): Promise<Secret<Buffer>> {
  const { N, r, p, salt } = scrypt;
  const watched = onProgress === undefined ? { signal } : { signal, onProgress };
  // Memory for lanes in addition to the table.
  const maxmem = scryptMemory(scrypt) + 2 ** 20;
  try {
    return (await scryptPromise([
      passphrase,
      salt,
      KEY_SIZE,
      { N, r, p, maxmem, ...watched },
    ])) as Secret<Buffer>;
  } finally {
    wipe(passphrase);
  }
}
