// Builds the WebAssembly modules of the portable engine from crates/families, one for each family
// of algorithms, and writes each as a TypeScript file, src/portable/modules/<name>.ts, which git
// ignores. They have vectors of 128 bits; all of them without vectors, and as JavaScript, are one
// more file, for millrace/javascript.

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
import { basename, dirname, join } from 'node:path';

import { cached, keep } from './cache.mjs';
import { compilers } from './cargo.mjs';
import { Stop, probe, root, step, told } from './steps.mjs';
import { functionsOf, objectOf, symbolsOf, withTraps } from './wasm-object.mjs';
import { fingerprint, upToDate } from './fingerprint.mjs';
import { moduleNotices } from './notices.mjs';
import { prepareWasmBuild, wasmTarget } from './prerequisites.mjs';

/**
 * The families: functions with names that begin with that of the family. `fast`: where
 * optimization for size costs more than a tenth of the speed.
 * `stack`: bytes of it, where nothing is secret. `keys`: bytes of the stack of a module of
 * asymmetric keys (`Family` knows them). Those have no replacement in JavaScript, in which 64-bit
 * arithmetic is neither constant in time nor fast.
 *
 * @type {Readonly<Record<string, { fast?: true, stack?: number, keys?: number }>>}
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
  'blake3-parts': {},
  xxh32: { fast: true },
  xxh64: { fast: true },
  xxh3: { fast: true },
  crc: { fast: true, stack: 36 << 10 },
  'aes-ctr': {},
  chacha20: { fast: true },
  'aes-gcm': { fast: true },
  'aes-gcm-siv': {},
  'chacha20-poly1305': { fast: true },
  scrypt: { fast: true },
  argon2: { fast: true },
  'key-wrap': {},
  passwords: { fast: true },
  ed25519: { fast: true, keys: 20 << 10 },
  x25519: { fast: true, keys: 20 << 10 },
  // With a table that it makes at the first call; three times as large, and a quarter faster, if
  // optimized for speed.
  p256: { keys: 128 << 10 },
  'ml-kem': { fast: true, keys: 96 << 10 },
  'ml-dsa': { keys: 1 << 20 },
  'key-encodings': { keys: 20 << 10 },
};

const familyCrate = 'millrace-families';

/** Bytes of a family's stack, of which calls use 15.6 KB. Calls with keys overwrite it. */
const FAMILY_STACK_BYTES = 20 << 10;

const PAGE = 64 << 10;

/** Bytes of a family's memory: a stack of up to 64 KiB, data, and a window for messages. */
const FAMILY_MEMORY_BYTES = 128 << 10;

const folder = join(root, 'src', 'portable', 'modules');

/** The licences of the crates in the modules, which tools/bundle.mjs copies. */
const notices = 'LICENSES.txt';

/** The builds, and what the compiler may use in each beside its defaults. */
const builds = { simd: ['simd128'], plain: [] };

/** The file with all families without vectors, and that with the reports of `engines()`. */
const REPLACEMENTS = 'all/replacements';
const REPORTS = 'all/reports';

/** The files that a build writes, relative to their folder. */
const files = [...Object.keys(families), REPLACEMENTS, REPORTS].map((name) => `${name}.ts`);

/**
 * Writes the modules that are out of date, and removes those that are gone. With `keep`, where
 * modules were built before, and with `stubs` it leaves modules of older sources as they are, which
 * takes a minute to change, and writes files without code in place of those that were never built.
 * With `loop`, where modules were built before, it writes in seconds what Node.js loads, larger and
 * slower, and leaves the others as they are.
 *
 * @param {{ force?: boolean, keep?: boolean, stubs?: boolean, loop?: boolean }} options
 */
export async function buildModules({ force = false, keep: leave, stubs, loop } = {}) {
  const built = existsSync(stamp);
  if (stubs || (leave && built)) return writeStubs();
  const outputs = [...files, notices].map((file) => join(folder, file));
  const sources = sourcesOf(familyCrate, families);
  if (!force && upToDate(stamp, sources, outputs)) return;
  const env = await prepareWasmBuild();
  if (!force && (await restore(outputs, env))) return;
  if (loop && built && !force) {
    if (!upToDate(stamp, ofLoop(sources), outputs)) await buildForLoop(env);
    return;
  }
  await buildFamilies(env);
  writeFileSync(join(folder, notices), await moduleNotices(familyCrate, wasmTarget));
  await keepOutputs(outputs, env);
  const names = new Set([...files.map((file) => file.split('/')[0]), notices, basename(stamp)]);
  for (const file of readdirSync(folder))
    if (!names.has(file)) rmSync(join(folder, file), { recursive: true });
}

const stamp = join(folder, '.stamp-families');

