/**
 * Passes the filled request to its engine, and to the next engine of the preference if that one
 * cannot serve it.
 */
import { cipherOf, hashOf } from '../catalog/catalog.js';
import { recordFallback, usual as defaultEngine } from '../engines/engines.js';
import { failure } from './errors.js';
import { At, Operation, Status, frame } from './frame.js';
import { request } from './request.js';

/**
 * The engine that served cannot: what has been described is for the next one now, if there is one.
 */
export function switchToNextEngine(reason: string): boolean {
  const { engine } = request;
  const { engines, handles } = request.choice ?? defaultEngine.choice;
  const at = engines.indexOf(engine) + 1;
  const next = engines[at];
  if (next === undefined) return false;
  recordFallback(algorithmName(), engine.name, next.name, reason);
  frame[At.Engine] = next.number;
  request.engine = next;
  if (handles !== undefined) frame[At.Key] = handles[at]!;
  return true;
}

/** What is described, for people. */
function algorithmName(): string {
  const [operation, algorithm] = [frame[At.Operation]! as Operation, frame[At.Algorithm]!];
  if (operation >= Operation.Scrypt) return 'key derivation';
  const isCipher =
    (operation >= Operation.Encrypt && operation <= Operation.Open) ||
    operation === Operation.SealChunks ||
    operation === Operation.OpenChunks;
  if (isCipher) return cipherOf(algorithm).name;
  const isMac =
    operation === Operation.Hmac ||
    operation === Operation.MacUpdate ||
    operation === Operation.MacFinish ||
    operation === Operation.HmacMany;
  return `${isMac ? 'hmac-' : ''}${hashOf(algorithm).name}`;
}

/** Runs what has been described by whoever serves it; its status. */
export function invoke(target: Uint8Array | undefined): number {
  const status = request.engine.binding.run(
    request.source,
    target,
    request.iv,
    request.aad,
    request.tag,
    request.key,
  );
  return status < Status.Unavailable ? status : invokeAgain(status, target);
}

/** The engine does not serve it: the next ones are asked, as long as there are some. */
function invokeAgain(refusal: number, target: Uint8Array | undefined): number {
  let status = refusal;
  while (
    (status === Status.Unavailable || status === Status.TooLarge) &&
    switchToNextEngine(request.engine.binding.lastReason())
  ) {
    status = request.engine.binding.run(
      request.source,
      target,
      request.iv,
      request.aad,
      request.tag,
      request.key,
    );
  }
  return status;
}

/** The error for the status of the call that has just returned. */
export function refused(status: number): Error {
  return failure(
    status,
    frame[At.MaxMemory],
    status >= Status.Unavailable ? request.engine.binding.lastReason() : '',
  );
}
