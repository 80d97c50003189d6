/** verifyMac and verifyHmac: from arguments to a verdict. */
import { verifyHmacOptionNames } from '../base/option-names.js';
import { argument, bytes, options as optionsObject } from '../base/arguments.js';
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { native } from '../engines/binding.js';
import type { EnginePreference } from '../engines/engines.js';
import { makeError } from '../base/errors.js';
import { Operation } from '../base/frame.js';
import type { KeyMaterial } from '../request/key-input.js';
import type { Accepted } from '../base/options.js';
import { Form, type FillRequest } from '../request/request.js';
import { secretCopy, secretMemory, wipe, type Secret } from '../base/secret-memory.js';
import { SMALL_BYTES, stage, wipeStage } from '../base/secret-results.js';
import { takes, type Takes } from '../scheduling/routes.js';
import { runDigest } from './digest-sync.js';
import { digestOf, fillParsed, readData, type DigestRequest } from './hash.js';
import { hashKey, takesHash, type HashTakes } from './hash-parameters.js';
import { hmacFacts } from './hmac.js';
import { readTextKey } from './kept-keys.js';
import { notKeyed } from './key.js';
import type { VerifyHmacOptions, VerifyMacOptions } from '../calls/digests.js';

const hmacTakes: Takes<keyof VerifyHmacOptions> = takes(
  'verifyHmac(algorithm, options)',
  verifyHmacOptionNames,
);
const macTakes: HashTakes<keyof VerifyHmacOptions | 'outputLength'> = takesHash(
  'verifyMac(algorithm, options)',
  verifyHmacOptionNames,
  'outputLength',
);

/** A parsed call. */
export interface Verification {
  readonly operation: Operation.Hash | Operation.Hmac;
  readonly facts: HashFacts;
  readonly request: DigestRequest;
  readonly source: Uint8Array | string;
  readonly key: KeyMaterial | undefined;
  /** The caller's memory. */
  readonly mac: Uint8Array;
  /** Memory for the right code, the request's target; undefined for an asynchronous call. */
  readonly code: Secret | undefined;
}

/** Reads the arguments of verifyHmac or verifyMac. */
export type ReadVerification = (algorithm: unknown, ...rest: Rest) => Verification;

/** The other arguments; `promised` and `asked` as for {@link FillRequest}. */
type Rest = [options: unknown, sync: boolean, promised?: boolean, asked?: EnginePreference];

export function readHmac(algorithm: unknown, ...rest: Rest): Verification {
  return read('verifyHmac', hmacFacts(algorithm), true, hmacTakes, rest);
}

export function readMac(algorithm: unknown, ...rest: Rest): Verification {
  if (typeof algorithm === 'string' && /^hmac-/i.test(algorithm))
    return read('verifyMac', hmacFacts(algorithm.slice(5)), true, macTakes, rest);
  const facts = hashFacts(algorithm);
  if (facts.parameters?.key === undefined) throw notKeyed(facts);
  return read('verifyMac', facts, false, macTakes.parameters, rest);
}

function read(
  name: string,
  facts: HashFacts,
  hmac: boolean,
  table: Takes<any>,
  [options, sync, promised, asked]: Rest,
): Verification {
  const accepted: Accepted<any> = promised ? table.promised : table.plain;
  const given: Partial<VerifyMacOptions> = optionsObject(options, 'options', accepted);
  const { key: keyGiven } = given;
  if (keyGiven === undefined) throw missing(name, 'key');
  if (given.source === undefined) throw missing(name, 'source');
  if (given.mac === undefined) throw missing(name, 'mac');
  // Deleting it would give V8 a slower object.
  if (hmac) (given as { key: unknown }).key = undefined;
  const request = digestOf(given as object, facts, Form.Buffer);
  const { size } = request;
  const mac = bytes(given.mac, 'options.mac');
  let code: Secret | undefined;
  if (sync) code = size <= SMALL_BYTES ? stage(size) : secretMemory(size);
  const source = readData(given.source, request);
  const key = hmac
    ? readTextKey(keyGiven, facts, asked ?? request.preference)
    : hashKey(request.parameters, facts, asked ?? request.preference);
  const operation = hmac ? Operation.Hmac : Operation.Hash;
  request.target = code;
  return { operation, facts, request, source, key, mac, code };
}

function missing(name: string, option: string): Error {
  return makeError('ERR_MISSING_ARGUMENT', `${name} needs options.${option}`);
}

/** Verifies on the calling thread. */
export function verifyNow(parsed: Verification): boolean {
  const { operation, facts, request, source, key, mac, code } = parsed;
  try {
    runDigest(operation, facts, request, source, key);
    return native.equal(code!, mac) === 1;
  } finally {
    if (request.size <= SMALL_BYTES) wipeStage();
    else wipe(code!);
  }
}

/** An asynchronous call. */
export interface LaterVerification {
  readonly fill: FillRequest;
  /**
   * Returns true if the right code equals a copy of the caller's, in a time that depends on their
   * sizes only, and wipes it.
   */
  readonly verdict: (code: unknown) => boolean;
}

export function laterVerification(read: ReadVerification): LaterVerification {
  let mac: Uint8Array;
  return {
    fill: (given, _count, promised, asked) => {
      const parsed = read(argument(given, 0), argument(given, 1), false, promised, asked);
      const { operation, facts, request, source, key } = parsed;
      request.form = Form.Secret;
      fillParsed(operation, facts, request, source, key);
      mac = secretCopy(parsed.mac);
    },
    verdict: (result) => {
      const code = result as Secret;
      try {
        return native.equal(code, mac) === 1;
      } finally {
        wipe(code);
      }
    },
  };
}
