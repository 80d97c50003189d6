/**
 * A sealed stream made by several workers: its header, and ranges of its chunks.
 *
 * A chunk's nonce follows from its number, so it must never seal two contents under one key. The
 * key of the stream follows from the salt, and the salt here from the content: another content has
 * other keys. A range has a check over its place and the BLAKE3 values of its content, made with
 * the input key; it is sealed only if the data give the same check.
 */
import { sealRangeNames, sealRangeOptionNames } from '../base/option-names.js';
import { bytes, options as given, part, sizeOf, unsigned } from '../base/arguments.js';
import { makeError, wrongType } from '../base/errors.js';
import { readItems } from '../base/iterables.js';
import { accepted, checkNames, isOptions, ownProperties, type Accepted } from '../base/options.js';
import { decodeBase64 } from '../base/secret-base64.js';
import { secretCopy, wipe } from '../base/secret-memory.js';
import { secretResult } from '../base/secret-results.js';
import { hashLent, joinPartsParser } from '../operations/parts.js';
import { abortSignal, runSync } from '../scheduling/run.js';
import { allocateApart, base64url, utf8, viewOf, type Buffer } from '#platform/base/runtime.js';
import type { HashPart, SealingPlan, SealRange, SealRangeOptions } from '../calls/parts.js';
import {
  CHUNK_SIZE,
  CHUNKS_MAX,
  HEADER_SIZE,
  InputKey,
  notCommitted,
  SALT_SIZE,
  SEALED_CHUNK_SIZE,
  TAG_SIZE,
  type MessageKey,
} from './chunk-format.js';

const planTakes: Accepted<keyof SealRangeOptions> = accepted(
  'planSealing(parts, options)',
  sealRangeOptionNames,
);
const sealTakes: Accepted<keyof SealRangeOptions> = accepted(
  'sealRange(range, data, options)',
  sealRangeOptionNames,
);
const properties: Accepted<keyof SealRange> = accepted('a range', sealRangeNames);

const VERSION = 1;
const CHECK_SIZE = 32;

/** Returns the number of chunks of a range. Every stream ends with one that is not full. */
function chunksOf({ offset, length, size }: Pick<SealRange, 'offset' | 'length' | 'size'>): number {
  return Math.floor(length / CHUNK_SIZE) + (offset + length === size ? 1 : 0);
}

const placeOf = (offset: number): number => HEADER_SIZE + (offset / CHUNK_SIZE) * SEALED_CHUNK_SIZE;

/** Returns the check of a range with this content. */
function checkOf(
  input: InputKey,
  header: Uint8Array,
  { offset, length, size, values }: HashPart,
): string {
  const content = utf8(`${offset} ${length} ${size} ${values}`);
  return base64url(
    viewOf(input.bind('sealed range v1', [header, content], CHECK_SIZE).slice().buffer),
  );
}

// functions/promises/sealed.ts documents these functions.
export async function planSealing(partsGiven: unknown, options: unknown): Promise<SealingPlan> {
  const parts = readItems(
    partsGiven,
    'parts',
    'an iterable of parts',
    (item, name) => ownProperties(item, name) as HashPart,
  );
  const settings = given<SealRangeOptions>(options, 'options', planTakes);
  const { algorithm, key, context } = settings;
  abortSignal(settings.signal)?.throwIfAborted();
  // Refuses parts that are not the results of hashPart, or no object together.
  const digest = runSync(joinPartsParser.fill, ['blake3', parts], 2) as Buffer;
  parts.sort((one, other) => one.offset - other.offset);
  const { size } = parts[0]!;
  if (Math.floor(size / CHUNK_SIZE) >= CHUNKS_MAX)
    throw makeError('ERR_SOURCE_SIZE', `a sealed stream holds less than ${CHUNKS_MAX} chunks`);
  const odd = parts.find(({ offset }) => offset % CHUNK_SIZE > 0);
  if (odd !== undefined)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `parts: to be sealed, each must begin at a multiple of ${CHUNK_SIZE} bytes, not at ` +
        String(odd.offset),
    );
  const input = new InputKey(algorithm, key, context);
  try {
    const salt = input.bind('sealed parts v1 salt', [digest, utf8(`${size}\0`)], SALT_SIZE);
    const message = input.derive(salt);
    const header = allocateApart(HEADER_SIZE);
    header.set(salt);
    header.set(message.commitment, SALT_SIZE);
    message.dispose();
    const text = base64url(header);
    const ranges = parts.map((each): SealRange => {
      const { offset, length } = each;
      const check = checkOf(input, header, each);
      return { version: VERSION, offset, length, size, at: placeOf(offset), header: text, check };
    });
    const sealedSize = placeOf(0) + size + (Math.floor(size / CHUNK_SIZE) + 1) * TAG_SIZE;
    return { header, sealedSize, ranges };
  } finally {
    input.dispose();
  }
}

