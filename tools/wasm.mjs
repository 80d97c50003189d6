// Builds the WebAssembly modules of the portable engine from crates/, and writes each as a
// TypeScript file, src/portable/modules/<name>.ts, which git ignores. All have vectors of 128 bits.
// The engine is also built without them and as JavaScript, for millrace/javascript.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { cached, keep } from './cache.mjs';
import { compilers } from './cargo.mjs';
import { Stop, probe, root, step, told } from './steps.mjs';
import { functionsOf, objectOf, symbolsOf, withTraps } from './wasm-object.mjs';
import { fingerprint, upToDate } from './fingerprint.mjs';
import { moduleNotices } from './notices.mjs';
import { prepareWasmBuild, wasmTarget } from './prerequisites.mjs';

/**
 * The modules with their builds. A package is a `cdylib`, of which all exports are kept.
 *
 * @typedef {{ package: string, name: string, features: readonly string[],
 *   formats: readonly string[] }} Engine
 * @type {readonly Engine[]}
 */
const modules = [
  {
    package: 'millrace-wasm',
    name: 'engine',
    features: ['digests', 'ciphers', 'passwords', 'erased'],
    formats: ['simd', 'plain', 'javascript'],
  },
  // The parts of it that bundles for browsers have, each if it is used.
  { package: 'millrace-wasm', name: 'digests', features: ['digests', 'erased'], formats: ['simd'] },
  { package: 'millrace-wasm', name: 'ciphers', features: ['ciphers'], formats: ['simd'] },
  { package: 'millrace-wasm', name: 'passwords', features: ['passwords'], formats: ['simd'] },
];

/**
 * The modules behind millrace/portable, of crates/families: functions with names that begin with
 * that of the family. `fast`: where optimization for size costs more than a tenth of the speed.
 * `stack`: bytes of it, where nothing is secret.
 *
 * @type {Readonly<Record<string, { fast?: true, stack?: number }>>}
 */
const families = {
  md5: { fast: true },
  sha1: { fast: true },
  'md5-sha1': { fast: true },
  ripemd160: { fast: true },
  sha256: {},
  sha512: {},
  sha3: {},
  shake: {},
  'sp800-185': {},
  parallelhash: {},
  turboshake: {},
  kt: {},
  blake2b: { fast: true },
  blake2s: { fast: true },
  blake3: {},
  xxh32: { fast: true },
  xxh64: { fast: true },
  xxh3: { fast: true },
  crc: { fast: true, stack: 36 << 10 },
  'aes-ctr': {},
  chacha20: { fast: true },
  'aes-gcm': {},
  'aes-gcm-siv': {},
  'chacha20-poly1305': { fast: true },
  scrypt: { fast: true },
  argon2: { fast: true },
  'key-wrap': {},
};

const familyCrate = 'millrace-families';

/** Bytes of a family's stack, of which calls use 15.6 KB. Calls with keys overwrite it. */
const FAMILY_STACK_BYTES = 20 << 10;

/** Bytes of a family's memory: stack, data, and a window for messages of at least 64 KiB. */
const FAMILY_MEMORY_BYTES = 128 << 10;

const folder = join(root, 'src', 'portable', 'modules');

/** The licences of the crates in the modules, which tools/bundle.mjs copies. */
const notices = 'LICENSES.txt';

/** The builds, and what the compiler may use in each beside its defaults. */
const builds = { plain: [], simd: ['simd128'] };

/** Bytes of the stack in linear memory. Core wipes 32 KiB of it. */
const STACK_BYTES = 256 << 10;

/**
 * Writes the modules that are out of date, and removes those that are gone. With `keep` it leaves
 * modules of older sources as they are, which takes a minute to change. With `stubs` it does so,
 * too, and writes files without code in place of modules that were never built. With `loop`, where
 * modules were built before, it writes in seconds what Node.js loads, larger and slower, and leaves
 * the others as they are.
 *
 * @param {{ force?: boolean, keep?: boolean, stubs?: boolean, loop?: boolean }} options
 */
