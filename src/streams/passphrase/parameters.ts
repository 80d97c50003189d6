/** The options of sealing and opening files, with a passphrase or a key. */
import {
  openWithKeyOptionNames,
  openWithPassphraseOptionNames,
  passphraseStreamOptionNames,
  sealWithKeyOptionNames,
  sealWithPassphraseOptionNames,
} from '../../base/option-names.js';
import { options as optionsOf, unsigned } from '../../base/arguments.js';
import { makeError, wrongType } from '../../base/errors.js';
import { accepted, type Accepted } from '../../base/options.js';
import type { HeaderLimits } from './derive-key.js';
import type { SealingAlgorithm } from '../sealed-file-header.js';
import { streamSettings, type StreamSettings } from '../sealed-streams.js';
import type { DerivationCallOptions } from '../../calls/derivations.js';

/** Options of both. */
interface PassphraseOptions {
  /** Aborting stops the derivation of the key, and the sealing or opening. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress of the key derivation, as for `scrypt`. */
  readonly onProgress?: DerivationCallOptions['onProgress'];
}

/** Options of sealing with a passphrase. */
export interface SealWithPassphraseOptions extends PassphraseOptions {
  /** `aes-256-gcm` by default; `chacha20-poly1305` is faster on CPUs without AES instructions. */
  readonly algorithm?: SealingAlgorithm | undefined;
  /**
   * scrypt's N, with r = 8 and p = 1: a power of two from 2^10 to 2^20; 2^17 by default, which
   * takes 128 MiB (OWASP).
   */
  readonly N?: number | undefined;
}

/** Limits on a sealed message from an untrusted source, checked before anything is opened. */
export interface OpenWithPassphraseOptions extends PassphraseOptions {
  /**
   * The most bytes of memory that the header may require for the key; 272 MiB by default, enough
   * for N = 2^18.
   */
  readonly maxMemory?: number | undefined;
  /**
   * The most milliseconds that the header may require, as predicted for one slow core; 5000 by
   * default.
   */
  readonly maxTime?: number | undefined;
}

/** Options of sealing with a key. */
export interface SealWithKeyOptions {
  /** `aes-256-gcm` by default; `chacha20-poly1305` is faster on CPUs without AES instructions. */
  readonly algorithm?: SealingAlgorithm | undefined;
  /** Aborting stops the sealing. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of opening with a key. */
export interface OpenWithKeyOptions {
  /** Aborting stops the opening. */
  readonly signal?: AbortSignal | undefined;
}

/** Additional options of streams. */
export interface PassphraseStreamOptions {
  /** Bytes that each side buffers before back-pressure; 1 MiB by default. */
  readonly highWaterMark?: number | undefined;
}

/** Returns a function that reads the options of a call, or of the stream that does the same. */
function reader<T extends object>(
  verb: 'seal' | 'open',
  secret: 'Passphrase' | 'Key',
  names: string,
): (options: unknown, stream: boolean) => T & PassphraseStreamOptions {
  const start = `With${secret}(${secret.toLowerCase()}`;
  const whole: Accepted<any> = accepted(`${verb}${start}, data)`, names);
  const streamed: Accepted<any> = accepted(
    `${verb}Stream${start})`,
    names,
    passphraseStreamOptionNames,
  );
  return (options, stream) => optionsOf(options, 'options', stream ? streamed : whole);
}

const readSealing = reader<SealWithPassphraseOptions>(
  'seal',
  'Passphrase',
  sealWithPassphraseOptionNames,
);
const readOpening = reader<OpenWithPassphraseOptions>(
  'open',
  'Passphrase',
  openWithPassphraseOptionNames,
);
const readKeySealing = reader<SealWithKeyOptions>('seal', 'Key', sealWithKeyOptionNames);
const readKeyOpening = reader<OpenWithKeyOptions>('open', 'Key', openWithKeyOptionNames);

/** Checked options. */
interface Settings extends StreamSettings {
  readonly onProgress: DerivationCallOptions['onProgress'];
}

export interface SealSettings extends Settings {
  readonly algorithm: SealingAlgorithm;
  readonly N: number;
}

export interface OpenSettings extends Settings, HeaderLimits {}

export interface KeySealSettings extends StreamSettings {
  readonly algorithm: SealingAlgorithm;
}

const DEFAULT_N = 2 ** 17;
const N_MIN = 2 ** 10;
const N_MAX = 2 ** 20;
/** Enough for N = 2^18 and r = 8. */
const MEMORY_MAX_BYTES = 272 * 1024 * 1024;
const TIME_MAX_MS = 5000;

export function sealingSettings(options: unknown, stream: boolean): SealSettings {
  const given = readSealing(options, stream);
  const { N: cost = DEFAULT_N } = given;
  const settings = common(given);
  const algorithm = algorithmOf(given);
  const N = unsigned(cost, 'options.N');
  if (N < N_MIN || N > N_MAX || 2 ** Math.round(Math.log2(N)) !== N) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N must be a power of two from 2^10 to 2^20, not ${N}`,
    );
  }
  return { ...settings, algorithm, N };
}

function algorithmOf({ algorithm = 'aes-256-gcm' }: SealWithKeyOptions): SealingAlgorithm {
  if (algorithm === 'aes-256-gcm' || algorithm === 'chacha20-poly1305') return algorithm;
  if (typeof algorithm !== 'string') throw wrongType('options.algorithm', 'a string', algorithm);
  throw makeError(
    'ERR_UNKNOWN_ALGORITHM',
    "options.algorithm must be 'aes-256-gcm' or 'chacha20-poly1305'",
  );
}

export function keySealingSettings(options: unknown, stream: boolean): KeySealSettings {
  const given = readKeySealing(options, stream);
  return { ...common(given), algorithm: algorithmOf(given) };
}

export function keyOpeningSettings(options: unknown, stream: boolean): StreamSettings {
  return common(readKeyOpening(options, stream));
}

export function openingSettings(options: unknown, stream: boolean): OpenSettings {
  const given = readOpening(options, stream);
  const { maxMemory = MEMORY_MAX_BYTES, maxTime = TIME_MAX_MS } = given;
  return {
    ...common(given),
    maxMemory: unsigned(maxMemory, 'options.maxMemory'),
    maxTime: unsigned(maxTime, 'options.maxTime'),
  };
}

function common(given: PassphraseOptions & PassphraseStreamOptions): Settings {
  const { onProgress: callback } = given;
  if (callback !== undefined && typeof callback !== 'function')
    throw wrongType('options.onProgress', 'a function', callback);
  return { ...streamSettings(given), onProgress: callback };
}
