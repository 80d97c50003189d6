// The packages for overrides have the sub-paths and names of every version of noble 1 that
// dependents pin. The versions are fetched by `npm run test:noble -- --versions`.

import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { writeNoblePackages } from '../../tools/noble-packages.mjs';
import { root, temporary } from '../support/child.mjs';
import { cachedPackage, fetchPackage } from '../support/registry.mjs';

const versions = {
  hashes:
    '1.1.0 1.1.1 1.1.2 1.1.3 1.1.4 1.1.5 1.2.0 1.3.0 1.3.1 1.3.2 1.3.3 1.4.0 1.5.0 1.6.0 1.6.1 ' +
    '1.7.0 1.7.1 1.7.2 1.8.0',
  ciphers: '1.0.0 1.1.0 1.1.1 1.1.2 1.1.3 1.2.0 1.2.1 1.3.0',
};
const fetched = process.env.MILLRACE_NOBLE_VERSIONS === 'fetch';
const skip = (name, version) =>
  !fetched &&
  !existsSync(cachedPackage(`@noble/${name}`, version)) &&
  'not installed: npm run test:noble -- --versions';
const packageOf = (name, version) => fetchPackage(`@noble/${name}`, version);
/** Returns what requires the modules of a version of noble itself. */
const nobleOf = (name, version) => createRequire(join(packageOf(name, version), 'program.js'));
const last = (list) => list.split(' ').at(-1);

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));

/** Installs the packages for overrides in the place of noble; returns what requires them. */
async function project() {
  const modules = join(folder, 'node_modules');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await writeNoblePackages(join(modules, '@noble'), manifest);
  symlinkSync(root, join(modules, 'millrace'), 'junction');
  for (const [name, list] of Object.entries(versions)) {
    renameSync(join(modules, '@noble', `noble-${name}-v1`), join(modules, '@noble', name));
    const version = last(list);
    if (skip(name, version)) continue;
    cpSync(packageOf(name, version), join(modules, `noble-${name}-original`), { recursive: true });
  }
  return createRequire(join(folder, 'program.js'));
}
const required = project();

/** Returns the sub-paths that a version exports. */
function pathsOf(name, version) {
  const file = join(packageOf(name, version), 'package.json');
  return Object.keys(JSON.parse(readFileSync(file, 'utf8')).exports);
}

const namesOf = (module) => Object.keys(module).filter((name) => name !== '__esModule');

for (const [name, list] of Object.entries(versions))
  for (const version of list.split(' ')) {
    test(
      `@millrace/noble-${name} has the names of @noble/${name} ${version}`,
      { skip: skip(name, version) },
      async () => {
        const require = await required;
        const noble = nobleOf(name, version);
        const paths = pathsOf(name, version).filter(
          (path) => !/^\.$|\.d\.ts$|package\.json$|\/index(\.js)?$/.test(path),
        );
        assert.ok(paths.length > 8);
        for (const path of paths) {
          const place = `@noble/${name}${path.slice(1)}`;
          const [expected, ours] = [noble(place), require(place)];
          const url = pathToFileURL(require.resolve(place));
          // The file beside it is the ES module.
          const module = await import(url.href.replace(/\.js$/, '.mjs'));
          for (const each of namesOf(expected)) {
            assert.ok(each in ours, `require ${path}: ${each}`);
            // A re-exported CommonJS module also has its own default.
            assert.ok(each in module, `import ${path}: ${each}`);
            if (typeof expected[each] === 'function')
              assert.equal(typeof ours[each], 'function', `${path}: ${each}`);
          }
        }
      },
    );
  }

/** Returns whether a call throws. */
function refuses(call) {
  try {
    call();
    return false;
  } catch {
    return true;
  }
}

test('the checks of _assert accept and refuse as those of 1.1 to 1.8', async (t) => {
  const list = versions.hashes.split(' ').slice(1);
  if (skip('hashes', '1.8.0')) return t.skip(skip('hashes', '1.8.0'));
  const require = await required;
  const ours = require('@noble/hashes/_assert');
  const { sha256 } = require('@noble/hashes/sha256');
  const used = { finished: true, destroyed: false, outputLen: 4 };
  const cases = [
    ...[5, 0, -1, 1.5, '5', null, undefined, true].map((each) => [each]),
    ...[new Uint8Array(4), new Uint8Array(3), [1]].flatMap((each) => [[each], [each, 4, 8]]),
    ...[sha256, () => {}, { create() {} }].map((each) => [each]),
    ...[used, { ...used, destroyed: true }].flatMap((each) => [[each], [each, false]]),
    [new Uint8Array(4), used],
    [new Uint8Array(3), used],
  ];
  for (const version of list) {
    const expected = nobleOf('hashes', version)('@noble/hashes/_assert');
    for (const module of [expected, expected.default ?? {}])
      for (const name of namesOf(module).filter((each) => each !== 'default')) {
        const mine = module === expected ? ours[name] : ours.default[name];
        const isOfInstance = /exists|output/.test(name);
        for (const given of cases) {
          // Checks of instances read their fields: bytes and instances only.
          if (isOfInstance && (typeof (given[1] ?? given[0]) !== 'object' || given[0] === null))
            continue;
          if (name === 'isBytes') assert.equal(mine(...given), module[name](...given));
          else
            assert.equal(
              refuses(() => mine(...given)),
              refuses(() => module[name](...given)),
              `${version} ${name}(${given})`,
            );
        }
      }
  }
});

