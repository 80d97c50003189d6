/** Decides whether Millrace serves calls at all. */
import { nativeName } from '../../engines/binding.js';
import { callNode, original } from './original.js';

const { getFips, setFips } = original;

let serving = nativeName === 'native';

/**
 * Returns true if Millrace may serve calls: it has its native engine, and Node.js is not in FIPS
 * mode, which permits no other implementation than OpenSSL's.
 */
export function mayServe(): boolean {
  return serving && getFips() === 0;
}

/** Calls Node's setFips; FIPS mode ends the service of Millrace. */
export function setFipsMode(...given: unknown[]): void {
  callNode(setFips, given);
  if (getFips() !== 0) serving = false;
}

/** When so many names are remembered, those that are not served are no longer added. */
const NAMES_MAX = 256;

/**
 * Remembers for each name whether Millrace serves it. Names differ between versions of Node.js and
 * OpenSSL, so each is tried once: `serve` returns what serves it if both libraries return the same
 * bytes, and throws or returns undefined otherwise.
 */
export class ServedNames<Served> {
  readonly #known = new Map<string, Served | null>();
  #lastName = '';
  #last: Served | undefined;

  constructor(readonly serve: (name: string) => Served | undefined) {}

  /** Returns what serves a name. */
  find(name: string): Served | undefined {
    if (!serving) return undefined;
    if (name === this.#lastName) return this.#last;
    let served = this.#known.get(name);
    if (served === undefined) {
      served = this.#try(name) ?? null;
      // A program may pass names that it was given.
      if (served !== null || this.#known.size < NAMES_MAX) this.#known.set(name, served);
    }
    if (served === null) return undefined;
    this.#lastName = name;
    this.#last = served;
    return served;
  }

  #try(name: string): Served | undefined {
    try {
      return mayServe() ? this.serve(name) : undefined;
    } catch {
      // Node.js does not know the name: the call goes there, for Node's own error.
      return undefined;
    }
  }
}
