// Reads the header of a sealed file (src/streams/sealed-file-header.ts has the format) and limits
// the memory and time that it may ask for.

'use strict';

const { FileError } = require('../ui.js');

const format = () => require('../../dist/streams/sealed-streams.js')['streams/sealed-file-header'];

/**
 * The most that a header may ask for to derive the key: the memory of scrypt with N = 2^20 and r =
 * 8 (1 GiB), and 30 s on one slow core.
 */
const limits = { maxMemory: 2 ** 30 + 2 ** 24, maxTime: 30_000 };

/**
 * Reads the header from the start of a file.
 *
 * @param {Pick<ReturnType<typeof import('./input.js').openInput>, 'take' | 'name' | 'size'>} input
 */
async function readHeader({ take, name, size }) {
  const { FIXED_SIZE, headerSize, isSealedFile, readHeader: read } = format();
  const refusal = (what) => new FileError(name, what);
  const orRefuse = (act, what) => {
    try {
      return act();
    } catch (error) {
      throw error.code === 'ERR_FORMAT' ? refusal(what) : error;
    }
  };
  const fixed = await refuseOther({ take, name });
  if (fixed.length < FIXED_SIZE || !isSealedFile(fixed)) {
    const known = fixed.length < FIXED_SIZE ? fixed.length : (size ?? Infinity);
    throw refusal(otherKind(known));
  }
  const whole = orRefuse(
    () => headerSize(fixed),
    `sealed in version ${fixed[8]} of the format; this millrace opens version 1: update it`,
  );
  const bytes = Buffer.concat([fixed, await take(whole - FIXED_SIZE)]);
  if (bytes.length < whole) throw refusal('truncated: the end of the header is missing');
  const damaged = 'the header is damaged: use another copy of the file';
  return orRefuse(() => read(bytes), damaged);
}

/**
 * Refuses what is no sealed file by a usual mistake, such as a key file. Returns the first bytes.
 *
 * @param {Pick<ReturnType<typeof import('./input.js').openInput>, 'take' | 'name'>} input
 */
async function refuseOther({ take, name }) {
  const { FIXED_SIZE, otherFormat } = format();
  const start = await take(FIXED_SIZE);
  const other = otherFormat(start);
  if (other !== undefined) throw new FileError(name, other);
  return start;
}

/** Describes a file of this size that does not begin as a sealed file does. */
function otherKind(size) {
  const { HEADER_SIZE, SEALED_CHUNK_SIZE, TAG_SIZE } =
    require('../../dist/streams/sealed-streams.js')['streams/chunk-format'];
  const what = 'not a sealed file: it does not begin with "millrace"';
  // The last chunk of a stream is shorter than the others, and has a tag.
  const last = (size - HEADER_SIZE) % SEALED_CHUNK_SIZE;
  return size < HEADER_SIZE || last < TAG_SIZE
    ? `${what}, and its size is not that of a sealed stream`
    : `${what}. It may be a sealed stream, which sealStream writes: open it with ` +
        'millrace open --stream ALGORITHM --key-file FILE, or with openStream';
}

/**
 * Refuses a sealed file where a sealed stream is expected.
 *
 * @param {ReturnType<typeof import('./input.js').openInput>} input
 */
async function checkStreamStart(input) {
  if (format().isSealedFile(await refuseOther(input)))
    throw new FileError(input.name, 'a sealed file: open it without --stream');
}

/** Raises Millrace's memory limit to what the key derivation needs. Throws above `limits`. */
function raiseMemoryLimit(scrypt, name) {
  const { checkLimits } = require('../../dist/streams/passphrase/derive-key.js')[
    'streams/passphrase/derive-key'
  ];
  const { scryptMemory } = require('../../dist/functions/derivations.js')['base/kdf-costs'];
  try {
    checkLimits(scrypt, limits);
  } catch {
    throw new FileError(
      name,
      'refused: deriving the key takes more than 1 GiB of memory, or 30 seconds, by its header',
    );
  }
  const { configure } = require('../../dist/index.js');
  configure({ maxKdfMemory: Math.max(configure().maxKdfMemory, scryptMemory(scrypt) + 2 ** 20) });
}

module.exports = { checkStreamStart, limits, raiseMemoryLimit, readHeader, refuseOther };
