// A form is one way to call a competitor.

/** Inputs with what the parameters of `list` take apart. */
const noInputs = { parts: [], parameters: {} };

/**
 * Returns the forms of a competitor for one kind of row. `list` takes the competitor's tools and
 * the inputs of one job, and returns the calls by their words and names: the way of waiting, the
 * output, and the form of the key if there is only one; then a colon and the name.
 *
 * `list` is compiled anew for each measurement (runner.mjs) and is called without tools for the
 * names: it may use its parameters only, and only in calls.
 *
 * @param {{ group: string, algorithm?: string, operation?: string, alone?: boolean }} about
 *   `alone`: not for ten thousand calls at once, as a batch by single calls makes them
 * @param {(tools: any, inputs: any) => Record<string, Function>} list
 */
export function forms(about, list) {
  return Object.keys(list({}, noInputs)).map((key) => {
    const [words, name] = key.split(': ');
    const [wait, output, keyForm] = words.split(' ');
    return { name, wait, output, keyForm, ...about, list, key };
  });
}

/** Key derivation with node:crypto's arguments; the functions of `later` take a callback. */
export const derivations = [
  ...forms(
    { group: 'kdf', algorithm: 'scrypt' },
    ({ derive, later }, { password, salt, size, parameters }) => ({
      'sync buffer: scrypt': () => derive.scrypt(password, salt, size, parameters),
      'callback buffer: scrypt': (f) => later.scrypt(password, salt, size, parameters, f),
    }),
  ),
  ...forms(
    { group: 'kdf', algorithm: 'pbkdf2' },
    ({ derive, later }, { password, salt, size, parameters: { iterations, digest } }) => ({
      'sync buffer: pbkdf2': () => derive.pbkdf2(password, salt, iterations, size, digest),
      'callback buffer: pbkdf2': (done) =>
        later.pbkdf2(password, salt, iterations, size, digest, done),
    }),
  ),
  ...forms(
    { group: 'kdf', algorithm: 'hkdf' },
    ({ derive, later }, { password, salt, size, parameters: { digest } }) => ({
      'sync buffer: hkdf': () => derive.hkdf(digest, password, salt, '', size),
      'callback buffer: hkdf': (done) => later.hkdf(digest, password, salt, '', size, done),
    }),
  ),
  ...forms({ group: 'kdf', algorithm: 'argon2id' }, ({ derive, later }, { argon2 }) => ({
    'sync buffer: argon2': () => derive.argon2('argon2id', argon2),
    'callback buffer: argon2': (done) => later.argon2('argon2id', argon2, done),
  })),
];

/** Returns the argument of argon2 for a job. */
export function argon2Arguments({ group, password: message, salt: nonce, size, parameters }) {
  return group === 'kdf' && { message, nonce, tagLength: size, ...parameters };
}
