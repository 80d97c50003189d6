// Files as `millrace seal` writes them (cli/seal/header.js): a header that is the stream's context, then the sealed stream. What is sealed here opens
// there, and the other way round.

import { openTransformStream, scrypt, sealTransformStream } from '../../dist/browser/promises.mjs';

const MAGIC = 'millrace';
const VERSION = 1;
const BY_PASSPHRASE = 1;
const FIXED = 12;
const SALT = 16;
const ciphers = ['', 'aes-256-gcm', 'chacha20-poly1305'];

/** The most memory and work that a file of somebody else may ask for. */
const MOST_MEMORY = 2 ** 30 + 2 ** 24;
const MOST_WORK = 2 ** 27;

/** A file that cannot be opened, in words. */
export class Refusal extends Error {}

/** The file sealed, as a Blob. `cost` is log2 of scrypt's N. */
export async function sealFile(file, { passphrase, cipher, cost, signal, onPhase, onProgress }) {
  const header = new Uint8Array(FIXED + 3 + SALT);
  header.set(new TextEncoder().encode(MAGIC));
  header.set([VERSION, ciphers.indexOf(cipher), BY_PASSPHRASE, 3 + SALT, cost, 8, 1], 8);
  crypto.getRandomValues(header.subarray(-SALT));
  const key = await derived(header, passphrase, signal, onPhase, onProgress);
  onPhase('Sealing');
  return through(file, sealTransformStream({ algorithm: cipher, key, context: header, signal }), [header], { signal, onProgress });
}

/** What was sealed, as a Blob; never a part of it. */
export async function openFile(file, { passphrase, signal, onPhase, onProgress }) {
  const header = await headerOf(file);
  const key = await derived(header, passphrase, signal, onPhase, onProgress);
  onPhase('Opening');
  const stream = openTransformStream({ algorithm: ciphers[header[9]], key, context: header, signal });
  try {
    return await through(file.slice(header.length), stream, [], { signal, onProgress });
  } catch (error) {
    if (error.code === 'ERR_TRUNCATED') throw new Refusal('The end of the file is missing.');
    if (error.code === 'ERR_AUTHENTICATION') throw new Refusal(/chunk/.test(error.message) ? 'The file was changed or cut off.' : 'The passphrase is wrong, or the beginning of the file was changed.');
    throw error;
  }
}

/** Whether it looks like a file that Millrace sealed. */
export async function isSealed(file) {
  return new TextDecoder().decode(await file.slice(0, 8).arrayBuffer()) === MAGIC;
}

async function headerOf(file) {
  if (!(await isSealed(file))) throw new Refusal('This is not a file that Millrace sealed.');
  const header = new Uint8Array(await file.slice(0, FIXED + 3 + SALT).arrayBuffer());
  const [version, cipher, source, size, cost, blockSize, lanes] = header.subarray(8);
  if (version !== VERSION) throw new Refusal(`It was sealed in version ${version} of the format; this page knows version ${VERSION}.`);
  if (source === 0) throw new Refusal('It was sealed with a key file: open it with the command.');
  if (ciphers[cipher] === undefined || cipher === 0 || source !== BY_PASSPHRASE || size !== 3 + SALT || header.length < FIXED + size) throw new Refusal('Its header is damaged.');
  if (cost < 1 || cost > 30 || blockSize < 1 || lanes < 1) throw new Refusal('Its header is damaged.');
  if (128 * blockSize * (2 ** cost + lanes + 2) > MOST_MEMORY || 2 ** cost * blockSize * lanes > MOST_WORK) throw new Refusal('Its header asks for more than 1 GiB of memory, or minutes, to derive the key.');
  return header;
}

function derived(header, passphrase, signal, onPhase, onProgress) {
  onPhase('Deriving the key');
  const [cost, blockSize, parallelization] = header.subarray(FIXED);
  return scrypt(passphrase, header.subarray(FIXED + 3), 32, { cost: 2 ** cost, blockSize, parallelization, maxmem: MOST_MEMORY, signal, onProgress: ({ fraction }) => onProgress(fraction ?? 0) });
}

async function through(file, transform, parts, { signal, onProgress }) {
  let taken = 0;
  const counted = new TransformStream({
    transform(piece, controller) {
      taken += piece.length;
      onProgress(taken / file.size);
      controller.enqueue(piece);
    },
  });
  await file.stream().pipeThrough(counted).pipeThrough(transform).pipeTo(new WritableStream({ write: (piece) => void parts.push(piece) }), { signal });
  return new Blob(parts);
}
