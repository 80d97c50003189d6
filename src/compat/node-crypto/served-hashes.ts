/**
 * Decides which names of hashes Millrace serves: those for which Node.js and Millrace return the
 * same bytes. Names differ between versions of Node.js and OpenSSL, so each name is tried once.
 */
import { findHash } from '../../catalog/catalog.js';
import type { HashFacts } from '../../catalog/facts.js';
import { keyStates } from '../../hashers/key-states.js';
import { Running } from '../../hashers/running.js';
import { automatic } from '../../engines/engines.js';
import { Form } from '../../request/request.js';
import { original } from './original.js';
import { isServing, mayServe } from './serving.js';

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

type Compare = (facts: HashFacts, name: string) => boolean;

/** Remembers for each name whether it is served. Names that Millrace lacks are not kept. */
class Names {
  readonly #known = new Map<string, ServedHash | null>();
  #lastName = '';
  #last: ServedHash | undefined;

  constructor(readonly compare: Compare) {}

  find(name: string): ServedHash | undefined {
    if (!isServing()) return undefined;
    if (name === this.#lastName) return this.#last;
    let served = this.#known.get(name);
    if (served === undefined) {
      const facts = findHash(name);
      if (facts === undefined) return undefined;
      served = this.#serves(facts, name)
        ? { name, facts, size: facts.xof ? 0 : facts.digestSize }
        : null;
      this.#known.set(name, served);
    }
    if (served === null) return undefined;
    this.#lastName = name;
    this.#last = served;
    return served;
  }

  #serves(facts: HashFacts, name: string): boolean {
    try {
      return mayServe() && this.compare(facts, name);
    } catch {
      // Node.js does not know the name: the call goes there, for Node's own error.
      return false;
    }
  }
}

const hashNames = new Names((facts, name) => {
  const size = facts.xof ? PROBE_SIZE : facts.digestSize;
  // With a size for extendable outputs, which some versions of Node.js warn about without one.
  const options = facts.xof ? { outputLength: size } : undefined;
  const theirs = original.createHash(name, options).update(PROBE).digest();
  const running = new Running(facts, false, undefined, 0, 0, size, automatic);
  running.update(PROBE, 0, PROBE.length);
  return theirs.equals(running.digest(Form.Buffer) as Buffer);
});

const hmacNames = new Names((facts, name) => {
  if (!facts.hmac) return false;
  const theirs = original.createHmac(name, PROBE).update(PROBE).digest();
  const states = keyStates(facts, PROBE, automatic);
  const size = facts.digestSize;
  const running = new Running(facts, true, undefined, 0, 0, size, automatic, states);
  running.update(PROBE, 0, PROBE.length);
  return theirs.equals(running.digest(Form.Buffer) as Buffer);
});

/** Returns the hash of a name if Millrace serves it. */
export function servedHash(name: string): ServedHash | undefined {
  return hashNames.find(name);
}

/** Returns the hash of a name if Millrace serves HMACs over it. */
export function servedHmac(name: string): ServedHash | undefined {
  return hmacNames.find(name);
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