/** Writes files that have the exports of the modules, and no code. */
function writeStubs() {
  const lacks = (name) => !existsSync(join(folder, `${name}.ts`));
  for (const name of Object.keys(families)) if (lacks(name)) write(name, { module: '' });
  if (lacks(REPLACEMENTS)) writeReplacements({}, {});
  if (lacks(REPORTS)) write(REPORTS, { simd: '{}', plain: '{}' });
  if (!existsSync(join(folder, notices))) writeFileSync(join(folder, notices), '');
}

/** Copies the files that the same sources and compilers wrote before, if the cache has them. */
async function restore(outputs, env) {
  const sources = sourcesOf(familyCrate, families);
  const found = cached('modules', [sources, await compilers(env)]);
  if (found === undefined) return false;
  mkdirSync(join(folder, dirname(REPLACEMENTS)), { recursive: true });
  for (const file of outputs) copyFileSync(join(found, basename(file)), file);
  writeFileSync(stamp, sources);
  told('build WebAssembly', 'from the cache');
  return true;
}

async function keepOutputs(outputs, env) {
  const sources = sourcesOf(familyCrate, families); // with the lockfile as cargo left it
  writeFileSync(stamp, sources);
  keep('modules', [sources, await compilers(env)], (place) => {
    for (const file of outputs) copyFileSync(file, join(place, basename(file)));
  });
}

/** The profile of the inner loop, and what the stamp of its modules says. */
const DEVELOPMENT = 'wasm-development';
const ofLoop = (sources) => `${DEVELOPMENT} ${sources}`;

/** Writes what Node.js loads in seconds, larger and slower, and leaves the rest as it is. */
async function buildForLoop(env) {
  const linker = await findLinker(env);
  const args = ['--profile', DEVELOPMENT, '--features', 'fast'];
  for (const fast of [false, true]) {
    const archive = await compile(
      'build WebAssembly',
      args.slice(0, fast ? 4 : 2),
      builds.simd,
      env,
    );
    const functions = symbolsOf(readFileSync(archive));
    await eachFamily(fast, functions, async (name, exports, stack) => {
      // Less is inlined here.
      const room = families[name].stack === undefined ? stack : 4 * stack;
      const linked = await link(linker, undefined, archive, exports, room, env);
      write(name, {
        module: encode(await optimize(linked, { names: shortOf(exports), loop: true })),
      });
    });
  }
  writeFileSync(stamp, ofLoop(sourcesOf(familyCrate, families)));
}

/**
 * Writes the families' modules: the crate is compiled once a build and level of optimization, and
 * linked once a family.
 */
async function buildFamilies(env) {
  const linker = await findLinker(env);
  const [plain, javascript, reports] = [{}, {}, {}];
  for (const [build, instructions] of Object.entries(builds)) {
    for (const fast of [false, true]) {
      const title = `build WebAssembly, ${fast ? 'fast' : 'small'}${build === 'simd' ? ', with vectors' : ''}`;
      const args = [
        '--profile',
        fast ? 'wasm' : 'wasm-small',
        ...(fast ? ['--features', 'fast'] : []),
      ];
      const archive = await compile(title, args, instructions, env);
      const object = trappingObject(archive, build === 'simd');
      await eachFamily(fast, functionsOf(object), async (name, exports, stack) => {
        const linked = await link(linker, object, archive, exports, stack, env);
        const module = await optimize(linked, {
          small: !fast,
          names: shortOf(exports),
          vectors: build === 'simd',
        });
        if (build === 'simd') return write(name, { module: encode(module) });
        plain[name] = encode(module);
        if (families[name].keys === undefined) javascript[name] = await javascriptOf(module);
      });
      if (!fast) reports[build] = await reportOf(linker, archive, env);
    }
  }
  writeReplacements(plain, javascript);
  write(REPORTS, reports);
}

/** Calls `each` with the families of a level of optimization, their exports and stacks. */
async function eachFamily(wanted, functions, each) {
  for (const [name, { fast = false, keys, stack }] of Object.entries(families))
    if (fast === wanted)
      await each(name, exportsOf(name, functions), stack ?? keys ?? FAMILY_STACK_BYTES);
}

/** Returns the names of exports without that of their family. */
const shortOf = (exports) =>
  Object.fromEntries(exports.map((each) => [each, each.split('_').at(-1)]));

/** Returns the report on what computes each algorithm in these modules: a module writes it. */
async function reportOf(linker, archive, env) {
  const bytes = await link(linker, undefined, archive, ['report_write'], FAMILY_STACK_BYTES, env);
  const { exports } = await WebAssembly.instantiate(await WebAssembly.compile(bytes));
  const { memory, report_write: report, __heap_base: base } = /** @type {any} */ (exports);
  const place = base.value;
  const size = report(place, memory.buffer.byteLength - place);
  const { native } = JSON.parse(Buffer.from(memory.buffer, place, size).toString());
  const { libraries, algorithms, derivations } = native;
  return JSON.stringify({ libraries, algorithms, derivations });
}

