// The cells of `npm run bench -- routes`.

import { bytes } from '../../cli/bench/report.mjs';

const KiB = 1024;

export const operations = ['sha256', 'hmac-sha256', 'aes-256-gcm', 'chacha20-poly1305'];
export const memories = ['copied', 'lent'];

const allSizes = [
  16,
  64,
  256,
  ...[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((size) => size * KiB),
];
const allDepths = [1, 4, 16, 64, 256, 1024];
const quickSizes = [64, 256, KiB, 4 * KiB, 16 * KiB, 64 * KiB, 1024 * KiB];
const quickDepths = [1, 16, 256];

/**
 * @typedef {object} Cell
 * @property {string} operation
 * @property {number} size bytes of the message
 * @property {number} inFlight
 * @property {string} memory whether the source is copied, or lent together with a target
 */

/**
 * Returns the cells in the order of their measurement, without those that need more than `most`
 * bytes.
 *
 * @returns {Cell[]}
 */
export function cellsOf({ quick, sizes, depths, operations: chosen, memories: kinds, most }) {
  return (chosen ?? operations).flatMap((operation) =>
    (kinds ?? memories).flatMap((memory) =>
      (sizes ?? (quick ? quickSizes : allSizes)).flatMap((size) =>
        (depths ?? (quick ? quickDepths : allDepths))
          .map((inFlight) => ({ operation, memory, size, inFlight }))
          // A source and a result for each call.
          .filter(({ inFlight }) => 2 * size * inFlight <= most),
      ),
    ),
  );
}

/** Hashes and HMACs cannot be split: there the route is the same as `pool`. */
export function routesOf({ operation }) {
  const fixed = ['inline', 'pool'];
  return ['auto', ...fixed, ...(/sha256/.test(operation) ? [] : ['split'])];
}

/** @param {Cell} cell */
export function cellName({ operation, memory, size, inFlight }) {
  const call = `${operation.padEnd(17)} ${memory.padEnd(6)} ${bytes(size).padStart(7)}`;
  return `${call} x${String(inFlight).padEnd(4)}`;
}
