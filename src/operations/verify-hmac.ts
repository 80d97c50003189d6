/** The arguments of verifyHmac, and its comparison. */
import {
  bytes,
  options as optionsObject,
  sizeOf,
  type Bytes,
  type Data,
} from '../request/arguments.js';
import { makeError } from '../request/errors.js';
import type { KeyInput } from '../request/key-input.js';
import type { Accepted, Names } from '../request/options.js';
import { native } from '../engines/binding.js';
import { engineNames, type EngineOptions } from '../engines/engines.js';
import { takes, type Takes } from '../scheduling/routes.js';

/** Options of {@link verifyHmac}. */
export interface VerifyHmacOptions<Source = Data> extends EngineOptions {
  /**
   * Any number of bytes, a string (UTF-8), a secret KeyObject, an extractable secret CryptoKey, or
   * a key prepared for HMAC with the hash.
   */
  readonly key: string | KeyInput;
  /** The message. */
  readonly source: Source;
  /** The code to verify. One of another size than the hash's digest is false. */
  readonly mac: Bytes;
}

const names: Names<VerifyHmacOptions> = { key: true, source: true, mac: true, ...engineNames };

const table: Takes<keyof VerifyHmacOptions> = takes('verifyHmac(algorithm, options)', names);

/** The parsed options; those in `rest` are options of hmac. */
export interface Verification {
  readonly key: string | KeyInput;
  readonly source: Data;
  /** A copy. */
  readonly mac: Uint8Array;
  readonly rest: object;
}

/** Reads the options, each once. */
export function readVerification(value: unknown, promised: boolean): Verification {
  const accepted: Accepted<any> = promised ? table.promised : table.plain;
  const given = optionsObject<VerifyHmacOptions>(value, 'options', accepted);
  const { key, source, mac, ...rest } = given;
  for (const name of ['key', 'source', 'mac'] as const)
    if (given[name] === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', `verifyHmac needs options.${name}`);
  const view = bytes(mac, 'options.mac');
  const copy = new Uint8Array(new ArrayBuffer(sizeOf(view)));
  if (copy.length > 0) copy.set(view);
  return { key, source, mac: copy, rest };
}

/** Returns true if both are equal, in a time that depends on their sizes only, and wipes `code`. */
export function isSameCode(code: Uint8Array, mac: Uint8Array): boolean {
  const same = native.equal(code, mac) === 1;
  code.fill(0);
  return same;
}
