// The licences of everything that is compiled into a platform's binary: the crates that cargo
// links, AWS-LC among them, and Rust's standard library with what it is made of. Written into each
// platform package as LICENSES.txt.
//
//   node tools/notices.mjs [linux-x64-gnu]    prints it
//
// cargo-about does the like: 216 crates to compile, for a list without the standard library.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { hostPlatform, platforms } from './platforms.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe } from './steps.mjs';

const LICENCE_FILE = /^(licen[cs]e|copying|copyright|notice|unlicense)/i;

/** Crates with packages that lack the licence, as their repositories have it. */
const missingFiles = {
  'napi-sys': {
    license: 'MIT',
    text: `MIT License

Copyright (c) 2020 LongYinan
Copyright (c) 2018 GitHub

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`,
  },
};

/** Licences of sources that are deeper in a crate. */
const deeperFiles = {
  'aws-lc-sys': ['aws-lc/LICENSE', 'aws-lc/third_party/fiat/LICENSE'],
  'secp256k1-sys': ['depend/secp256k1/COPYING'],
};

/**
 * Crates of the standard library that its list lacks: those that print backtraces. All may be used
 * under Apache-2.0, 0BSD or the Unlicense, which ask for no line of their owners.
 */
const backtraceCrates = {
  addr2line: 'Apache-2.0 OR MIT',
  adler2: '0BSD OR MIT OR Apache-2.0',
  memchr: 'Unlicense OR MIT',
  miniz_oxide: 'MIT OR Zlib OR Apache-2.0',
  object: 'Apache-2.0 OR MIT',
};

/** Parts of the standard library itself, and what only its crates test and proc_macro use. */
const notListed =
  /^(alloc|core|std|std_detect|panic_\w+|unwind|test|proc_macro|profiler_builtins|sysroot|compiler_builtins|rustc_std_workspace_\w+|getopts|rustc_literal_escaper)$/;

/**
 * The licences that LICENSES.txt has, the preferred ones first; deny.toml allows them for crates.
 */
const accepted = 'MIT ISC Apache-2.0 BSD-3-Clause Unicode-3.0 Unlicense Zlib CC0-1.0'.split(' ');

/**
 * Returns LICENSES.txt for a platform of platforms.mjs, and the SPDX expression of all of it.
 *
 * @returns {Promise<{ text: string, license: string }>}
 */
export async function notices(platform) {
  const parts = [
    ...(await crates('millrace-node', platform.rust)),
    ...(await standardLibrary(platform.rust)),
  ];
  return {
    license: [...new Set(['MIT', ...parts.flatMap(({ license }) => chosen(license))])]
      .sort()
      .join(' AND '),
    text: `Compiled into the ${platform.name} binary of millrace:\n\n${listed(parts)}`,
  };
}

/**
 * Returns the licences of what a crate's WebAssembly module contains. Toolchains of distributions
 * may lack those of the standard library.
 */
export async function moduleNotices(crate, target) {
  const parts = await crates(crate, target);
  const folder = (await ask('rustc', ['--print', 'sysroot'])).trim();
  if (existsSync(join(folder, 'share', 'doc', 'rust', 'COPYRIGHT-library.html')))
    parts.push(...(await standardLibrary(target)));
  return `Compiled into the WebAssembly modules:\n\n${listed(parts)}`;
}

/** Returns the names and the texts. */
function listed(parts) {
  const texts = new Map();
  for (const { title, texts: own } of parts) {
    for (const text of own) {
      const key = text.replace(/\s+/g, ' ').trim();
      if (!texts.has(key)) texts.set(key, { text: tidied(text), titles: [] });
      texts.get(key).titles.push(title);
    }
  }
  const line = '-'.repeat(80);
  const list = parts.map(({ title, license }) => `${title} (${license})`);
  const sections = [...texts.values()].map(
    ({ titles, text }) => `${line}\n${[...new Set(titles)].join('\n')}\n${line}\n\n${text}\n`,
  );
  return `${list.join('\n')}\n\n${sections.join('\n')}`;
}

/**
 * Returns the licences of an SPDX expression that apply if an accepted one is taken in each choice.
 */
