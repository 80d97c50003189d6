/** Counts calls by function, algorithm and library, for MILLRACE_REGISTER_LOG. */

/** The library that served a call. */
export type Server = 'Millrace' | 'Node.js';

/** True while calls are counted. Read it before {@link countCall}, which costs a map's lookup. */
export const callLog = { on: false };

const counts = new Map<string, number>();

/** Counts one call. `algorithm` is not a secret: callers pass names of algorithms only. */
export function countCall(name: string, algorithm: unknown, server: Server): void {
  const shown = typeof algorithm === 'string' ? algorithm.slice(0, 40).toLowerCase() : '';
  const key = `${server}\t${name}\t${shown}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the counts as a table, the most frequent first. */
export function callTable(): string {
  const rows = [...counts].sort((left, right) => right[1] - left[1]);
  const lines = rows.map(([key, count]) => {
    const [server, name, algorithm] = key.split('\t');
    return `${String(count).padStart(9)}  ${server!.padEnd(8)}  ${name} ${algorithm}`.trimEnd();
  });
  return [`millrace/register: ${rows.length === 0 ? 'no calls' : 'calls'}`, ...lines].join('\n');
}

/**
 * The argument of each of Node's functions that names an algorithm. The arguments of other
 * functions may be secrets and are never counted.
 */
const algorithmAt: Readonly<Record<string, number>> = {
  __proto__: null as never,
  createCipheriv: 0,
  createDecipheriv: 0,
  createECDH: 0,
  createHash: 0,
  createHmac: 0,
  createSign: 0,
  createVerify: 0,
  generateKey: 0,
  generateKeyPair: 0,
  generateKeyPairSync: 0,
  generateKeySync: 0,
  getDiffieHellman: 0,
  hash: 0,
  sign: 0,
  verify: 0,
};

/** Returns argument `at`, undefined if there is none. */
export function argumentAt(given: readonly unknown[], at: number): unknown {
  return at < 0 ? undefined : given.at(at);
}

/** Wraps one of Node's functions so that its calls are counted. */
export function counted<F extends object>(name: string, function_: F): F {
  return new Proxy(function_, {
    apply(target, receiver, given: unknown[]) {
      if (callLog.on) countCall(name, argumentAt(given, algorithmAt[name] ?? -1), 'Node.js');
      return Reflect.apply(target as never, receiver, given);
    },
  });
}
