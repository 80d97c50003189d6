/** The options of sealing and opening with a passphrase. */
import { options as optionsOf, unsigned } from '../../request/arguments.js';
import { abortSignal } from '../../scheduling/run.js';
import { makeError, wrongType } from '../../request/errors.js';
import { derivationNames, type DerivationCallOptions } from '../../kdf/derive.js';
import { accepted, type Accepted } from '../../request/options.js';
import type { HeaderLimits } from './derive-key.js';
import type { SealingAlgorithm } from './header.js';

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
  const { algorithm = 'aes-256-gcm', N: cost = DEFAULT_N } = given;
  const settings = common(given);
  if (algorithm !== 'aes-256-gcm' && algorithm !== 'chacha20-poly1305') {
    if (typeof algorithm !== 'string') throw wrongType('options.algorithm', 'a string', algorithm);
    throw makeError(
      'ERR_UNKNOWN_ALGORITHM',
      "options.algorithm must be 'aes-256-gcm' or 'chacha20-poly1305'",
    );
  }
  const N = unsigned(cost, 'options.N');
  if (N < N_MIN || N > N_MAX || 2 ** Math.round(Math.log2(N)) !== N) {
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `options.N must be a power of two from 2^10 to 2^20, not ${N}`,
    );
  }
  return { ...settings, algorithm, N };
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
