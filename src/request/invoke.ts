/**
 * Passes the filled request to its engine, and to the next engine of the preference if that one
 * cannot serve it.
 */
import { cipherOf, hashOf } from '../catalog/catalog.js';
import { recordFallback, defaultEngine } from '../engines/engines.js';
import { failure } from '../base/errors.js';
import { At, Status, frame, type Operation } from '../base/frame.js';
import { isCipher, isDerivation, isMac, isPublicKey } from '../base/operations.js';
import { request } from './request.js';

/** Moves the request to the next engine of the preference. Returns false if there is none. */
export function switchToNextEngine(reason: string): boolean {
  const { engine } = request;
  const { engines, handles } = request.preference ?? defaultEngine.preference;
  const at = engines.indexOf(engine) + 1;
  const next = engines.at(at);
  if (next === undefined) return false;
  recordFallback(algorithmName(), engine.name, next.name, reason);
  frame[At.Engine] = next.number;
  request.engine = next;
  if (handles !== undefined) frame[At.Key] = handles[at]!;
  return true;
}

/** Returns the request's algorithm for messages. */
function algorithmName(): string {
  const [operation, algorithm] = [frame[At.Operation]! as Operation, frame[At.Algorithm]!];
  if (isDerivation(operation)) return 'key derivation';
  if (isPublicKey(operation)) return 'asymmetric keys';
  if (isCipher(operation)) return cipherOf(algorithm).name;
  return `${isMac(operation) ? 'hmac-' : ''}${hashOf(algorithm).name}`;
}

/** Runs the request on the first engine that serves it. Returns the status. */
export function invoke(target: Uint8Array | undefined): number {
  for (;;) {
    const { source, iv, aad, tag, key } = request;
    const status = request.engine.binding.run(source, target, iv, aad, tag, key);
    const declined = status === Status.Unavailable || status === Status.TooLarge;
    if (!declined || !switchToNextEngine(request.engine.binding.lastReason())) return status;
  }
}

/** Returns the error for the status of the last call. */
export function refused(status: number): Error {
  return failure(
    status,
    frame[At.MaxMemory],
    status >= Status.Unavailable ? request.engine.binding.lastReason() : '',
  );
}