export async function buildModules(options = {}) {
  const { force = false, keep: leave = false, stubs = false } = options;
  const stamps = [...modules.map(({ name }) => name), 'families'];
  const built = stamps.every((name) => existsSync(join(folder, `.stamp-${name}`)));
  if ((leave || stubs) && built) return;
  if (stubs) return writeStubs();
  const loop = built && !force && options.loop;
  for (const module of modules)
    if (!loop || module.formats.includes('plain')) await buildModule(module, { force, loop });
  await buildFamilies({ force, loop });
  if (loop) return;
  const names = new Set(
    [
      'families',
      ...Object.keys(families),
      ...modules.flatMap((module) => Object.values(filesOf(module))),
    ].flatMap((name) => [`${name}.ts`, `.stamp-${name}`]),
  );
  names.add(notices);
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(join(folder, file));
}

/** Writes files that have the exports of the modules, and no code. */
function writeStubs() {
  const lacks = (name) => !existsSync(join(folder, `${name}.ts`));
  for (const [format, name] of modules.flatMap((module) => Object.entries(filesOf(module)))) {
    if (!lacks(name)) continue;
    write(name, { [format]: '' });
    if (format !== 'javascript') continue;
    const text = 'export function instantiate(_imports: object): object {\n  return {};\n}\n';
    writeFileSync(join(folder, `${name}.ts`), text);
  }
  for (const name of Object.keys(families)) if (lacks(name)) write(name, { module: '' });
  if (!existsSync(join(folder, notices))) writeFileSync(join(folder, notices), '');
}

/** Returns the names of a module's files, by build. */
const filesOf = ({ name, formats }) =>
  Object.fromEntries(
    formats.map((format) => [format, format === 'simd' ? name : `${name}-${format}`]),
  );

/**
 * Writes the files of a module if the crates that it is made of have changed. They export `simd`
 * and `plain`, which `decode` in src/portable/module.ts reads, and `instantiate`.
 */
export async function buildModule(module, { force = false, loop = false } = {}) {
  const { package: crate, name, features } = module;
  const files = filesOf(module);
  const outputs = Object.values(files).map((file) => join(folder, `${file}.ts`));
  const stamp = join(folder, `.stamp-${name}`);
  const sources = () => sourcesOf(crate, module);
  if (!force && upToDate(stamp, sources(), outputs)) return;
  const env = await prepareWasmBuild();
  if (!force && (await restore(`${name}.wasm`, sources, outputs, stamp, env))) return;
  if (loop && upToDate(stamp, ofLoop(sources()), outputs)) return;
  for (const [build, instructions] of Object.entries(builds)) {
    const title = `build ${name}.wasm${build === 'simd' ? ' with SIMD' : ''}`;
    if (files[build] === undefined || (loop && build !== 'simd')) continue;
    const args = ['--profile', loop ? DEVELOPMENT : 'wasm', '--features', features.join()];
    const flags = [`-Clink-arg=-zstack-size=${STACK_BYTES}`];
    const library = await compile(title, crate, args, flags, instructions, env);
    if (loop) {
      write(files[build], { [build]: encode(readFileSync(library)) });
      writeFileSync(stamp, ofLoop(sources()));
      return;
    }
    const optimized = await optimize(readFileSync(library), {
      formats: true,
      vectors: build === 'simd',
    });
    write(files[build], { [build]: encode(optimized) });
    if (build === 'plain')
      writeFileSync(join(folder, `${files.javascript}.ts`), await javascriptOf(optimized));
  }
  await keepOutputs(sources, outputs, stamp, env);
}

/** Copies the files that the same sources and compilers wrote before, if the cache has them. */
async function restore(title, sources, outputs, stamp, env) {
  const found = cached('modules', [sources(), await compilers(env)]);
  if (found === undefined) return false;
  mkdirSync(folder, { recursive: true });
  for (const file of outputs) copyFileSync(join(found, basename(file)), file);
  writeFileSync(stamp, sources());
  told(`build ${title}`, 'from the cache');
  return true;
}

async function keepOutputs(sources, outputs, stamp, env) {
  writeFileSync(stamp, sources()); // with the lockfile as cargo left it
  keep('modules', [sources(), await compilers(env)], (place) => {
    for (const file of outputs) copyFileSync(file, join(place, basename(file)));
  });
}

/** The profile of the inner loop, and what the stamp of its modules says. */
const DEVELOPMENT = 'wasm-development';
const ofLoop = (sources) => `${DEVELOPMENT} ${sources}`;

