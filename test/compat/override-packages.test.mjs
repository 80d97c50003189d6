// The packages of tools/override-packages.mjs, in the place of the originals: their modules load by
// import and require, have the names of the original's and Millrace's functions.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import {
  overrideFolders,
  overrideTag,
  overrideOf,
  writeOverridePackages,
} from '../../tools/override-packages.mjs';
import { root, temporary } from '../support/child.mjs';
import { fetchPackage } from '../support/registry.mjs';

const folder = temporary();
after(() => rmSync(folder, { recursive: true, force: true }));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
writeOverridePackages(join(folder, 'packages'), manifest);

/** The packages, and where the original of each is. */
const installed = (name) => join(root, 'node_modules', ...name.split('/'));
const originals = {
  'tweetnacl-v0': () => fetchPackage('tweetnacl', '0.14.5'),
  'tweetnacl-v1': () => installed('tweetnacl'),
  'noble-curves-v1': () => fetchPackage('@noble/curves', '1.9.7'),
  'noble-curves-v2': () => installed('@noble/curves'),
  'noble-post-quantum-v0': () => installed('@noble/post-quantum'),
};
const scopes = { '@noble/curves': '1.8.0' };

/** Lays a package out as a manager does; returns its name, manifest and folder. */
function layOut(name) {
  const place = join(folder, name);
  const own = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'));
  const [alias, spec] = Object.entries(own.dependencies).find(([, each]) => each.startsWith('npm'));
  const original = /^npm:(.*)@/.exec(spec)[1];
  const put = (from, to) => cpSync(from, join(place, 'node_modules', to), { recursive: true });
  put(join(folder, 'packages', name), original);
  put(originals[name](), alias);
  if (name === 'noble-curves-v1')
    put(fetchPackage('@noble/hashes', scopes[original]), '@noble/hashes');
  else for (const each of ['hashes', 'ciphers']) put(installed(`@noble/${each}`), `@noble/${each}`);
  if (original === '@noble/post-quantum') put(installed('@noble/curves'), '@noble/curves');
  symlinkSync(root, join(place, 'node_modules', 'millrace'), 'junction');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'program.mjs'), '');
  return { original, own, place, alias };
}

test('every package names its version, its tag and its original', () => {
  assert.deepEqual(Object.keys(originals), overrideFolders);
  const tags = overrideFolders.map(overrideTag);
  assert.deepEqual(tags, ['latest-0', 'latest', 'latest-1', 'latest', 'latest']);
  for (const name of overrideFolders) {
    const own = JSON.parse(readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'));
    assert.equal(own.dependencies.millrace, manifest.version);
    assert.match(own.version, /^\d+\.\d+\.\d+$/);
  }
});

for (const name of overrideFolders) {
  let found;
  try {
    found = layOut(name);
  } catch (error) {
    console.log(`skipped: ${name}: the original cannot be fetched: ${error.message}`);
    continue;
  }
  const { original, own, place, alias } = found;
  const require = createRequire(join(place, 'program.mjs'));
  const load = async (path) => import(pathToFileURL(require.resolve(path)).href);

  if (original === 'tweetnacl')
    test(`${name}: each file of the original is Millrace's`, async () => {
      const theirs = require(alias);
      for (const path of ['', '/nacl.js', '/nacl-fast.js', '/nacl.min.js', '/nacl-fast.min.js']) {
        const nacl = require(`${original}${path}`);
        assert.notEqual(nacl.box, theirs.box);
        assert.equal(nacl.verify, theirs.verify);
        assert.equal((await load(`${original}${path}`)).default, nacl);
      }
      assert.equal(require(`${original}/browser.js`), theirs);
    });
  else
    test(`${name}: has the modules and names of the original`, async () => {
      const { natives } = overrideOf(name);
      const modules = JSON.parse(readFileSync(join(originals[name](), 'package.json'))).exports;
      assert.deepEqual(
        Object.keys(modules).filter((path) => !(path in own.exports)),
        [],
      );
      for (const path of Object.keys(modules).filter((each) => !/index|package/.test(each))) {
        if (path === '.') continue;
        const [ours, theirs] = [original, alias].map((each) => join(each, path));
        const [made, kept] = [require(ours), require(theirs)];
        const visible = (module) =>
          Object.keys(module)
            .filter((each) => each !== '__esModule')
            .sort();
        assert.deepEqual(visible(made), visible(kept), path);
        const file = own.exports[path].import;
        const entry = join(dirname(require.resolve(`${original}/package.json`)), file);
        const esm = await import(pathToFileURL(entry).href);
        for (const each of visible(kept)) assert.ok(each in esm, `${path}: ${each}`);
        const native = natives[path.slice(2).replace(/\.js$/, '')]?.split(' ') ?? [];
        for (const each of visible(kept))
          assert.equal(made[each] !== kept[each], native.includes(each), `${path}: ${each}`);
        // The browser has the original.
        const browser = readFileSync(entry.replace(/\.mjs$/, '.browser.mjs'), 'utf8');
        assert.match(browser, new RegExp(`^export \\* from '${alias}[^']*';\n$`));
      }
    });
}
