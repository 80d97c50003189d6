// Builds the native binary (cargo) and the TypeScript front (declarations by tsc, bundles by
// bundle-node.mjs and bundle.mjs, and the chart library of the benchmark) if they are out of date.
// `npm run build` (verbs.mjs) has the options.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

import { cached, keep } from './cache.mjs';
import { cargo, compilers } from './cargo.mjs';
import { fingerprint, upToDate } from './fingerprint.mjs';
import { hostPlatform, platforms } from './platforms.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { Stop, probe, root, step, told } from './steps.mjs';
import { buildModules } from './wasm.mjs';

/** The chart library of `millrace bench`. It is part of the package, which has no dependencies. */
const charts = ['dist/uPlot.iife.min.js', 'dist/uPlot.min.css', 'LICENSE'];

/** The modules of the package's entry points, relative to src and to dist. */
const entryPoints = [
  'index',
  'promises',
  'age',
  'compat/crypto-async',
  'compat/aws-checksums',
  'compat/bigint-hash',
  'compat/bigint-buffer',
  'compat/noble-hashes',
  'compat/noble-ciphers',
  'compat/ethers',
  'compat/webcrypto',
  'portable/entry',
];

/** Entry points that exist in Node.js only. They are files of their own, beside the core. */
const nodeEntries = [
  'compat/node-crypto',
  'compat/overrides',
  'compat/register',
  'compat/register-webcrypto',
];

/**
 * The exports of node:crypto in Node.js 20 to 26. An ES module names its exports before it runs:
 * those that the running version lacks are undefined.
 */
const nodeCryptoNames = `
  Certificate Cipher Cipheriv Decipher Decipheriv DiffieHellman DiffieHellmanGroup ECDH Hash Hmac
  KeyObject Sign Verify X509Certificate argon2 argon2Sync checkPrime checkPrimeSync constants
  createCipheriv createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH createHash
  createHmac createMac createPrivateKey createPublicKey createSecretKey createSign createVerify
  decapsulate diffieHellman encapsulate generateKey generateKeyPair generateKeyPairSync
  generateKeySync generatePrime generatePrimeSync getCipherInfo getCiphers getCurves
  getDiffieHellman getFips getHashes getMacs getRandomValues hash hkdf hkdfSync parsePKCS12 pbkdf2
  pbkdf2Sync privateDecrypt privateEncrypt publicDecrypt publicEncrypt randomBytes randomFill
  randomFillSync randomInt randomUUID randomUUIDv7 scrypt scryptSync secureHeapUsed setEngine
  setFips sign subtle timingSafeEqual verify webcrypto`
  .trim()
  .split(/\s+/);

/** Entry points that are not in the core, which others would load too, and their files. */
const lateEntryPoints = {
  age: 'streams/age/pumps',
  'compat/noble-hashes': 'compat/noble/hash-modules',
  'compat/noble-ciphers': 'compat/noble/cipher-modules',
  'compat/webcrypto': 'compat/webcrypto/subtle',
};

/** The tests of the original packages load dist/node.js and dist/browser.js. */
const originalEntries = ['bigint-hash', 'bigint-buffer'].flatMap((name) =>
  ['node', 'browser'].map((entry) => ({ name, path: join(name, entry) })),
);

/** The binary with allocations that fail on demand, for test/lifecycle/allocations.test.mjs. */
export const failingBinary = join(root, 'target', 'failing-allocator', 'millrace.node');

/** Builds {@link failingBinary}. Cargo decides whether it is up to date. */
export async function buildFailingBinary() {
  const title = 'build native code with a failing allocator';
  const args = [...cargoBuild('development'), '--features', 'failing-allocator'];
  const messages = await cargo(title, args, { errorOutput: 'stderr' });
  mkdirSync(dirname(failingBinary), { recursive: true });
  replace(builtLibrary(messages), failingBinary);
}

/** Returns the arguments of cargo that build the binding. */
function cargoBuild(profile) {
  const args = ['build', '--profile', profile, '--package', 'millrace-node'];
  return [...args, '--message-format', 'json-render-diagnostics'];
}

/**
 * Checks that native/millrace.<platform>.node can be built, if it is out of date. Resolves to the
 * function that writes it: that of the cache, or what cargo builds. With the profile `development`
 * a binary of the shipped profile is accepted too.
 *
 * @param {{ force?: boolean, target?: string, profile?: 'release' | 'development' }} options
 */