/**
 * Writes the families' modules: the crate is compiled once a level of optimization, and linked once
 * a family.
 */
async function buildFamilies({ force, loop }) {
  const stamp = join(folder, '.stamp-families');
  const sources = () => sourcesOf(familyCrate, families);
  const files = [...Object.keys(families).map((name) => `${name}.ts`), notices];
  const outputs = files.map((file) => join(folder, file));
  if (!force && upToDate(stamp, sources(), outputs)) return;
  const env = await prepareWasmBuild();
  if (!force && (await restore('the families', sources, outputs, stamp, env))) return;
  if (loop && upToDate(stamp, ofLoop(sources()), outputs)) return;
  const linker = await findLinker(env);
  for (const fast of [false, true]) {
    const title = `build the families' modules, ${fast ? 'fast' : 'small'}`;
    const profile = loop ? DEVELOPMENT : fast ? 'wasm' : 'wasm-small';
    const args = ['--profile', profile, ...(fast ? ['--features', 'fast'] : [])];
    const archive = await compile(title, familyCrate, args, [], builds.simd, env);
    const object = loop ? undefined : trappingObject(archive);
    const functions = loop ? symbolsOf(readFileSync(archive)) : functionsOf(object);
    for (const [name, family] of Object.entries(families)) {
      if ((family.fast ?? false) !== fast) continue;
      const { stack = FAMILY_STACK_BYTES } = family;
      // Nothing is secret there, and less is inlined in the loop.
      const room = loop && family.stack !== undefined ? 4 * stack : stack;
      const exports = exportsOf(name, functions);
      const linked = await link(linker, object, archive, exports, room, env);
      const exported = exports.map((each) => [each, each.split('_').at(-1)]);
      const names = Object.fromEntries(exported);
      const module = await optimize(linked, { small: !fast, names, loop });
      write(name, { module: encode(module) });
    }
  }
  if (loop) return writeFileSync(stamp, ofLoop(sources()));
  writeFileSync(join(folder, notices), await moduleNotices(familyCrate, wasmTarget));
  await keepOutputs(sources, outputs, stamp, env);
}

/** Returns the object of the families' crate, in which panics and what only they use are traps. */
function trappingObject(archive) {
  const whole = objectOf(readFileSync(archive), familyCrate.replace('-', '_'));
  const traps = [isPanic, isFormatting, isForOthers];
  return withTraps(whole, (name) => traps.some((isTrap) => isTrap(name)));
}

/** Returns the functions of a family: its name and one word. */
function exportsOf(name, functions) {
  const own = new RegExp(`^${name.replaceAll('-', '_')}_[a-z]+$`);
  const found = functions.filter((each) => own.test(each)).sort();
  if (found.length > 0) return found;
  throw new Stop(`millrace: crates/families has no function of ${name}`);
}

/** Returns the linker of Rust, which is beside the libraries of the host. */
async function findLinker(env) {
  const [sysroot, version] = await Promise.all(
    [['--print', 'sysroot'], ['-vV']].map((args) => probe('rustc', args, { env })),
  );
  const host = /^host: (.*)$/m.exec(version.stdout)[1];
  const end = process.platform === 'win32' ? '.exe' : '';
  const own = join(sysroot.stdout.trim(), 'lib', 'rustlib', host, 'bin', `rust-lld${end}`);
  // Distributions have it apart.
  return existsSync(own) ? own : 'rust-lld';
}

