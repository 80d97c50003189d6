// bigint-buffer 1.1, which bigint-hash's users import beside it.

import { needsAddon, requirePackage, version } from '../packages.mjs';

export const name = 'bigint-buffer';

export function load() {
  needsAddon(name, 'build/Release/bigint_buffer.node');
  return { convert: requirePackage(name), version: version(name) };
}

export function prepare() {}

const convert = { group: 'convert', wait: 'sync' };

export const forms = [
  {
    name: 'toBigIntBE',
    ...convert,
    algorithm: 'toBigIntBE',
    output: 'bigint',
    make:
      ({ convert }, { source }) =>
      () =>
        convert.toBigIntBE(source),
  },
  {
    name: 'toBigIntLE',
    ...convert,
    algorithm: 'toBigIntLE',
    output: 'bigint',
    make:
      ({ convert }, { source }) =>
      () =>
        convert.toBigIntLE(source),
  },
  {
    name: 'toBufferBE',
    ...convert,
    algorithm: 'toBufferBE',
    output: 'buffer',
    make:
      ({ convert }, { number, size }) =>
      () =>
        convert.toBufferBE(number, size),
  },
  {
    name: 'toBufferLE',
    ...convert,
    algorithm: 'toBufferLE',
    output: 'buffer',
    make:
      ({ convert }, { number, size }) =>
      () =>
        convert.toBufferLE(number, size),
  },
];