export async function planNative({ force = false, target, profile = 'release' } = {}) {
  const platform = target === undefined ? hostPlatform() : platformOfTarget(target);
  const binary = join(root, 'native', `millrace.${platform}.node`);
  const stamp = join(root, 'native', `.stamp-${platform}`);
  const sources = fingerprint(
    ['Cargo.toml', 'rust-toolchain.toml', '.cargo/config.toml', 'crates'],
    [target, process.env.RUSTFLAGS, process.env.CARGO_BUILD_TARGET],
  );
  const stampOf = (name) => `${name} ${sources}${fingerprint(['Cargo.lock'], [])}`;
  const accepted = [...new Set(['release', profile])];
  if (!force && accepted.some((name) => upToDate(stamp, stampOf(name), [binary]))) return () => {};
  const env = await prepareNativeBuild();
  return () => writeNative();

  async function writeNative() {
    mkdirSync(join(root, 'native'), { recursive: true });
    const account = join(root, 'native', `.build-${platform}.json`);
    const tools = await compilers(env);
    for (const name of accepted) {
      const found = force ? undefined : cached('native', [stampOf(name), tools]);
      if (found === undefined) continue;
      replace(join(found, 'millrace.node'), binary);
      copyFileSync(join(found, 'build.json'), account);
      writeFileSync(stamp, stampOf(name));
      return told('build native code', 'from the cache');
    }
    const args = cargoBuild(profile);
    if (target !== undefined) args.push('--target', target);
    const long = profile === 'release' || !existsSync(binary);
    const title = `build native code${long ? ' (a minute or two)' : ''}`;
    const messages = await cargo(title, args, { errorOutput: 'stderr' });

    replace(builtLibrary(messages), binary);
    writeFileSync(account, profileOf(env, profile));
    writeFileSync(stamp, stampOf(profile)); // the lockfile as cargo left it
    keep('native', [stampOf(profile), tools], (folder) => {
      copyFileSync(binary, join(folder, 'millrace.node'));
      copyFileSync(account, join(folder, 'build.json'));
    });
  }
}

/**
 * Writes declarations with tsc, JavaScript with esbuild, and the entries of the original packages.
 * It loads the entry points to list their exports, when `native` says that the binary is there.
 *
 * With `nodeOnly` it leaves bundles for browsers and bundlers as an earlier build wrote them, or
 * out, and with `loop` modules of the portable engine are built in seconds. With `stubs` modules
 * that were never built stand in for those of the portable engine.
 *
 * @param {{ force?: boolean, keepModules?: boolean, loop?: boolean, nodeOnly?: boolean,
 *   stubs?: boolean, native?: Promise<void> }} options
 */