function chosen(expression) {
  const flat = expression.replace(/\(([^()]*)\)/g, (_, group) => choice(group.split(' OR ')));
  return flat.includes(' AND ') ? flat.split(' AND ') : [choice(flat.split(/ OR |\//))];
}

function choice(licences) {
  const found = accepted.find((each) => licences.includes(each));
  if (found === undefined)
    throw new Stop(`millrace: no accepted licence among ${licences.join(', ')}`);
  return found;
}

/**
 * Returns the crates that one of ours links on a target, without ours and those that only run
 * during the build.
 */
async function crates(own, target) {
  // The tree has the features of the build; the metadata has those that the tests switch on, too.
  const tree = [
    'tree',
    '--package',
    own,
    '--edges',
    'normal,no-proc-macro',
    '--target',
    target,
    '--prefix',
    'none',
    '--format',
    '{p}',
    '--locked',
  ];
  const linked = new Set(
    (await ask('cargo', tree)).split('\n').map((line) => line.split(' ', 2).join(' ')),
  );
  const { packages } = JSON.parse(
    await ask('cargo', [
      'metadata',
      '--format-version',
      '1',
      '--locked',
      '--filter-platform',
      target,
    ]),
  );
  return packages
    .filter(({ name, version, source }) => source !== null && linked.has(`${name} v${version}`))
    .map(crate)
    .sort((left, right) => left.title.localeCompare(right.title, 'en'));
}

function crate({ name, version, license, manifest_path: manifest }) {
  const folder = dirname(manifest);
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const texts = [...files, ...(deeperFiles[name] ?? [])].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );
  if (texts.length === 0) {
    const known = missingFiles[name];
    if (known?.license !== license)
      throw new Stop(
        `millrace: ${name} ${version} (${license}) has no licence file; tools/notices.mjs needs ` +
          `its text`,
      );
    texts.push(known.text);
  }
  return { title: `${name} ${version}`, license, texts };
}

/**
 * Returns Rust's standard library and the crates in it on a target, which are the files of its
 * folder. Their licences are those of the toolchain's own notices, which list the crates of all
 * targets.
 */
async function standardLibrary(target) {
  const sysroot = (await ask('rustc', ['--print', 'sysroot'])).trim();
  const libraries = join(sysroot, 'lib', 'rustlib', target, 'lib');
  if (!existsSync(libraries))
    throw new Stop(`millrace: the standard library is not there: rustup target add ${target}`);
  const linked = readdirSync(libraries)
    .flatMap((file) => /^lib(\w+)-[\da-f]+\.rlib$/.exec(file)?.[1] ?? [])
    .filter((name) => !notListed.test(name));
  const folder = join(sysroot, 'share', 'doc', 'rust');
  const [, version] = /^rustc (\S+)/.exec(await ask('rustc', ['--version']));
  const html = readFileSync(join(folder, 'COPYRIGHT-library.html'), 'utf8');
  const own = ['MIT.txt', 'Apache-2.0.txt', 'Unicode-3.0.txt'].map((file) =>
    readFileSync(join(folder, 'licenses', file), 'utf8'),
  );
  const std = {
    title: `Rust's standard library ${version}, copyright The Rust Project Developers`,
    license: '(MIT OR Apache-2.0) AND Unicode-3.0',
    texts: own,
  };
  const dependencies = html
    .split(/<h3>📦 /)
    .slice(1)
    .map((section) => {
      const [, name, number] = /^(.*?)-(\d[^<]*)<\/h3>/.exec(section);
      const license = plain(/<b>License:<\/b> ([^<]*)/.exec(section)[1]);
      const authors = plain(/<b>Authors:<\/b> ([^<]*)/.exec(section)?.[1] ?? '');
      const texts = [...section.matchAll(/<pre>([^]*?)<\/pre>/g)].map(([, text]) => plain(text));
      return {
        name,
        title:
          `${name} ${number} of the standard ` +
          `library${authors && texts.length === 0 ? `, by ${authors}` : ''}`,
        license,
        texts,
      };
    });
  const found = linked.map((name) => {
    const known = dependencies.find((each) => each.name.replaceAll('-', '_') === name);
    if (known !== undefined) return known;
    const license = backtraceCrates[name];
    if (license === undefined)
      throw new Stop(`millrace: ${name} of the standard library has no known licence`);
    return { title: `${name} of the standard library`, license, texts: own };
  });
  return [std, ...found.sort((left, right) => left.title.localeCompare(right.title, 'en'))];
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function plain(html) {
  return html.replace(/&(?:#(\d+)|(\w+));/g, (all, number, name) =>
    number === undefined ? (entities[name] ?? all) : String.fromCodePoint(Number(number)),
  );
}

function tidied(text) {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
}

async function ask(command, args) {
  const answer = await probe(command, args, { env: await prepareNativeBuild() });
  if (answer?.code !== 0)
    throw new Stop(`millrace: ${command} ${args.join(' ')}: ${answer?.stderr ?? 'not found'}`);
  return answer.stdout;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const name = process.argv[2] ?? hostPlatform();
  const platform = platforms.find((each) => each.name === name);
  if (platform === undefined) throw new Stop(`millrace: no platform ${name}`);
  process.stdout.write((await notices(platform)).text);
}
