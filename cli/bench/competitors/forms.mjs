// A form is one way to call a competitor.

/** Inputs with what the parameters of `list` take apart. */
const noInputs = { parts: [], parameters: {} };

/**
 * Returns the forms of a competitor for one kind of row. `list` takes the competitor's tools and
 * the inputs of one job, and returns an array for each form: its name, its words and the call. The
 * words are the way of waiting, the output, and the form of the key if there is only one.
 *
 * `list` is compiled anew for each measurement (runner.mjs) and is called without tools for the
 * names: it may use its parameters only, and only in calls.
 *
 * @param {{ group: string, algorithm?: string, operation?: string }} about
 * @param {(tools: any, inputs: any) => [name: string, words: string, call: Function][]} list
 */
export function forms(about, list) {
  return list({}, noInputs).map(([name, words], index) => {
    const [wait, output, keyForm] = words.split(' ');
    return { name, wait, output, keyForm, ...about, list, index };
  });
}

/** Key derivation with node:crypto's arguments; the functions of `later` take a callback. */
export const derivations = [
  ...forms(
    { group: 'kdf', algorithm: 'scrypt' },
    ({ derive, later }, { password, salt, size, parameters }) => [
      ['scrypt', 'sync buffer', () => derive.scrypt(password, salt, size, parameters)],
      ['scrypt', 'callback buffer', (f) => later.scrypt(password, salt, size, parameters, f)],
    ],
  ),
  ...forms(
    { group: 'kdf', algorithm: 'pbkdf2' },
    ({ derive, later }, { password, salt, size, parameters: { iterations, digest } }) => [
      ['pbkdf2', 'sync buffer', () => derive.pbkdf2(password, salt, iterations, size, digest)],
      [
        'pbkdf2',
        'callback buffer',
        (done) => later.pbkdf2(password, salt, iterations, size, digest, done),
      ],
    ],
  ),
  ...forms(
    { group: 'kdf', algorithm: 'hkdf' },
    ({ derive, later }, { password, salt, size, parameters: { digest } }) => [
      ['hkdf', 'sync buffer', () => derive.hkdf(digest, password, salt, '', size)],
      ['hkdf', 'callback buffer', (done) => later.hkdf(digest, password, salt, '', size, done)],
    ],
  ),
  ...forms({ group: 'kdf', algorithm: 'argon2id' }, ({ derive, later }, { argon2 }) => [
    ['argon2', 'sync buffer', () => derive.argon2('argon2id', argon2)],
    ['argon2', 'callback buffer', (done) => later.argon2('argon2id', argon2, done)],
  ]),
];

/** Returns the argument of argon2 for a job. */
export function argon2Arguments({ group, password: message, salt: nonce, size, parameters }) {
  return group === 'kdf' && { message, nonce, tagLength: size, ...parameters };
}