export async function buildFront({
  force = false,
  keepModules = false,
  loop = false,
  nodeOnly = false,
  stubs = false,
  native = Promise.resolve(),
} = {}) {
  const dist = join(root, 'dist');
  const stamp = join(dist, '.stamp-front');
  const outputs = [
    join(dist, 'core.js'),
    ...entryPoints.flatMap((name) =>
      ['.js', '.mjs', '.d.ts', '.d.mts'].map((end) => join(dist, name + end)),
    ),
    ...nodeEntries.flatMap((name) =>
      ['.js', '.mjs', '.d.ts', '.d.mts', '.absent.mjs'].map((end) => join(dist, name + end)),
    ),
    ...originalEntries.flatMap(({ path }) => ['.js', '.d.ts'].map((end) => join(dist, path + end))),
    ...charts.map((file) => join(dist, 'uplot', basename(file))),
  ];
  await buildModules({ force, keep: keepModules, stubs, loop });
  const sources = fingerprint(
    [
      'src',
      'tsconfig.json',
      'package.json',
      'package-lock.json',
      'tools/build.mjs',
      'tools/bundle.mjs',
      'tools/bundle-node.mjs',
      'tools/noble-modules.mjs',
    ],
    [],
  );
  if (!force && upToDate(stamp, sources, outputs)) return native;
  // What the stamp says if the other bundles are older, or not there.
  const nodeSources = `${sources} for Node.js`;
  const partial = nodeOnly && !force;
  if (partial && upToDate(stamp, nodeSources, outputs)) return native;

  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(tsc))
    throw new Stop('millrace: TypeScript is not installed: run `npm ci` first.');
  const [
    { bundleForWeb },
    { bundleForBundlers, bundleForNode, entryFiles },
    { writeNobleModules },
  ] = await Promise.all([
    import('./bundle.mjs'),
    import('./bundle-node.mjs'),
    import('./noble-modules.mjs'),
  ]);
  const [listing, ...bundled] = await Promise.all([
    step('build TypeScript', process.execPath, [tsc, '--project', root, '--listEmittedFiles']),
    bundleForNode(dist, entryPoints),
    partial ? [] : bundleForWeb(dist),
  ]);
  await native;
  const namesOf = await writeEntryPoints(dist, entryFiles);
  const written = new Set([
    ...(listing.match(/(?<=^TSFILE: ).*(?=\s*$)/gm) ?? []).map((file) =>
      relative(dist, file.trim()),
    ),
    ...bundled.flat(),
    ...entryPoints.flatMap((name) => ['.js', '.mjs', '.d.mts'].map((end) => name + end)),
  ]);
  for (const { name, path } of originalEntries) {
    mkdirSync(join(dist, name), { recursive: true });
    writeFileSync(join(dist, `${path}.js`), `module.exports = require('../compat/${name}.js');\n`);
    writeFileSync(join(dist, `${path}.d.ts`), `export * from '../compat/${name}.js';\n`);
    written.add(`${path}.js`).add(`${path}.d.ts`);
  }
  for (const file of writeNodeEntries(dist)) written.add(file);
  mkdirSync(join(dist, 'uplot'), { recursive: true });
  for (const file of charts) {
    copyFileSync(join(root, 'node_modules', 'uplot', file), join(dist, 'uplot', basename(file)));
    written.add(join('uplot', basename(file)));
  }
  if (partial) {
    writeFileSync(stamp, nodeSources);
    return;
  }
  for (const file of await bundleForBundlers(dist, entryPoints, namesOf['compat/crypto-async']))
    written.add(file);
  for (const file of await writeNobleModules(dist)) written.add(file);
  for (const file of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = relative(dist, join(file.parentPath ?? file.path, file.name));
    // The source of this file was removed.
    if (file.isFile() && !written.has(path)) rmSync(join(dist, path));
  }
  writeFileSync(stamp, sources);
}

// The files that `require` and `import` load. Both module systems share one instance. The names are
// written out, as Node.js finds the exports of a CommonJS module in its text.

/**
 * Writes dist/<name>.js and .mjs for each entry point; returns the names of their exports.
 *
 * @param {Readonly<Record<string, string>>} files those that are not of the core
 */
async function writeEntryPoints(dist, files) {
  const sources = entryPoints.map((name) => {
    const file = join(dist, `${name}.js`);
    mkdirSync(dirname(file), { recursive: true });
    const up = name.includes('/') ? '../' : './';
    const from = name.startsWith('portable/')
      ? `require('./engine.js').${basename(name)}`
      : name in lateEntryPoints
        ? `require('${up}${lateEntryPoints[name]}.js')['${name}']`
        : `require('${up}${files[name] ?? 'core'}.js').entryPoints['${name}']`;
    writeFileSync(file, `module.exports = ${from};\n`);
    return { name, file, from };
  });
  // In a child process: an entry point loads the native binary, and Windows cannot replace a loaded
  // file.
  const list =
    'process.stdout.write(JSON.stringify(process.argv.slice(1).map((file) => ' +
    'Object.keys(require(file)))))';
  const answer = await probe(process.execPath, ['-e', list, ...sources.map(({ file }) => file)]);
  if (answer.code !== 0)
    throw new Stop(`${answer.all}millrace: an entry point of dist cannot be loaded.`);
  const listed = JSON.parse(answer.stdout);
  const namesOf = sources.map(({ name, file, from }, index) => {
    const names = listed[index].filter((each) => each !== 'default');
    writeFileSync(
      file,
      `module.exports = ${from};\n// For Node.js, which reads names of exports without ` +
        `running the code.\n0 && (module.exports = { ${names.join(', ')} });\n`,
    );
    const own = `./${basename(name)}.js`;
    writeFileSync(
      join(dist, `${name}.mjs`),
      `import entry from '${own}';\nexport { ${names.join(', ')} } from '${own}';\nexport ` +
        `default entry;\n`,
    );
    writeFileSync(
      join(dist, `${name}.d.mts`),
      wrapperTypes(name, names, readFileSync(join(dist, `${name}.d.ts`), 'utf8')),
    );
    return [name, names];
  });
  return Object.fromEntries(namesOf);
}

