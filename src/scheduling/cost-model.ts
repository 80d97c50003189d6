/**
 * What work costs, as native code predicts it (cost.rs), kept here because a crossing takes as long
 * as some of the work.
 */
import { native } from '../engines/binding.js';
import { Operation, CostPart, Route } from '../request/frame.js';

/** Numbers of hashes are below, those of ciphers from here on. */
const CIPHERS = 32;

const fixed = new Float64Array(2 * CIPHERS).fill(NaN);
const perByte = new Float64Array(2 * CIPHERS);
/** Of many messages at once, what each takes of the time it takes alone. */
const together = new Float64Array(2 * CIPHERS);
/**
 * Jobs that may still be done here before one is sent to a worker, who measures the price; Infinity
 * when it stays.
 */
const unmeasured = new Float64Array(2 * CIPHERS);

/**
 * So many jobs of an algorithm are done here by the table's price before it is worth a measurement.
 */
const MEASURED_FROM = 64;

let defaultRoute = Route.Auto;
let epoch = -1;

/** Nanoseconds of work done during the call: limits.rs. */
export let inlineLimit = 0;

/** Predicted nanoseconds of a short job. */
export function predict(operation: Operation, algorithm: number, size: number): number {
  const index = indexOf(operation, algorithm);
  if (fixed[index] !== fixed[index]) load(index);
  // An HMAC is two hashes, and a key made ready for each.
  const base = operation === Operation.Hmac ? 4 * fixed[index]! : fixed[index]!;
  return base + size * perByte[index]!;
}

/** The same of a hash, with others of its kind. */
export function predictBatch(algorithm: number, size: number): number {
  if (fixed[algorithm] !== fixed[algorithm]) load(algorithm);
  return (fixed[algorithm]! + size * perByte[algorithm]!) * together[algorithm]!;
}

/** The most bytes of a message that are hashed in so many nanoseconds. */
export function bytesFor(algorithm: number, cost: number): number {
  if (fixed[algorithm] !== fixed[algorithm]) load(algorithm);
  return (cost - fixed[algorithm]!) / perByte[algorithm]!;
}

/**
 * Counts a job that would be done here; true if it should go to a worker instead, so that its price
 * is measured there.
 */
export function wantsMeasure(operation: Operation, algorithm: number): boolean {
  const index = indexOf(operation, algorithm);
  if (unmeasured[index]! > 0) {
    unmeasured[index]! -= 1;
    return false;
  }
  unmeasured[index] = MEASURED_FROM;
  return true;
}

/**
 * The route of calls that ask for none. As long as that is not for us to choose, nothing is done
 * here whose turn's end would ask again.
 */
export function usual(): Route {
  if (epoch < 0 || defaultRoute !== Route.Auto) refreshCosts();
  return defaultRoute;
}

/**
 * Once per turn of the event loop: prices are measured by workers, and settings changed by other
 * environments.
 */
export function refreshCosts(): void {
  const now = native.epoch();
  if (now === epoch) return;
  epoch = now;
  defaultRoute = native.defaultRoute();
  inlineLimit = native.inlineLimit();
  fixed.fill(NaN);
}

function indexOf(operation: Operation, algorithm: number): number {
  return operation >= Operation.Encrypt && operation <= Operation.Open
    ? CIPHERS + algorithm
    : algorithm;
}

function load(index: number): void {
  const cipher = index >= CIPHERS ? 1 : 0;
  const algorithm = index - cipher * CIPHERS;
  fixed[index] = native.cost(cipher, algorithm, CostPart.Fixed);
  perByte[index] = native.cost(cipher, algorithm, CostPart.PerByte);
  together[index] = native.cost(cipher, algorithm, CostPart.BatchFactor);
  unmeasured[index] =
    native.cost(cipher, algorithm, CostPart.Settled) === 1 ? Infinity : MEASURED_FROM;
}
