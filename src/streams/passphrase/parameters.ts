/** The options of sealing and opening files, with a passphrase or a key. */
import { options as optionsOf, unsigned } from '../../base/arguments.js';
import { abortSignal } from '../../scheduling/run.js';
import { makeError, wrongType } from '../../base/errors.js';
import { derivationNames, type DerivationCallOptions } from '../../kdf/derive.js';
import { accepted, type Accepted } from '../../base/options.js';
import type { HeaderLimits } from './derive-key.js';
import type { SealingAlgorithm } from '../sealed-file-header.js';

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

const { signal, onProgress } = derivationNames;
const sealing = { algorithm: true, N: true, signal, onProgress } as const;
const opening = { maxMemory: true, maxTime: true, signal, onProgress } as const;

const sealTakes: Accepted<keyof SealWithPassphraseOptions> = accepted(
  'sealWithPassphrase(passphrase, data)',
  sealing,
);
const openTakes: Accepted<keyof OpenWithPassphraseOptions> = accepted(
  'openWithPassphrase(passphrase, data)',
  opening,
);
const sealStreamTakes: Accepted<keyof (SealWithPassphraseOptions & PassphraseStreamOptions)> =
  accepted('sealStreamWithPassphrase(passphrase)', { ...sealing, highWaterMark: true });
const openStreamTakes: Accepted<keyof (OpenWithPassphraseOptions & PassphraseStreamOptions)> =
  accepted('openStreamWithPassphrase(passphrase)', { ...opening, highWaterMark: true });
const keySealTakes: Accepted<keyof SealWithKeyOptions> = accepted('sealWithKey(key, data)', {
  algorithm: true,
  signal,
});
const keyOpenTakes: Accepted<keyof OpenWithKeyOptions> = accepted('openWithKey(key, data)', {
  signal,
});
const keySealStreamTakes: Accepted<keyof (SealWithKeyOptions & PassphraseStreamOptions)> = accepted(
  'sealStreamWithKey(key)',
  { algorithm: true, signal, highWaterMark: true },
);
const keyOpenStreamTakes: Accepted<keyof (OpenWithKeyOptions & PassphraseStreamOptions)> = accepted(
  'openStreamWithKey(key)',
  { signal, highWaterMark: true },
);

/** Checked options. */
interface Settings {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: DerivationCallOptions['onProgress'];
  readonly highWaterMark: number;
}

export interface SealSettings extends Settings {
  readonly algorithm: SealingAlgorithm;
  readonly N: number;
}

export interface OpenSettings extends Settings, HeaderLimits {}

export type KeyOpenSettings = Omit<Settings, 'onProgress'>;

export interface KeySealSettings extends KeyOpenSettings {
  readonly algorithm: SealingAlgorithm;
}

const DEFAULT_N = 2 ** 17;
const N_MIN = 2 ** 10;
const N_MAX = 2 ** 20;
/** Enough for N = 2^18 and r = 8. */
const MEMORY_MAX_BYTES = 272 * 1024 * 1024;
const TIME_MAX_MS = 5000;
const HIGH_WATER_MARK = 2 ** 20;

export function sealingSettings(options: unknown, stream: boolean): SealSettings {
  const given = optionsOf<SealWithPassphraseOptions & PassphraseStreamOptions>(
    options,
    'options',
    (stream ? sealStreamTakes : sealTakes) as typeof sealStreamTakes,
  );
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
  const given = optionsOf<SealWithKeyOptions & PassphraseStreamOptions>(
    options,
    'options',
    (stream ? keySealStreamTakes : keySealTakes) as typeof keySealStreamTakes,
  );
  return { ...common(given), algorithm: algorithmOf(given) };
}

export function keyOpeningSettings(options: unknown, stream: boolean): KeyOpenSettings {
  return common(
    optionsOf<OpenWithKeyOptions & PassphraseStreamOptions>(
      options,
      'options',
      (stream ? keyOpenStreamTakes : keyOpenTakes) as typeof keyOpenStreamTakes,
    ),
  );
}

export function openingSettings(options: unknown, stream: boolean): OpenSettings {
  const given = optionsOf<OpenWithPassphraseOptions & PassphraseStreamOptions>(
    options,
    'options',
    (stream ? openStreamTakes : openTakes) as typeof openStreamTakes,
  );
  const { maxMemory = MEMORY_MAX_BYTES, maxTime = TIME_MAX_MS } = given;
  return {
    ...common(given),
    maxMemory: unsigned(maxMemory, 'options.maxMemory'),
    maxTime: unsigned(maxTime, 'options.maxTime'),
  };
}

function common({
  signal: given,
  onProgress: callback,
  highWaterMark = HIGH_WATER_MARK,
}: PassphraseOptions & PassphraseStreamOptions): Settings {
  if (callback !== undefined && typeof callback !== 'function')
    throw wrongType('options.onProgress', 'a function', callback);
  if (unsigned(highWaterMark, 'options.highWaterMark') === 0)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.highWaterMark must be at least 1');
  return { signal: abortSignal(given), onProgress: callback, highWaterMark };
}
