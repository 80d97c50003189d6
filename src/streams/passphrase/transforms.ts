/** Sealing and opening with a passphrase as web streams. */
import type { Bytes } from '../../request/arguments.js';
import type { Buffer } from '#platform/runtime.js';
import type { TransformStream } from '#platform/stream-types.js';
import { transformStream } from '../sealed-streams.js';
import { openingSettings, sealingSettings } from './parameters.js';
import { PassphraseOpeningPump, PassphraseSealingPump } from './pumps.js';

export { openWithPassphrase, sealWithPassphrase } from './pumps.js';

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
