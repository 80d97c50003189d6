/**
 * HMAC calls (RFC 2104), with an encoding or options.
 */
import { hashFacts } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import { makeError } from '../base/errors.js';
import { emptySlots } from '../base/intrinsics.js';
import type { HmacOptions, TargetOptions } from '../calls/digests.js';

/** All that an HMAC takes in its options. */
export type HmacFields = HmacOptions & Partial<TargetOptions>;

/**
 * The properties of HMAC with a hash, by the hash's number: no seed, no key of the hash, one size.
 */
const known = emptySlots<HashFacts>();

/** Returns the hash of an HMAC. */
export function hmacFacts(name: unknown): HashFacts {
  const facts = hashFacts(name);
  if (facts.hmac)
    return (known[facts.id] ??= { ...facts, xof: false, seedBits: 0, parameters: null });
  throw makeError('ERR_ARGUMENT_VALUE', `algorithm: there is no HMAC over ${facts.name}`);
}
