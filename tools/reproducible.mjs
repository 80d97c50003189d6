// Builds one commit twice, in folders of different names and lengths, and compares the bytes.
//
//   node tools/reproducible.mjs [linux-x64-gnu | front] [--shipped] [--against FOLDER]
//
// It builds HEAD, not the working tree. `front` is the JavaScript with its WebAssembly: what npm
// packs below dist/. --shipped takes the profile of releases. --against builds once, and compares
// with the files that tools/release/pack.mjs made, which may come from another machine.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { npm } from './install.mjs';
import { buildRow } from './platforms/build.mjs';
import { rows } from './platforms/rows.mjs';
import { Stop, root, step } from './steps.mjs';

const place = join(root, 'target', 'reproducible');

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { shipped: { type: 'boolean', default: false }, against: { type: 'string' } },
  });
  const name = positionals[0] ?? 'linux-x64-gnu';
  const row = rows.find((each) => each.name === name && each.builder !== undefined);
  if (row === undefined && name !== 'front')
    throw new Stop(`millrace: no platform ${name} is built`);
  const build = row ? (source) => library(row, values.shipped, source) : front;
  rmSync(place, { recursive: true, force: true });
  const first = await build(checkout('a'));
  const second =
    values.against === undefined
      ? await build(checkout(join('another-folder-of-the-same-commit', 'b')))
      : packed(name, resolve(values.against));
  compare(first, second);
} catch (error) {
  if (!(error instanceof Stop) && !String(error?.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Writes the files of HEAD to a folder, and returns it. */
function checkout(folder) {
  const source = join(place, folder);
  mkdirSync(source, { recursive: true });
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', source], { input: archive });
  return source;
}

/** Builds a platform's library. Returns files by name. */
async function library(row, shipped, source) {
  const bytes = readFileSync(await buildRow(row, { shipped, source, remap: true }));
  if (bytes.includes(place))
    throw new Stop('millrace: the library has the path of its folder in it');
  return new Map([[`millrace.${row.name}.node`, bytes]]);
}

/** Builds the JavaScript and WebAssembly. Returns the files that npm packs below dist/, by path. */
async function front(source) {
  const env = { ...process.env, MILLRACE_CACHE: 'off' };
  const run = (title, args) => {
    const [command, all, options] = npm(args);
    return step(title, command, all, { ...options, cwd: source, env });
  };
  await run('install npm packages', ['ci', '--ignore-scripts']);
  await run('build the JavaScript and WebAssembly', ['run', 'build', '--', 'front']);
  const output = await run('list files', ['pack', '--dry-run', '--json', '--ignore-scripts']);
  const [{ files }] = Object.values(JSON.parse(output));
  const paths = files.map(({ path }) => path).filter((path) => path.startsWith('dist/'));
  return new Map(paths.map((path) => [path, readFileSync(join(source, path))]));
}

/** Returns the files that pack.mjs made: a library, or those below dist/ in the tarball. */
function packed(name, folder) {
  if (name !== 'front') {
    const file = `millrace.${name}.node`;
    return new Map([[file, readFileSync(join(folder, file))]]);
  }
  const tarball = readdirSync(folder).find((file) => /^millrace-\d.*\.tgz$/.test(file));
  if (tarball === undefined) throw new Stop(`millrace: no tarball of millrace in ${folder}`);
  const opened = mkdtempSync(join(tmpdir(), 'millrace-packed-'));
  try {
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', opened]);
    const dist = join(opened, 'package', 'dist');
    return new Map(
      readdirSync(dist, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name: file }) => join(parentPath, file))
        .map((path) => [
          `dist${path.slice(dist.length).replaceAll('\\', '/')}`,
          readFileSync(path),
        ]),
    );
  } finally {
    rmSync(opened, { recursive: true, force: true });
  }
}

/** Prints a digest of all files; fails if one differs or only one of both has it. */
function compare(first, second) {
  const names = [...new Set([...first.keys(), ...second.keys()])].sort();
  const unlike = names.filter(
    (name) => !first.has(name) || !second.has(name) || !first.get(name).equals(second.get(name)),
  );
  if (unlike.length > 0)
    throw new Stop(
      `millrace: ${unlike.length} of ${names.length} files differ: ${unlike.join(', ')}`,
    );
  const sum = createHash('sha256');
  for (const name of names) sum.update(`${name}\0`).update(first.get(name));
  console.log(`${sum.digest('hex')}  ${names.length} files, equal`);
}