test('names of older versions have their results', async (t) => {
  const reason = skip('hashes', '1.3.3') || skip('hashes', '1.7.2') || skip('ciphers', '1.1.0');
  if (reason) return t.skip(reason);
  const require = await required;
  const old = nobleOf('hashes', '1.3.3');
  const late = nobleOf('hashes', '1.7.2');
  const cipher = nobleOf('ciphers', '1.1.0');
  const our = (path) => require(`@noble/${path}`);
  assert.deepEqual(our('hashes/blake2s').IV, old('@noble/hashes/blake2s').IV);
  const data = Uint8Array.from({ length: 300 }, (_, index) => index);
  for (const name of ['Blake224', 'Blake256', 'Blake384', 'Blake512']) {
    const digest = (module) => new module[name]().update(data).digest();
    assert.deepEqual(digest(our('hashes/blake1')), digest(late('@noble/hashes/blake1')), name);
  }
  // A subclass: counts blocks instead of compressing them.
  const count = ({ SHA2 }) => {
    class Counter extends SHA2 {
      blocks = 0;
      constructor() {
        super(64, 4, 8, false);
      }
      get() {
        return [this.blocks];
      }
      set(blocks) {
        this.blocks = blocks;
      }
      destroy() {}
      process() {
        this.blocks++;
      }
      roundClean() {}
    }
    return new Counter().update(data).digest();
  };
  assert.deepEqual(count(our('hashes/_sha2')), count(old('@noble/hashes/_sha2')));
  for (const size of [16, 24, 32])
    for (const name of ['expandKeyLE', 'expandKeyDecLE'])
      assert.deepEqual(
        our('ciphers/aes')[name](data.slice(0, size)),
        cipher('@noble/ciphers/aes')[name](data.slice(0, size)),
      );
  const [ours, theirs] = [our('ciphers/utils'), cipher('@noble/ciphers/utils')];
  for (const utils of [ours, theirs]) {
    const calls = [];
    await utils.asyncLoop(3, 0, (index) => calls.push(index));
    assert.deepEqual(calls, [0, 1, 2]);
    const target = new Uint8Array(8);
    assert.equal(utils.getDst(8, target), target);
    assert.throws(() => utils.getDst(7, target), { message: /Uint8Array expected of length 7/ });
    assert.throws(() => utils.getDst(4, target.subarray(1, 5)), { message: 'unaligned output' });
    assert.deepEqual(utils.getDst(2), new Uint8Array(2));
    assert.equal(utils.u16(data.subarray(2, 7)).length, 2);
  }
});

/** Bundles a program for browsers. */
function bundle(contents, options) {
  const common = { bundle: true, format: 'esm', platform: 'browser', logLevel: 'silent' };
  return build({ ...common, stdin: { contents, resolveDir: folder }, ...options });
}

test('a bundle for browsers has only what it uses', async (t) => {
  if (skip('hashes', '1.8.0')) return t.skip(skip('hashes', '1.8.0'));
  await required;
  const size = async (contents) => {
    const [{ text }] = (await bundle(contents, { minify: true, write: false })).outputFiles;
    return text.trim() === '' ? 0 : gzipSync(text).length;
  };
  for (const module of ['sha256', 'utils', 'scrypt'])
    assert.equal(await size(`import * as all from '@noble/hashes/${module}';`), 0, module);
  const helper = await size(`import { bytesToHex } from '@noble/hashes/utils';
    console.log(bytesToHex(new Uint8Array(3)));`);
  assert.ok(helper <= 1200, `bytesToHex: ${helper} bytes`);
  // Millrace's hash, and for pbkdf2 noble's too, which serves other packages' hashes.
  for (const [names, path, limit] of [
    ['sha256', 'sha256', 8000],
    ['keccak_256', 'sha3', 8000],
    ['pbkdf2', 'pbkdf2', 6000],
  ]) {
    const importing = `import { ${names} } from '@noble/hashes/${path}';`;
    const used = await size(`${importing} console.log(${names});`);
    assert.ok(used < limit, `${names}: ${used} bytes`);
  }
});

test('in a bundle for browsers every module has all names, and noble serves the rest', async (t) => {
  const reason = skip('hashes', '1.8.0') || skip('ciphers', '1.3.0');
  if (reason) return t.skip(reason);
  await required;
  for (const [name, list] of Object.entries(versions)) {
    const paths = pathsOf(name, last(list)).filter((path) =>
      /^\.\/(?!index|_md|_micro).*\.js$/.test(path),
    );
    const lines = paths.map(
      (path) => `export * as '${path}' from '@noble/${name}${path.slice(1)}';`,
    );
    await bundle(lines.join('\n'), { outfile: join(folder, `${name}.mjs`) });
    const ours = await import(pathToFileURL(join(folder, `${name}.mjs`)).href);
    const noble = (path) => nobleOf(name, last(list))(`@noble/${name}${path.slice(1)}`);
    for (const path of paths)
      for (const each of namesOf(noble(path))) assert.ok(each in ours[path], `${path}: ${each}`);
    const [blank, twelve] = [new Uint8Array(1), new Uint8Array(12)];
    const bad = {
      hashes: (of) => of('./blake2.js').blake2b(blank, { dkLen: 65 }),
      ciphers: (of) => of('./aes.js').gcm(new Uint8Array(5), twelve).encrypt(blank),
    };
    const refusal = (of) => {
      try {
        return bad[name](of);
      } catch (error) {
        return error.message;
      }
    };
    const expected = refusal(noble);
    assert.equal(typeof expected, 'string');
    const found = refusal((path) => ours[path]);
    assert.equal(found, expected);
  }
});
