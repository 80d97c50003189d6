// Files as `millrace seal` writes them: what is sealed here opens there, and the other way round.

import {
  openTransformStreamWithPassphrase,
  sealTransformStreamWithPassphrase,
} from '../../dist/browser/promises.mjs';

/**
 * The most memory (bytes) and time (milliseconds) that a file of somebody else may ask for, as the
 * command allows them.
 */
const limits = { maxMemory: 2 ** 30 + 2 ** 24, maxTime: 30_000 };

/** A file that cannot be opened, in words. */
export class Refusal extends Error {}

/** The file sealed, as a Blob. `cost` is log2 of scrypt's N. */
export async function sealFile(file, { passphrase, cipher, cost, signal, onPhase, onProgress }) {
  onPhase('Deriving the key');
  const transform = sealTransformStreamWithPassphrase(passphrase, {
    algorithm: cipher,
    N: 2 ** cost,
    signal,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  return through(file, transform, { signal, onProgress, onOutput: () => onPhase('Sealing') });
}

/** What was sealed, as a Blob; never a part of it. */
export async function openFile(file, { passphrase, signal, onPhase, onProgress }) {
  onPhase('Deriving the key');
  const transform = openTransformStreamWithPassphrase(passphrase, {
    ...limits,
    signal,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  try {
    return await through(file, transform, {
      signal,
      onProgress,
      onOutput: () => onPhase('Opening'),
    });
  } catch (error) {
    throw inWords(error);
  }
}

function inWords(error) {
  switch (error.code) {
    case 'ERR_FORMAT':
      return new Refusal(`It cannot be opened: ${error.message}.`);
    case 'ERR_MEMORY_LIMIT':
    case 'ERR_WORK_LIMIT':
      return new Refusal(
        'Its header asks for more than 1 GiB of memory, or 30 seconds, to derive the key.',
      );
    case 'ERR_TRUNCATED':
      return new Refusal('The end of the file is missing.');
    case 'ERR_AUTHENTICATION':
      return new Refusal(
        /chunk/.test(error.message)
          ? 'The file was changed or cut off.'
          : 'The passphrase is wrong, or the beginning of the file was changed.',
      );
    default:
      return error;
  }
}

/** Whether it looks like a file that Millrace sealed. */
export async function isSealed(file) {
  return new TextDecoder().decode(await file.slice(0, 8).arrayBuffer()) === 'millrace';
}

/**
 * Progress is that of the key's derivation until something comes out, and from then on that of the
 * file.
 */
async function through(file, transform, { signal, onProgress, onOutput }) {
  const parts = [];
  let taken = 0;
  const counted = new TransformStream({
    transform(piece, controller) {
      taken += piece.length;
      if (parts.length > 0) onProgress(taken / file.size);
      controller.enqueue(piece);
    },
  });
  const sink = new WritableStream({
    write(piece) {
      if (parts.length === 0) onOutput();
      parts.push(piece);
    },
  });
  await file.stream().pipeThrough(counted).pipeThrough(transform).pipeTo(sink, { signal });
  return new Blob(parts);
}
