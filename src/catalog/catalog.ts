/** Looks up algorithms by name or number in the generated table (tools/catalog.mjs). */
import { ciphers, hashes, type CipherName, type HashName } from './catalog-table.js';
import type { CipherFacts, HashFacts, ParameterRanges } from './facts.js';
import { makeError, wrongType, refuseSurplus } from '../base/errors.js';
import { distance, shownName } from '../base/nearest.js';

/** The name of a hash, in any case, or one of its aliases. */
export type HashAlgorithm = HashName | (string & {});

/** The name of a cipher, in any case, or one of its aliases. */
export type CipherAlgorithm = CipherName | (string & {});

/** The name of a cipher with authentication, all in lower or upper case. */
export type AeadAlgorithm = AeadName | Uppercase<AeadName>;
type AeadName = Exclude<CipherName, `aes-${128 | 192 | 256}-ctr` | 'chacha20'>;

/** The name of a MAC, in any case: `hmac-` and a hash, or a keyed hash. */
export type MacAlgorithm =
  | `hmac-${HashName}`
  | `kmac${'' | 'xof'}${128 | 256}`
  | 'blake3'
  | 'blake2b512'
  | 'blake2s256'
  | (string & {});

/** The algorithm of a prepared key: a cipher or a MAC. */
export type KeyAlgorithm = CipherName | MacAlgorithm;

/** Returns the hash with that number. */
export function hashOf(id: number): HashFacts {
  return hashes[id]!;
}

/** Returns the cipher with that number. */
export function cipherOf(id: number): CipherFacts {
  return ciphers[id]!;
}

/** Returns a function that finds an algorithm by its name or an alias, ignoring case. */
function finder<Facts extends HashFacts | CipherFacts>(
  table: readonly Facts[],
): (name: string) => Facts | undefined {
  const names = new Map<string, Facts>();
  for (const facts of table)
    for (const name of [facts.name, ...facts.aliases]) names.set(name.toLowerCase(), facts);
  // Callers mostly use one algorithm: comparing with the last name saves the map's 8 ns.
  let lastName = '';
  let last: Facts | undefined;
  return (name) => {
    if (name === lastName) return last;
    const facts = names.get(name) ?? names.get(name.toLowerCase());
    if (facts !== undefined) {
      lastName = name;
      last = facts;
    }
    return facts;
  };
}

/** Returns the hash of that name or alias, ignoring case. */
export const findHash = /* @__PURE__ */ finder(hashes);

/** Returns the cipher of that name or alias, ignoring case. */
export const findCipher = /* @__PURE__ */ finder(ciphers);

/** Returns the hash of that name, or throws an error that suggests the nearest names. */
export function hashFacts(name: unknown, argument = 'algorithm'): HashFacts {
  if (typeof name !== 'string') throw wrongType(argument, 'a string', name);
  return findHash(name) ?? raise(unknownAlgorithm('hash', name, hashes, argument));
}

/** Returns the cipher of that name, or throws an error that suggests the nearest names. */
export function cipherFacts(name: unknown): CipherFacts {
  if (typeof name !== 'string') throw wrongType('algorithm', 'a string', name);
  return findCipher(name) ?? raise(unknownAlgorithm('cipher', name, ciphers));
}

/**
 * Returns the standard names of all ciphers, sorted.
 *
 * @example
 * ```js
 * import { getCiphers } from 'millrace';
 *
 * getCiphers(); // ['aes-128-ctr', 'aes-128-gcm', …]
 * ```
 */
export function getCiphers(): string[] {
  refuseSurplus(arguments, 0, 'getCiphers()');
  return ciphers.map(({ name }) => name).sort();
}

/**
 * Returns the standard names of all hashes, sorted.
 *
 * @example
 * ```js
 * import { getHashes } from 'millrace';
 *
 * getHashes().includes('sha256'); // true
 * ```
 */
export function getHashes(): string[] {
  refuseSurplus(arguments, 0, 'getHashes()');
  return hashes.map(({ name }) => name).sort();
}

/** Returns the names of the hashes that take a parameter. */
export function hashNamesWith(parameter: keyof ParameterRanges): string[] {
  return hashes
    .filter(({ parameters }) => parameters?.[parameter] !== undefined)
    .map(({ name }) => name);
}

function raise(error: Error): never {
  throw error;
}

function unknownAlgorithm(
  kind: 'hash' | 'cipher',
  name: string,
  table: readonly { readonly name: string; readonly aliases: readonly string[] }[],
  argument = 'algorithm',
): Error {
  const shown = shownName(
    name,
    table.flatMap((facts) => [facts.name, ...facts.aliases]),
  );
  const wanted = name.toLowerCase();
  const [pattern, text = ''] = hints.find(([each]) => each.test(wanted)) ?? [];
  const hint = pattern === undefined ? '' : wanted.replace(pattern, text);
  if (!shown.startsWith('"')) {
    const place = argument === 'algorithm' ? ', the first argument,' : '';
    const list = kind === 'hash' ? 'getHashes()' : 'getCiphers()';
    return makeError(
      'ERR_UNKNOWN_ALGORITHM',
      `${argument}${place} must be a name that ${list} lists, not ${shown}${hint}`,
    );
  }
  const nearest = table
    .map((facts) => ({
      name: facts.name,
      distance: facts.name.startsWith(wanted) ? 0 : distance(wanted, facts.name),
    }))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3);
  return makeError(
    'ERR_UNKNOWN_ALGORITHM',
    `${argument} ${shown} is not a known ${kind}; ` +
      `nearest: ${nearest.map((facts) => facts.name).join(', ')}${hint}`,
  );
}

/** Advice for names of other libraries, JOSE's (RFC 7518) and WebCrypto's among them. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^blake2[bs]-?\d+$/, "; other sizes are hash('blake2b512', data, { outputLength })"],
  [/^aes-?\d+-(?:cbc|ccm|cfb|ecb|ocb|ofb|xts)[^]*/, '; this mode is in node:crypto only'],
  [/^hmac$/, '; for createKey it is hmac-sha256 or another hmac- with a hash'],
  [/^hs(256|384|512)$/, "; that is hmac('sha$1', key, data)"],
  [/^rs(256|384|512)$/, "; pass 'sha$1'"],
  [/^ps(256|384|512)$/, "; pass 'sha$1' and padding: 'pss'"],
  [/^es(256|384|512)$/, "; pass 'sha$1' and dsaEncoding: 'ieee-p1363'"],
  [/^(?:eddsa|ed25519)$/, '; pass null for Ed25519'],
];