/** Writes the files of {@link nodeEntries}; returns them, relative to dist. */
function writeNodeEntries(dist) {
  const files = {
    'compat/node-crypto.js':
      "module.exports = require('./node-crypto/exports.js').nodeCrypto;\n" +
      '// For Node.js, which reads names of exports without running the code.\n' +
      `0 && (module.exports = { ${nodeCryptoNames.join(', ')} });\n`,
    'compat/node-crypto.mjs':
      "import entry from './node-crypto.js';\n" +
      `export const { ${nodeCryptoNames.join(', ')} } = entry;\nexport default entry;\n`,
    'compat/node-crypto.d.ts': "import crypto = require('node:crypto');\nexport = crypto;\n",
    'compat/node-crypto.d.mts':
      "import crypto from 'node:crypto';\nexport * from 'node:crypto';\n" +
      'export default crypto;\n',
    'compat/overrides.mjs':
      "import entry from './overrides.js';\n" +
      'export const { nobleCurves, noblePostQuantum, tweetnacl } = entry;\n' +
      'export default entry;\n',
    'compat/overrides.d.mts':
      "import main from './overrides.js';\nexport default main;\n" +
      "export * from './overrides.js';\n",
  };
  for (const name of ['register', 'register-webcrypto']) {
    files[`compat/${name}.mjs`] = `import './${name}.js';\n`;
    files[`compat/${name}.d.mts`] = 'export {};\n';
  }
  for (const name of nodeEntries.map((each) => basename(each)))
    files[`compat/${name}.absent.mjs`] =
      `throw new Error('millrace/${name} needs Node.js');\n` + 'export default undefined;\n';
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dist, file), text);
  return Object.keys(files);
}

function wrapperTypes(entry, names, declarations) {
  const head = `import main from './${basename(entry)}.js';\nexport default main;\n`;
  if (!/^export = /m.test(declarations)) return `${head}export * from './${basename(entry)}.js';\n`;
  // `export *` does not see through `export =`; named exports do, values and types each by name.
  const types = [...declarations.matchAll(/^ {4}(?:export )?(?:interface|type) (\w+)/gm)].map(
    (match) => match[1],
  );
  const lines = [`export { ${names.join(', ')} } from './${basename(entry)}.js';\n`];
  if (types.length > 0)
    lines.push(
      `export type { ${[...new Set(types)].join(', ')} } from './${basename(entry)}.js';\n`,
    );
  return head + lines.join('');
}

/** Returns what differs from the shipped profile of Cargo.toml, for the instruction records. */
function profileOf(env, profile) {
  const names = Object.keys(env).filter((name) => /^CARGO_PROFILE_RELEASE_|RUSTFLAGS$/.test(name));
  const settings = names.sort().map((name) => [name, env[name]]);
  if (profile !== 'release') settings.unshift(['profile', profile]);
  return `${JSON.stringify({ settings: Object.fromEntries(settings) })}\n`;
}

function builtLibrary(messages) {
  const artifact = messages
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(
      (message) =>
        message.reason === 'compiler-artifact' && message.target.name === 'millrace_node',
    );
  const library = artifact?.filenames.find((file) => /\.(so|dylib|dll)$/.test(file));
  if (library === undefined)
    throw new Stop('millrace: cargo built no library; crates/node must be a cdylib.');
  return library;
}

// Copies to a temporary name and renames, so that running processes keep the file they have mapped.
function replace(from, to) {
  const fresh = `${to}.${process.pid}`;
  copyFileSync(from, fresh);
  try {
    renameSync(fresh, to);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Stop(
      `millrace: cannot replace ${relative(root, to)} (${error.code}): end the Node.js ` +
        `processes that use it.`,
    );
  }
}

function platformOfTarget(target) {
  const platform = platforms.find(({ rust }) => rust === target);
  if (platform === undefined) {
    throw new Stop(
      `millrace: unknown target ${target}; known: ${platforms.map(({ rust }) => rust).join(', ')}`,
    );
  }
  return platform.name;
}
