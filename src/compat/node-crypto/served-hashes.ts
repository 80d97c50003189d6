/**
 * Decides which names of hashes Millrace serves: those for which Node.js and Millrace return the
 * same bytes.
 */
import { findHash } from '../../catalog/catalog.js';
import type { HashFacts } from '../../catalog/facts.js';
import { keyStates } from '../../hashers/key-states.js';
import { Running } from '../../hashers/running.js';
import { automatic } from '../../engines/engines.js';
import { Form } from '../../request/request.js';
import { original } from './original.js';
import { ServedNames } from './serving.js';

/** A hash that Millrace serves. */
export interface ServedHash {
  /** The name as the caller wrote it. */
  readonly name: string;
  readonly facts: HashFacts;
  /** The size in bytes of a digest without `outputLength`; 0 if Node.js has to decide. */
  readonly size: number;
}

const PROBE = Buffer.from('the same bytes');
const PROBE_SIZE = 32;

/** Returns the names of hashes for which a comparison with Node.js finds the same bytes. */
function namesWith(isSame: (facts: HashFacts, name: string) => boolean): ServedNames<ServedHash> {
  return new ServedNames((name) => {
    const facts = findHash(name);
    return facts !== undefined && isSame(facts, name)
      ? { name, facts, size: facts.xof ? 0 : facts.digestSize }
      : undefined;
  });
}

/** The names of hashes that Millrace serves. */
export const servedHashes = namesWith((facts, name) => {
  const size = facts.xof ? PROBE_SIZE : facts.digestSize;
  // With a size for extendable outputs, which some versions of Node.js warn about without one.
  const options = facts.xof ? { outputLength: size } : undefined;
  const theirs = original.createHash(name, options).update(PROBE).digest();
  return theirs.equals(probed(new Running(facts, false, undefined, 0, 0, size, automatic)));
});

/** The names of hashes over which Millrace serves HMACs. */
export const servedHmacs = namesWith((facts, name) => {
  if (!facts.hmac) return false;
  const theirs = original.createHmac(name, PROBE).update(PROBE).digest();
  const states = keyStates(facts, PROBE, automatic);
  const size = facts.digestSize;
  return theirs.equals(probed(new Running(facts, true, undefined, 0, 0, size, automatic, states)));
});

function probed(running: Running): Buffer {
  running.update(PROBE, 0, PROBE.length);
  return running.digest(Form.Buffer) as Buffer;
}

const naturalSizes = new Map<string, number>();

/**
 * Returns the size of a digest without `outputLength`. That of SHAKE is what Node.js returns, and 0
 * if it returns none; asking for it makes Node.js emit its deprecation warning where it has one.
 */
export function naturalSize({ name, size, facts }: ServedHash): number {
  if (!facts.xof) return size;
  let natural = naturalSizes.get(name);
  if (natural === undefined) {
    try {
      natural = original.createHash(name).digest().length;
    } catch {
      natural = 0;
    }
    naturalSizes.set(name, natural);
  }
  return natural;
}
