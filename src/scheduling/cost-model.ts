/**
 * Costs of algorithms, a copy of native code's (crates/cost), because a native call takes as long
 * as some of the work.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { native } from '../engines/binding.js';
import { Operation, CostPart, Route } from '../base/frame.js';
import { MEASURED_FIRST_NS } from '../base/protocol.js';
import { isMessageCipher } from '../base/operations.js';

/** The number of the first cipher: hashes are before. */
const CIPHERS = hashes.length;
const ALGORITHMS = CIPHERS + ciphers.length;

const fixed = new Float64Array(ALGORITHMS).fill(NaN);
const perByte = new Float64Array(ALGORITHMS);
/** The cost of a message in a batch, relative to its cost alone. */
const batchFactor = new Float64Array(ALGORITHMS);
/** Jobs that run inline before a worker measures the cost; Infinity if the cost is final. */
const unmeasured = new Float64Array(ALGORITHMS);

/**
 * The number of jobs of an algorithm that run inline with the table's cost before a measurement is
 * worth it.
 */
const MEASURED_FROM = 64;

let route = Route.Auto;
let epoch = -1;

/**
 * The nanoseconds of work that run inline (crates/cost/src/limits.rs); 0 for the portable engine,
 * which decides itself.
 */
export let inlineLimit = 0;

/** Predicts the nanoseconds of a short job. */
export function predict(operation: Operation, algorithm: number, size: number): number {
  const index = indexOf(operation, algorithm);
  if (fixed[index] !== fixed[index]) load(index);
  // An HMAC is two hashes and two key blocks.
  const base = operation === Operation.Hmac ? 4 * fixed[index]! : fixed[index]!;
  return base + size * perByte[index]!;
}

/** Predicts the nanoseconds of a hash in a batch. */
export function predictBatch(algorithm: number, size: number): number {
  if (fixed[algorithm] !== fixed[algorithm]) load(algorithm);
  return (fixed[algorithm]! + size * perByte[algorithm]!) * batchFactor[algorithm]!;
}

/**
 * Counts an inline job of so many nanoseconds. Returns true if a worker should run it to measure
 * the cost.
 */
export function wantsMeasure(operation: Operation, algorithm: number, cost: number): boolean {
  const index = indexOf(operation, algorithm);
  const left = unmeasured[index]!;
  if (left > 0 && (cost < MEASURED_FIRST_NS || left === Infinity)) {
    unmeasured[index] = left - 1;
    return false;
  }
  unmeasured[index] = MEASURED_FROM;
  // For the next job: a worker may have measured the cost, and no iteration had inline jobs since.
  refreshCosts();
  return true;
}

/** Returns the default route, reading it again if it may have changed. */
export function defaultRoute(): Route {
  if (epoch < 0 || route !== Route.Auto) refreshCosts();
  return route;
}

/**
 * Reads the costs again, once per event-loop iteration: workers measure costs and other
 * environments change settings.
 */
export function refreshCosts(): void {
  const now = native.epoch();
  if (now === epoch) return;
  epoch = now;
  route = native.defaultRoute();
  inlineLimit = native.inlineLimit();
  fixed.fill(NaN);
}

function indexOf(operation: Operation, algorithm: number): number {
  return isMessageCipher(operation) ? CIPHERS + algorithm : algorithm;
}

function load(index: number): void {
  const cipher = index >= CIPHERS ? 1 : 0;
  const algorithm = index - cipher * CIPHERS;
  fixed[index] = native.cost(cipher, algorithm, CostPart.Fixed);
  perByte[index] = native.cost(cipher, algorithm, CostPart.PerByte);
  batchFactor[index] = native.cost(cipher, algorithm, CostPart.BatchFactor);
  unmeasured[index] =
    native.cost(cipher, algorithm, CostPart.Settled) === 1 ? Infinity : MEASURED_FROM;
}