/** A range that was read. */
type ReadRange = Pick<SealRange, 'offset' | 'length' | 'size' | 'check'> & { header: Uint8Array };

/** Reads a range, which may come from anywhere. */
function readRange(value: unknown): ReadRange {
  if (!isOptions(value)) throw wrongType('range', 'a range of planSealing', value);
  const own = ownProperties(value, 'range') as { [Name in keyof SealRange]?: unknown };
  checkNames(own, 'range', properties);
  const { version, header: text, check } = own;
  const [offset, length, size] = [
    unsigned(own.offset, 'range.offset'),
    unsigned(own.length, 'range.length'),
    unsigned(own.size, 'range.size'),
  ];
  const header = allocateApart(HEADER_SIZE);
  const fits =
    version === VERSION &&
    typeof text === 'string' &&
    typeof check === 'string' &&
    text.length === Math.ceil((HEADER_SIZE * 4) / 3) &&
    decodeBase64(text, 0, text.length, header, 0) === HEADER_SIZE &&
    offset % CHUNK_SIZE === 0 &&
    offset + length <= size &&
    (length % CHUNK_SIZE === 0 || offset + length === size);
  if (!fits)
    throw makeError('ERR_ARGUMENT_VALUE', 'range is not a range of planSealing, or is damaged');
  return { offset, length, size, check, header };
}

export async function sealRange(
  rangeGiven: unknown,
  dataGiven: unknown,
  options: unknown,
): Promise<Buffer> {
  const range = readRange(rangeGiven);
  const settings = given<SealRangeOptions>(options, 'options', sealTakes);
  const { algorithm, key, context } = settings;
  const signal = abortSignal(settings.signal);
  signal?.throwIfAborted();
  const source = bytes(dataGiven, 'data');
  const { offset, length, size, header } = range;
  if (sizeOf(source) !== length)
    throw makeError(
      'ERR_ARGUMENT_VALUE',
      `data must have range.length (${length}) bytes, not ${sizeOf(source)}`,
    );
  const input = new InputKey(algorithm, key, context);
  // What is sealed is what was hashed, whatever the caller does with its memory meanwhile.
  const copy = secretCopy(source);
  let message: MessageKey | undefined;
  try {
    message = input.derive(part(header, 0, SALT_SIZE));
    if (!message.committed(part(header, SALT_SIZE, HEADER_SIZE - SALT_SIZE))) throw notCommitted();
    const found = checkOf(input, header, await hashLent(copy, offset, size, signal));
    if (found !== range.check)
      throw makeError(
        'ERR_AUTHENTICATION',
        'authentication failed: data are not what the range was planned for, or the range was ' +
          'changed. Nothing was sealed: hash the object again and plan anew',
      );
    const count = chunksOf(range);
    const target = secretResult(length + count * TAG_SIZE);
    const isOver = (): boolean => signal?.aborted === true;
    const chunks = { first: offset / CHUNK_SIZE, count, last: false, isOver };
    await message.runs('seal', chunks, copy, target);
    signal?.throwIfAborted();
    return target;
  } finally {
    wipe(copy);
    message?.dispose();
    input.dispose();
  }
}
