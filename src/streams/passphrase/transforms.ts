/** Sealing and opening files, with a passphrase or a key, as web streams. */
import type { Bytes } from '../../base/arguments.js';
import type { Buffer } from '#platform/base/runtime.js';
import type { TransformStream } from '#platform/base/stream-types.js';
import { transformStream } from '../sealed-streams.js';
import {
  keyOpeningSettings,
  keySealingSettings,
  openingSettings,
  sealingSettings,
} from './parameters.js';
import {
  KeyOpeningPump,
  keySealingPump,
  PassphraseOpeningPump,
  PassphraseSealingPump,
} from './pumps.js';

export { openWithKey, openWithPassphrase, sealWithKey, sealWithPassphrase } from './pumps.js';

export function sealTransformStreamWithPassphrase(
  passphrase: unknown,
  options: unknown,
): TransformStream<Bytes, Buffer> {
  const settings = sealingSettings(options, true);
  return transformStream(settings, (sink) => new PassphraseSealingPump(sink, passphrase, settings));
}

export function openTransformStreamWithPassphrase(
  passphrase: unknown,
  options: unknown,
): TransformStream<Bytes, Buffer> {
  const settings = openingSettings(options, true);
  return transformStream(settings, (sink) => new PassphraseOpeningPump(sink, passphrase, settings));
}

export function sealTransformStreamWithKey(
  key: unknown,
  options: unknown,
): TransformStream<Bytes, Buffer> {
  const settings = keySealingSettings(options, true);
  return transformStream(settings, (sink) => keySealingPump(sink, key, settings));
}

export function openTransformStreamWithKey(
  key: unknown,
  options: unknown,
): TransformStream<Bytes, Buffer> {
  const settings = keyOpeningSettings(options, true);
  return transformStream(settings, (sink) => new KeyOpeningPump(sink, key, settings));
}
