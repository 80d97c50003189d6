/** A part of a sealed stream: its chunks are opened apart from the others. */
import { openRangeOptionNames } from '../base/option-names.js';
import { options as given, part, sizeOf, type Data } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import type { KeyInput } from '../request/key-input.js';
import { accepted, type Accepted } from '../base/options.js';
import { secretCopy, wipe, type Secret } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import type { Buffer } from '#platform/base/runtime.js';
import {
  CHUNK_SIZE,
  CHUNKS_MAX,
  HEADER_SIZE,
  InputKey,
  notCommitted,
  SALT_SIZE,
  SEALED_CHUNK_SIZE,
  TAG_SIZE,
} from './chunk-format.js';
import { rangeReader } from './range-reader.js';
import type { ReadRange } from '../calls/outboards.js';

/** Options of {@link openRange}. */
export interface OpenRangeOptions {
  /** The algorithm of the stream. */
  readonly algorithm: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  /** The key of the stream; copied at the call, and the copy is wiped. */
  readonly key: KeyInput;
  /** The context of the stream, if it has one. */
  readonly context?: Data;
  /** Aborting rejects when `read` has returned. */
  readonly signal?: AbortSignal | undefined;
  /** The first byte of the message; 0 by default. */
  readonly start?: number | undefined;
  /** The byte after the last one. Fewer bytes are returned if the message ends before it. */
  readonly end: number;
}

const takes: Accepted<keyof OpenRangeOptions> = accepted(
  'openRange(read, options)',
  openRangeOptionNames,
);

// functions/promises/sealed.ts documents this function.
export async function openRange(read: unknown, options: unknown): Promise<Buffer> {
  if (typeof read !== 'function') throw wrongType('read', 'a function', read);
  const settings = given<OpenRangeOptions>(options, 'options', takes);
  const { algorithm, key, context } = settings;
  const { start, end, take } = rangeReader(read as ReadRange, settings, CHUNKS_MAX * CHUNK_SIZE);
  const input = new InputKey(algorithm, key, context);
  try {
    const header = await take(0, HEADER_SIZE);
    if (sizeOf(header) < HEADER_SIZE)
      throw makeError('ERR_TRUNCATED', 'the stream ends in its header');
    const message = input.derive(part(header, 0, SALT_SIZE));
    try {
      if (!message.committed(part(header, SALT_SIZE, HEADER_SIZE - SALT_SIZE)))
        throw notCommitted();
      const first = Math.floor(start / CHUNK_SIZE);
      const wanted = Math.ceil(end / CHUNK_SIZE) - first;
      const place = HEADER_SIZE + first * SEALED_CHUNK_SIZE;
      const sealed = await take(place, place + wanted * SEALED_CHUNK_SIZE);
      const size = sizeOf(sealed);
      const count = Math.ceil(size / SEALED_CHUNK_SIZE);
      // Every message ends with a chunk that is not full.
      const rest = size - Math.floor(size / SEALED_CHUNK_SIZE) * SEALED_CHUNK_SIZE;
      if ((count < wanted && rest === 0) || (rest > 0 && rest < TAG_SIZE))
        throw makeError('ERR_TRUNCATED', 'the stream ends before its last chunk');
      if (count === 0) return secretResult(0);
      // Copied: the caller may change the bytes while a worker verifies and decrypts them. Not
      // slice, which Buffer overrides.
      const opened = secretResult(size - count * TAG_SIZE);
      await message.open(first, count, secretCopy(sealed), false, opened);
      return cut(opened, start - first * CHUNK_SIZE, end - first * CHUNK_SIZE);
    } finally {
      message.dispose();
    }
  } finally {
    input.dispose();
  }
}

/** Returns a part of opened chunks in memory of its own, as they have plaintext outside of it. */
export function cut(opened: Secret<Buffer>, start: number, end: number): Buffer {
  const range = opened.subarray(Math.min(start, opened.length), end);
  if (range.length === opened.length) return opened;
  try {
    const result = secretResult(range.length);
    result.set(range);
    return result;
  } finally {
    wipe(opened);
  }
}
