/**
 * The arguments of hashMany and hmacMany. Getters of options and sources run before memory is read.
 */
import { options, range, sizeOf } from '../../base/arguments.js';
import { makeError } from '../../base/errors.js';
import type { Operation, Route } from '../../base/frame.js';
import { isBytesView } from '../../base/intrinsics.js';
import type { Accepted } from '../../base/options.js';
import { SecretCopy } from '../../base/secret-copy.js';
import { secretText } from '../../base/secret-results.js';
import type { HashFacts } from '../../catalog/facts.js';
import { withKeyEngines, type EnginePreference } from '../../engines/engines.js';
import type { KeyMaterial } from '../../request/key-input.js';
import { Form, type FillRequest, type Parser } from '../../request/request.js';
import { digestOf, encodedRequest, type DigestRequest } from '../hash.js';
import type { Messages } from './messages.js';
import { SIZE_MAX } from '#platform/base/runtime.js';

/** Parses the arguments of hashMany or hmacMany. The messages precede the options. */
export interface ManyParser extends Omit<Parser, 'fill'> {
  readonly parse: (...given: Parameters<FillRequest>) => Batch;
}

/** The parsed call. */
export interface Batch {
  readonly operation: Operation;
  readonly facts: HashFacts;
  readonly options: DigestRequest;
  readonly messages: Messages;
  /** The key: the caller's memory, or a copy, which is wiped once native code has used it. */
  readonly key: Uint8Array | SecretCopy | undefined;
  /** The requested engines, or those that hold the key. */
  preference: EnginePreference | undefined;
  /** The requested route. */
  route: Route | undefined;
}

/** Returns the call with its key, which was parsed after all other arguments. */
export function batchOf(
  operation: Operation,
  facts: HashFacts,
  options: DigestRequest,
  messages: Messages,
  given: KeyMaterial | undefined,
): Batch {
  const key = typeof given === 'string' ? new SecretCopy(secretText(given)) : given;
  const isBytes = key === undefined || isBytesView(key) || SecretCopy.is(key);
  return {
    operation,
    facts,
    options,
    messages,
    key: isBytes ? key : undefined,
    preference: isBytes ? options.preference : enginesAmong(key, options.preference),
    route: options.route,
  };
}

/** Parses an encoding or an options object. */
export function readOptions(
  value: unknown,
  facts: HashFacts,
  accepted: Accepted<any>,
): DigestRequest {
  return value === undefined || typeof value === 'string'
    ? encodedRequest(value, facts, Form.Joined)
    : digestOf(options<any>(value, 'options', accepted), facts, Form.Joined);
}

/** Sets what a separate last argument asks for, which overrides the options; returns the call. */
export function withCallOptions(
  batch: Batch,
  route: Route | undefined,
  preference: EnginePreference | undefined,
): Batch {
  batch.route = route ?? batch.route;
  batch.preference = enginesAmong(batch.preference, preference);
  return batch;
}

/** Restricts the engines to the requested ones that hold the prepared key. */
function enginesAmong(
  prepared: EnginePreference | undefined,
  asked: EnginePreference | undefined,
): EnginePreference | undefined {
  return prepared?.handles !== undefined && asked !== undefined
    ? withKeyEngines(prepared, asked)
    : (asked ?? prepared);
}

/**
 * Checks that the digests fit into a Buffer and the target. Code of the caller may detach or shrink
 * the target afterwards.
 */
export function checkPlace(
  { count }: Messages,
  { size, target, targetOffset }: DigestRequest,
): void {
  const total = count * size;
  if (total > SIZE_MAX)
    throw makeError(
      'ERR_OUTPUT_SIZE',
      `${count} digests of ${size} bytes do not fit into one Buffer`,
    );
  if (target !== undefined) range(targetOffset, total, sizeOf(target), 'target');
}

/** Returns true if the digests depend on a key, and are therefore secret. */
export function isKeyed({ key, preference }: Batch): boolean {
  return key !== undefined || preference?.handles !== undefined;
}