/** Links functions of an object, if there is one, and what they need of the archive. */
async function link(linker, object, archive, names, stack, env) {
  const place = mkdtempSync(join(tmpdir(), 'millrace-wasm-'));
  try {
    const [input, output] = ['object.o', 'module.wasm'].map((file) => join(place, file));
    if (object !== undefined) writeFileSync(input, object);
    const inputs = object === undefined ? [archive] : [input, archive];
    // Without traps, messages of panics lie in the memory.
    const bytes = FAMILY_MEMORY_BYTES * (object === undefined ? 4 : 1);
    const exported = [...names, '__heap_base'].map((name) => `--export=${name}`);
    const sizes = ['-z', `stack-size=${stack}`, `--initial-memory=${bytes}`];
    const args = ['-flavor', 'wasm', '--no-entry', '--gc-sections', '--stack-first', ...sizes];
    // Its libraries have debug information, which binaryen drops otherwise.
    const strip = object === undefined ? ['--strip-all'] : [];
    const all = [...args, ...strip, ...exported, ...inputs, '-o', output];
    const answer = await probe(linker, all, { env });
    if (answer?.code !== 0)
      throw new Stop(`millrace: ${linker} failed: ${answer?.all ?? 'not found'}`);
    return readFileSync(output);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Returns a hash over everything that a module of a crate is made of. */
function sourcesOf(crate, options) {
  return fingerprint(
    [
      'Cargo.toml',
      'Cargo.lock',
      'rust-toolchain.toml',
      'tools/wasm.mjs',
      'tools/wasm-object.mjs',
      'node_modules/binaryen/package.json',
      ...cratesOf(crate),
    ],
    [options],
  );
}

/** Returns the folders of a crate of this repository and of those that it is made of. */
function cratesOf(crate, found = new Set()) {
  const path = `crates/${crate.replace(/^millrace-/, '')}`;
  if (found.has(path)) return found;
  found.add(path);
  const manifest = readFileSync(join(root, path, 'Cargo.toml'), 'utf8');
  for (const [, other] of manifest.matchAll(/\bpath\s*=\s*"\.\.\/([\w-]+)"/g))
    cratesOf(other, found);
  return [...found];
}

/** Compiles a crate; resolves to the module or the archive that cargo wrote. */
async function compile(title, crate, args, flags, instructions, env) {
  const target = join(
    env.CARGO_TARGET_DIR ?? join(root, 'target'),
    ['wasm', ...instructions].join('-'),
  );
  const cargoHome = env.CARGO_HOME ?? join(homedir(), '.cargo');
  const all = [
    ...flags,
    ...instructions.map((name) => `-Ctarget-feature=+${name}`),
    // No path of this machine, so that every machine builds the same bytes.
    `--remap-path-prefix=${root}=`,
    `--remap-path-prefix=${join(cargoHome, 'registry', 'src')}=`,
  ];
  const messages = await step(
    title,
    'cargo',
    [
      'build',
      '--target',
      wasmTarget,
      '--target-dir',
      target,
      '--package',
      crate,
      ...args,
      '--message-format',
      'json-render-diagnostics',
      ...(env.CI ? ['--locked'] : []),
    ],
    { env: { ...env, CARGO_ENCODED_RUSTFLAGS: all.join('\x1f') }, errorOutput: 'stderr' },
  );
  const library = messages
    .split('\n')
    .filter((line) => line.startsWith('{"reason":"compiler-artifact"'))
    .map((line) => JSON.parse(line))
    .filter((message) => message.target.name === crate.replaceAll('-', '_'))
    .flatMap((message) => message.filenames)
    .find((file) => /\.(wasm|a)$/.test(file));
  if (library === undefined)
    throw new Stop(`millrace: cargo built no module; ${crate} must be a cdylib or a staticlib.`);
  return library;
}

/** The instructions that the modules may use, besides those of every runtime with WebAssembly. */
const instructionSets = [
  'MutableGlobals',
  'SignExt',
  'NontrappingFPToInt',
  'BulkMemory',
  'BulkMemoryOpt',
  'SIMD128',
];

/**
 * Optimizes a module with binaryen, and renames exports; in the inner `loop` it only renames.
 * `formats`: its own code formats text. `vectors`: it has them. A panic is a trap: the functions
 * that print its message, a third of a small module, lose their bodies before.
 */
async function optimize(
  bytes,
  { small = false, names = {}, formats = false, vectors = false, loop = false } = {},
) {
  const { default: binaryen } = await import('binaryen');
  const module = binaryen.readBinary(bytes);
  module.setFeatures(
    instructionSets.reduce((all, name) => all | binaryen.Features[name], binaryen.Features.MVP),
  );
  for (let index = 0; !loop && index < module.getNumFunctions(); index++) {
    const reference = module.getFunctionByIndex(index);
    const { name, module: importedFrom } = binaryen.getFunctionInfo(reference);
    if (importedFrom !== '') continue;
    if (isPanic(name) || (!formats && isFormatting(name)) || (vectors && isForOthers(name)))
      // Its types lack this.
      /** @type {any} */ (binaryen).Function.setBody(reference, module.unreachable());
  }
  for (const [name, short] of Object.entries(names)) {
    const { value } = binaryen.getExportInfo(module.getExport(name));
    module.removeExport(name);
    module.addFunctionExport(value, short);
  }
  binaryen.setOptimizeLevel(3);
  binaryen.setShrinkLevel(small ? 1 : 0);
  binaryen.setDebugInfo(false);
  if (!loop) {
    module.runPasses(['strip-debug', 'strip-producers', 'strip-target-features']);
    // The second run finds what the first made possible.
    module.optimize();
    module.optimize();
  }
  if (!module.validate()) throw new Stop('millrace: binaryen made an invalid module');
  const optimized = module.emitBinary();
  module.dispose();
  return optimized;
}

/**
 * Returns a module without vectors as TypeScript: a function from its imports to its exports, by
 * binaryen's wasm2js.
 */
async function javascriptOf(bytes) {
  const { default: binaryen } = await import('binaryen');
  const module = binaryen.readBinary(bytes);
  const { Features } = binaryen;
  const features = [
    'MutableGlobals',
    'SignExt',
    'NontrappingFPToInt',
    'BulkMemory',
    'BulkMemoryOpt',
  ];
  module.setFeatures(features.reduce((all, name) => all | Features[name], Features.MVP));
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(1);
  module.runPasses([
    'llvm-memory-copy-fill-lowering',
    'llvm-nontrapping-fptoint-lowering',
    'signext-lowering',
  ]);
  module.setFeatures(Features.MVP | Features.MutableGlobals);
  module.optimize();
  const text = module.emitAsmjs();
  module.dispose();
  // It imports and exports as a separate module: what it defines becomes the body of a function.
  const body = text
    .replace(/^import .*$/gm, '')
    .replace(/^var retasmFunc = [\s\S]*$/m, '')
    .trim();
  return (
    '// @ts-nocheck\n// Generated by tools/wasm.mjs. Do not edit.\n' +
    `export function instantiate(imports: object): object {\n${body}\nreturn asmFunc(imports);\n}\n`
  );
}

/**
 * Returns true for functions that begin a panic or write its message, by the compiler's names, as
 * they are in an object or in a module: core's entry points, and std's handler.
 */
const isPanic = (name) => panics.test(name);

const panics = new RegExp(
  [
    '\\b(core|std)::panicking::|4core9panicking|3std9panicking|3std3sys9backtrace|PanicPayload',
    'slice_\\w*fail|len_mismatch_fail|unwrap_failed|expect_failed|capacity_overflow',
    'rust_begin_unwind|rust_panic|handle_alloc_error|handle_error',
  ].join('|'),
);

/**
 * Returns true for functions of libraries that only run without vectors: `blake3` chooses by a
 * number in each state, which is always that of the vectors here.
 */
const isForOthers = (name) =>
  /6blake38portable17compress_in_place|\bblake3::portable::compress_in_place/.test(name);

/** Returns true for functions that format: in a family only panics do. */
const isFormatting = (name) => /4core3fmt|\bcore::fmt::/.test(name);

/**
 * Encodes bytes as text of printable ASCII, which no bundler, minifier or page's encoding changes:
 * the 92 bytes from -8 on, which are the most frequent, as a character, the others as `|` or `}`
 * and a character. Compressed by gzip it is 2.5 % larger than the bytes; base64 is 31 % larger, and
 * characters of the bytes' codes 6 %.
 */
export function encode(bytes) {
  let text = '';
  for (const byte of bytes) {
    const code = (byte + 8) & 255;
    text +=
      code < 92
        ? String.fromCharCode(code + 32)
        : (code < 184 ? '|' : '}') + String.fromCharCode((code % 92) + 32);
  }
  return text;
}

/** Writes a module's TypeScript file. */
function write(name, texts) {
  const constants = Object.entries(texts).map(
    ([build, text]) => `export const ${build}: string =\n  ${JSON.stringify(text)};\n`,
  );
  mkdirSync(folder, { recursive: true });
  // At once, as linters may be reading it.
  const fresh = join(folder, `.stamp-new-${name}`);
  writeFileSync(fresh, `// Generated by tools/wasm.mjs. Do not edit.\n${constants.join('')}`);
  renameSync(fresh, join(folder, `${name}.ts`));
}