/**
 * Returns the object of the families' crate, in which panics and what only they use are traps, and
 * with `vectors` what is for others.
 */
function trappingObject(archive, vectors) {
  const whole = objectOf(readFileSync(archive), familyCrate.replace('-', '_'));
  const traps = [isPanic, isFormatting, ...(vectors ? [isForOthers] : [])];
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
    const larger = Math.ceil(Math.max(0, stack - PAGE) / PAGE) * PAGE;
    const bytes = FAMILY_MEMORY_BYTES * (object === undefined ? 4 : 1) + larger;
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
  const manifest = readFileSync(join(root, path, 'Cargo.toml'), 'utf8').replace(
    /^\[dev-dependencies\][^[]*/m,
    '',
  );
  for (const [, other] of manifest.matchAll(/\bpath\s*=\s*"\.\.\/([\w-]+)"/g))
    cratesOf(other, found);
  return [...found];
}

/** Compiles the families; resolves to the archive that cargo wrote. */
async function compile(title, args, instructions, env) {
  const target = join(
    env.CARGO_TARGET_DIR ?? join(root, 'target'),
    ['wasm', ...instructions].join('-'),
  );
  const cargoHome = env.CARGO_HOME ?? join(homedir(), '.cargo');
  const all = [
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
      familyCrate,
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
    .filter((message) => message.target.name === familyCrate.replaceAll('-', '_'))
    .flatMap((message) => message.filenames)
    .find((file) => file.endsWith('.a'));
  if (library === undefined)
    throw new Stop(`millrace: cargo built no archive; ${familyCrate} must be a staticlib.`);
  return library;
}

/** The instructions that the modules may use, besides those of every runtime with WebAssembly. */
const instructionSets = [
  'MutableGlobals',
  'SignExt',
  'NontrappingFPToInt',
  'BulkMemory',
  'BulkMemoryOpt',
];

/**
 * Optimizes a module with binaryen, and renames exports; in the inner `loop` it only renames.
 * `vectors`: it has them. A panic is a trap: the functions that print its message, a third of a
 * small module, lose their bodies before.
 */
async function optimize(bytes, { small = false, names = {}, vectors = false, loop = false } = {}) {
  const { default: binaryen } = await import('binaryen');
  const module = binaryen.readBinary(bytes);
  module.setFeatures(
    // Binaryen copies 16 bytes by a vector where it may.
    [...instructionSets, ...(vectors || loop ? ['SIMD128'] : [])].reduce(
      (all, name) => all | binaryen.Features[name],
      binaryen.Features.MVP,
    ),
  );
  for (let index = 0; !loop && index < module.getNumFunctions(); index++) {
    const reference = module.getFunctionByIndex(index);
    const { name, module: importedFrom } = binaryen.getFunctionInfo(reference);
    if (importedFrom !== '') continue;
    if (isPanic(name) || isFormatting(name) || (vectors && isForOthers(name)))
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
 * Returns a module without vectors as JavaScript: a function from its imports to its exports, by
 * binaryen's wasm2js.
 */
async function javascriptOf(bytes) {
  const { default: binaryen } = await import('binaryen');
  const module = binaryen.readBinary(bytes);
  const { Features } = binaryen;
  module.setFeatures(instructionSets.reduce((all, name) => all | Features[name], Features.MVP));
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
  return `(imports) => {\n${body}\nreturn asmFunc(imports);\n}`;
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

/** Writes the families without vectors, as text and as JavaScript, by name. */
function writeReplacements(plain, javascript) {
  const texts = Object.entries(plain).map(
    ([name, text]) => `  '${name}': ${JSON.stringify(text)},\n`,
  );
  const functions = Object.entries(javascript).map(([name, text]) => `  '${name}': ${text},\n`);
  writeWhole(
    REPLACEMENTS,
    '// @ts-nocheck\n// Generated by tools/wasm.mjs. Do not edit.\n' +
      `export const plain: Readonly<Record<string, string>> = {\n${texts.join('')}};\n` +
      'export const javascript: Readonly<Record<string, (imports: object) => object>> = {\n' +
      `${functions.join('')}};\n`,
  );
}

/** Writes a module's TypeScript file. */
function write(name, texts) {
  const constants = Object.entries(texts).map(
    ([build, text]) => `export const ${build}: string =\n  ${JSON.stringify(text)};\n`,
  );
  writeWhole(name, `// Generated by tools/wasm.mjs. Do not edit.\n${constants.join('')}`);
}

/** Writes a file at once, as linters may be reading it. */
function writeWhole(name, text) {
  const fresh = join(folder, `.stamp-new-${basename(name)}`);
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(fresh, text);
  renameSync(fresh, join(folder, `${name}.ts`));
}
