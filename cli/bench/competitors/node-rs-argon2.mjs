// @node-rs/argon2: the RustCrypto argon2 through Node-API, on libuv's threads where it is
// asynchronous.

import { requirePackage, version } from '../packages.mjs';

export const name = '@node-rs/argon2';

export function load() {
  return { argon2: requirePackage(name), version: version(name) };
}

/** 2 is its number of argon2id. */
export function prepare(_tools, inputs) {
  const { memory, passes, parallelism } = inputs.parameters;
  inputs.argon = {
    algorithm: 2,
    memoryCost: memory,
    timeCost: passes,
    parallelism,
    outputLen: inputs.size,
    salt: inputs.salt,
  };
}

const argon2id = { group: 'kdf', algorithm: 'argon2id', output: 'buffer' };

export const forms = [
  {
    name: 'hashRawSync',
    ...argon2id,
    wait: 'sync',
    make:
      ({ argon2 }, { password, argon }) =>
      () =>
        argon2.hashRawSync(password, argon),
  },
  {
    name: 'hashRaw',
    ...argon2id,
    wait: 'promise',
    make:
      ({ argon2 }, { password, argon }) =>
      () =>
        argon2.hashRaw(password, argon),
  },
];
