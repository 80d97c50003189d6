/** Counts calls by function, algorithm and library, for MILLRACE_REGISTER_LOG. */

/** True while calls are counted. Read it before {@link countCall}, which costs a map's lookup. */
export const callLog = { on: false };

const counts = new Map<string, number>();

/**
 * Counts one call, by the library that served it. `algorithm` is not a secret: callers pass names
 * of algorithms only.
 */
export function countCall(name: string, algorithm: unknown, served: boolean): void {
  const shown = typeof algorithm === 'string' ? algorithm.slice(0, 40).toLowerCase() : '';
  const key = `${served ? 'Millrace' : 'Node.js'}\t${name}\t${shown}`;
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
 * Node's functions with an algorithm as their first argument. The arguments of other functions may
 * be secrets and are never counted.
 */
const namesAlgorithm = new Set(
  (
    'createCipheriv createDecipheriv createECDH createHash createHmac createSign createVerify ' +
    'generateKey generateKeyPair generateKeyPairSync generateKeySync getDiffieHellman ' +
    'hash sign verify'
  ).split(' '),
);

/** Wraps one of Node's functions so that its calls are counted. */
export function counted<F extends object>(name: string, function_: F): F {
  const hasAlgorithm = namesAlgorithm.has(name);
  return new Proxy(function_, {
    apply(target, receiver, given: unknown[]) {
      if (callLog.on) countCall(name, hasAlgorithm ? given.at(0) : undefined, false);
      return Reflect.apply(target as never, receiver, given);
    },
  });
}
