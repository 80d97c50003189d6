// The entry points that published vectors of public keys are run through, each with the arguments
// of node:crypto: Node.js itself, which is the control, and Millrace's, synchronous and not.

import nodeCrypto from 'node:crypto';

import millrace from 'millrace';
import shim from 'millrace/node-crypto';
import portable from 'millrace/portable';
import promises from 'millrace/promises';

/** Names of the algorithms and hashes that Millrace serves itself. */
const served =
  /^(ed25519|x25519|p-(256|384|521)|rsa|ml-(kem|dsa)-\d+|sha(1|224|256|384|512|512-224|512-256|3-\d+))$/;
const operations = [
  'sign',
  'verify',
  'diffieHellman',
  'encapsulate',
  'decapsulate',
  'privateDecrypt',
];

/**
 * Describes an entry point. `replaces` marks one that stands for node:crypto, and so gives its
 * answers to everything; the others serve what has a name in `served`.
 */
function entryPoint(name, keys, calls, { replaces = false, control = false } = {}) {
  const prepared = new WeakMap();
  /** Returns a key as calls take it: each form prepared once, and given as it is, in turn. */
  const keyBy = (create) => (forms, index) => {
    const form = forms[(index >> 1) % forms.length];
    if (index % 2 === 1) return form;
    if (!prepared.has(form)) prepared.set(form, keys[create](form));
    return { key: prepared.get(form) };
  };
  return {
    name,
    control,
    replaces,
    ...calls,
    publicKey: keyBy('createPublicKey'),
    privateKey: keyBy('createPrivateKey'),
    publicOf: ({ key, ...form }) =>
      keys.createPublicKey(
        form.format === undefined ? key : keys.createPrivateKey({ key, ...form }),
      ),
    serves: (needs) => control || replaces || needs.every((each) => served.test(each)),
  };
}

const only = (module, change = (call) => call) =>
  Object.fromEntries(
    operations
      .filter((each) => typeof module[each] === 'function')
      .map((each) => [each, change(module[each], each)]),
  );

/** Calls with a callback, which older versions of Node.js ignore in some functions. */
const waiting =
  (call) =>
  (...given) =>
    new Promise((done, fail) => {
      const answer = call(...given, (error, value) => (error ? fail(error) : done(value)));
      if (answer !== undefined) done(answer);
    });

/** The first is the control. */
export const entryPoints = [
  entryPoint('node:crypto', nodeCrypto, only(nodeCrypto), { control: true }),
  entryPoint('millrace', millrace, only(millrace)),
  entryPoint('millrace/promises', millrace, only(promises)),
  entryPoint('millrace/portable', portable, only(portable)),
  entryPoint('millrace/node-crypto', shim, only(shim), { replaces: true }),
  entryPoint('millrace/node-crypto, callbacks', shim, only(shim, waiting), { replaces: true }),
];
