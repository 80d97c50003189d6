// Seals and opens files in the format of `millrace seal`.

import {
  openTransformStreamWithPassphrase,
  sealTransformStreamWithPassphrase,
} from '../../dist/browser/promises.mjs';

/** The most memory (bytes) and time (milliseconds) that a header may ask for, as in the command. */
const limits = { maxMemory: 2 ** 30 + 2 ** 24, maxTime: 30_000 };

/** Thrown for a file that cannot be opened; the message is for the user. */
export class Refusal extends Error {}

/** Returns the sealed file as a Blob. `cost` is log2 of scrypt's N. */
export async function sealFile(file, { passphrase, cipher, cost, signal, onPhase, onProgress }) {
  onPhase('Deriving the key');
  const transform = sealTransformStreamWithPassphrase(passphrase, {
    algorithm: cipher,
    N: 2 ** cost,
    signal,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  return pipeFile(file, transform, { signal, onProgress, onOutput: () => onPhase('Sealing') });
}

/** Returns the opened file as a Blob, only if all of it is authentic. */
export async function openFile(file, { passphrase, signal, onPhase, onProgress }) {
  onPhase('Deriving the key');
  const transform = openTransformStreamWithPassphrase(passphrase, {
    ...limits,
    signal,
    onProgress: ({ fraction }) => onProgress(fraction),
  });
  try {
    return await pipeFile(file, transform, {
      signal,
      onProgress,
      onOutput: () => onPhase('Opening'),
    });
  } catch (error) {
    throw explained(error);
  }
}

function explained(error) {
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

/** Returns true if the file begins as Millrace's sealed files do. */
export async function isSealed(file) {
  return new TextDecoder().decode(await file.slice(0, 8).arrayBuffer()) === 'millrace';
}

/** Reports the derivation's progress until the first output, then that of the file. */
async function pipeFile(file, transform, { signal, onProgress, onOutput }) {
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
