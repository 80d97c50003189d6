/** The options of encrypting and decrypting files of age. */
import { options as optionsOf, type Data } from '../../base/arguments.js';
import { makeError, wrongType } from '../../base/errors.js';
import {
  ageDecryptOptionNames,
  ageEncryptOptionNames,
  ageRangeOptionNames,
  passphraseStreamOptionNames,
} from '../../base/option-names.js';
import { between } from '../../base/numbers.js';
import { accepted, type Accepted } from '../../base/options.js';
import type { PassphraseStreamOptions } from '../passphrase/parameters.js';
import { streamSettings, type StreamSettings } from '../sealed-streams.js';
import { readRecipients, textFrom } from './recipients.js';
import type { Recipient } from './x25519.js';

/** Options of encrypting, with recipients or a passphrase. */
export interface AgeEncryptOptions {
  /**
   * The recipients: `age1...` (X25519), `age1pq1...` (hybrid with ML-KEM-768) or public SSH keys
   * (`ssh-ed25519`, `ssh-rsa` of at least 2048 bits). A text may have many, one a line, with
   * comments that begin with `#`, as a file of recipients has them. Hybrid recipients cannot be
   * mixed with others, which a quantum computer could break.
   */
  readonly recipients?: string | readonly string[] | undefined;
  /** A passphrase in place of recipients: a string (UTF-8) or bytes, as they are. */
  readonly passphrase?: Data | undefined;
  /** The base-2 logarithm of scrypt's N, 1 to 22; 18 by default, which takes 256 MiB. */
  readonly workFactor?: number | undefined;
  /** True for text (PEM) in place of bytes. */
  readonly armor?: boolean | undefined;
  /** Aborting stops the encryption. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of decrypting. */
export interface AgeDecryptOptions {
  /**
   * The identities: `AGE-SECRET-KEY-1...`, `AGE-SECRET-KEY-PQ-1...`, one a line with comments, as
   * `age-keygen` writes them; or a private SSH key without passphrase (OpenSSH's format or PEM). A
   * string or bytes each, which become a string, which cannot be wiped.
   */
  readonly identities?: Data | readonly Data[] | undefined;
  /** The passphrase of files that have one. */
  readonly passphrase?: Data | undefined;
  /** The largest work factor of a passphrase that is accepted; 20 by default, which takes 1 GiB. */
  readonly maxWorkFactor?: number | undefined;
  /** Aborting stops the decryption. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of decrypting a part of a file. */
export interface AgeRangeOptions extends AgeDecryptOptions {
  /** The first byte of the message; 0 by default. */
  readonly start?: number | undefined;
  /** The byte after the last one. Fewer bytes are returned if the message ends before it. */
  readonly end: number;
}

type Streamed<Options> = Options & PassphraseStreamOptions;

const both = (call: string, names: string): [Accepted<any>, Accepted<any>] => [
  accepted(`${call}(data)`, names),
  accepted(`${call}Stream()`, names, passphraseStreamOptionNames),
];
const [encrypts, encryptsStream] = both('encrypt', ageEncryptOptionNames);
const [decrypts, decryptsStream] = both('decrypt', ageDecryptOptionNames);
const decryptsRange: Accepted<keyof AgeRangeOptions> = accepted(
  'decryptRange(read)',
  ageRangeOptionNames,
);

/** How a file is encrypted. */
export interface EncryptSettings extends StreamSettings {
  readonly recipients: readonly Recipient[];
  readonly passphrase: Data | undefined;
  readonly workFactor: number;
  readonly armor: boolean;
}

/** How a file is decrypted. */
export interface DecryptSettings {
  readonly identities: readonly string[];
  readonly passphrase: Data | undefined;
  readonly maxWorkFactor: number;
}

const WORK_FACTOR = 18;
/** Go's default limit for reading: 4 GiB. */
const WORK_FACTOR_MAX = 22;
const WORK_FACTOR_LIMIT = 20;

const factor = (value: unknown, name: string): number => between(value, 1, WORK_FACTOR_MAX, name);

export function encryptSettings(options: unknown, stream: boolean): EncryptSettings {
  const given = optionsOf<Streamed<AgeEncryptOptions>>(
    options,
    'options',
    stream ? encryptsStream : encrypts,
  );
  const { passphrase, workFactor = WORK_FACTOR, armor = false } = given;
  if (typeof armor !== 'boolean') throw wrongType('options.armor', 'a boolean', armor);
  const recipients = listOf<string>(given.recipients, 'options.recipients').flatMap(
    ([text, name]) => {
      if (typeof text !== 'string') throw wrongType(name, 'a string', text);
      return readRecipients(text, name);
    },
  );
  if ((passphrase === undefined) === (recipients.length === 0))
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'encrypting needs options.recipients or options.passphrase, and not both',
    );
  if (recipients.some((each) => each.isPostQuantum !== recipients[0]!.isPostQuantum))
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      'options.recipients: hybrid recipients (age1pq1...) cannot be mixed with others, which ' +
        'a quantum computer could break',
    );
  return {
    ...streamSettings(given),
    recipients,
    passphrase,
    workFactor: factor(workFactor, 'options.workFactor'),
    armor,
  };
}

function decryptionOf(given: AgeDecryptOptions): DecryptSettings {
  const { passphrase, maxWorkFactor = WORK_FACTOR_LIMIT } = given;
  const identities = listOf<Data>(given.identities, 'options.identities').map(([value, name]) =>
    textFrom(value, name),
  );
  if (passphrase === undefined && identities.length === 0)
    throw makeError(
      'ERR_MISSING_ARGUMENT',
      'decrypting needs options.identities or options.passphrase',
    );
  return {
    identities,
    passphrase,
    maxWorkFactor: factor(maxWorkFactor, 'options.maxWorkFactor'),
  };
}

export function decryptSettings(
  options: unknown,
  stream: boolean,
): DecryptSettings & StreamSettings {
  const given = optionsOf<Streamed<AgeDecryptOptions>>(
    options,
    'options',
    stream ? decryptsStream : decrypts,
  );
  return { ...decryptionOf(given), ...streamSettings(given) };
}

export function rangeSettings(
  options: unknown,
): DecryptSettings & Pick<AgeRangeOptions, 'start' | 'end' | 'signal'> {
  const given = optionsOf<AgeRangeOptions>(options, 'options', decryptsRange);
  return { ...given, ...decryptionOf(given), __proto__: null } as never;
}

/** Returns the elements of an option, or the only one, with their names. */
function listOf<T>(value: T | readonly T[] | undefined, name: string): [T, string][] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [[value as T, name]];
  return Array.from(value as T[], (each, index) => [each, `${name}[${index}]`]);
}
