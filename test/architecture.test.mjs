// The architecture test: which Rust modules may name which, where `unsafe` is allowed, that the two
// catalogs agree, and that nothing unfinished, private or undocumented is committed. Imports of
// TypeScript and JavaScript are checked by `npm run check` (.dependency-cruiser.json).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, relative, sep } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { cipherNames, ciphers, hashes } from './support/algorithms.mjs';
import { dynamicSymbols, unexpectedExports } from '../tools/cross.mjs';
import { entryPaths, root } from './support/child.mjs';
import { importCycles, rustModules } from './support/rust-modules.mjs';
import { skipsWithoutReason } from './support/skip-reasons.mjs';
import { staleFiles } from '../tools/protocol.mjs';

/** The only Rust files and directories that may contain `unsafe`. */
const unsafeFiles = [
  'crates/core/src/allocate.rs',
  'crates/core/src/cipher/aead/',
  'crates/core/src/cipher/aes/',
  'crates/core/src/cipher/chacha/',
  'crates/core/src/cipher/poly1305/',
  'crates/core/src/cipher/running_cipher/',
  'crates/core/src/cipher/text.rs',
  'crates/core/src/cpu/aarch64/',
  'crates/core/src/cpu/any/',
  'crates/core/src/cpu/wasm32/',
  'crates/core/src/cpu/x86_64/',
  'crates/core/src/hash/blake2/',
  'crates/core/src/hash/blake3.rs',
  'crates/core/src/hash/compression/',
  'crates/core/src/hash/keccak/',
  'crates/core/src/hash/lanes/',
  'crates/core/src/hash/md/',
  'crates/core/src/hash/xxh/',
  'crates/core/src/hmac/iteration.rs',
  'crates/core/src/kdf/argon2/fill/',
  'crates/core/src/kdf/bcrypt/blowfish.rs',
  'crates/core/src/kdf/key_wrap.rs',
  'crates/core/src/kdf/scrypt/mix/',
  'crates/core/src/key_memory.rs',
  'crates/core/src/memory.rs',
  'crates/core/src/primitives/',
  'crates/core/src/tests.rs',
  'crates/core/src/wipe.rs',
  // The exports of WebAssembly modules: names, addresses, their allocator.
  'crates/families/src/',
  'crates/linux/src/af_alg.rs',
  'crates/linux/src/cryptodev.rs',
  'crates/linux/src/fork.rs',
  'crates/node/src/values.rs',
  'crates/node/src/lifecycle.rs',
  'crates/node/src/completion.rs',
  'crates/node/src/list.rs',
  'crates/node/src/failing_allocator.rs',
  // Mistakes for the sanitizers to report.
  'crates/pool/tests/controls.rs',
  'crates/public-keys/src/evp/',
  'crates/request/src/bytes.rs',
  'crates/request/src/os.rs',
  'crates/request/src/pages.rs',
  // Memory as JavaScript passes it, the allocator of a test program, read-only pages.
  'crates/request/tests/caller.rs',
  'crates/request/tests/freed_memory.rs',
  'crates/request/tests/lent.rs',
];

/** Names that a crate's sources and manifest must not contain. */
const forbidden = {
  'crates/core':
    /\bnapi\w*|\bmillrace[-_](cost|linux|pool|node|request)\b|\b(std::thread|thread::spawn|rayon|tokio)\b/,
  'crates/cost':
    /\bnapi\w*|\bmillrace[-_](linux|pool|node|request)\b|\bstd::thread\b|\bthread::spawn\b/,
  'crates/families': /\bnapi\w*|\bmillrace[-_](cost|linux|pool|node|request)\b/,
  'crates/linux':
    /\bnapi\w*|\bmillrace[-_](cost|pool|node|request)\b|\bstd::thread\b|\bthread::spawn\b/,
  'crates/request': /\bnapi\w*|\bmillrace[-_](pool|node)\b/,
  'crates/portable-keys':
    /\bnapi\w*|\bmillrace[-_](cost|linux|pool|node|request)\b|\bstd::thread::spawn\b/,
  'crates/public-keys':
    /\bnapi\w*|\bmillrace[-_](cost|linux|pool|node|request)\b|\bstd::thread::spawn\b/,
  'crates/pool':
    /\bnapi\w*|\bmillrace[-_](core|cost|linux|node|request)\b|\baws[-_]lc\b|\bcipher|\bhmac\b/i,
};

/** The modules of the entry points; only other entry points may import them. */
const entryPoints = [
  'index',
  'promises',
  'compat/aws-checksums',
  'age',
  'compat/crypto-async',
  'compat/bigint-hash',
  'compat/bigint-buffer',
  'compat/browser-crypto-async',
  'compat/noble-hashes',
  'compat/noble-ciphers',
  'compat/ethers',
  'compat/overrides',
  'compat/webcrypto',
];

/** Modules that browsers do not load. */
const nodeOnly = [
  'src/streams/sealed-duplex.ts',
  'src/compat/register.ts',
  'src/compat/register-webcrypto.ts',
];
const isNodeOnly = (file) =>
  nodeOnly.includes(file) || /^src\/compat\/(node-crypto|overrides)\//.test(file);

const require = createRequire(import.meta.url);
const dist = dirname(entryPaths.millrace);

/** Everything that is kept: what git tracks or would track; without git, what lies there. */
const files = listFiles().filter((file) => existsSync(join(root, file)));
const sources = (folder, extension) =>
  files.filter((file) => file.startsWith(folder) && file.endsWith(extension));
const read = (file) => readFileSync(join(root, file), 'utf8');
const readCode = (file) => withoutComments(read(file));
const crates = [
  'core',
  'cost',
  'families',
  'linux',
  'node',
  'pool',
  'portable-keys',
  'public-keys',
  'request',
];

/** Expects that no line of these files matches; without `text` the comments are not looked at. */
function assertNoLine(list, pattern, text = readCode) {
  const found = list.flatMap((file) =>
    text(file)
      .split('\n')
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.slice(0, 160)}`] : [],
      ),
  );
  assert.deepEqual(found, []);
}

// directions of imports

for (const [crate, names] of Object.entries(forbidden)) {
  test(`${crate} does not name what it must not depend on`, () => {
    const rust = sources(`${crate}/src/`, '.rs');
    assert.ok(rust.length > 0);
    // Not the module of tests at the end of a file.
    assertNoLine(rust, names, (file) => readCode(file).split(/^#\[cfg\(test\)\]\nmod /m)[0]);
    const [dependencies] = /^\[dependencies\]\n[^[]*/m.exec(read(`${crate}/Cargo.toml`)) ?? [''];
    assert.doesNotMatch(dependencies, names, `${crate}/Cargo.toml`);
  });
}

test('crates/node names both the core and the pool', () => {
  assert.match(read('crates/node/Cargo.toml'), /millrace-core[^]*millrace-pool/);
});

test('no import cycles between the modules of a Rust crate', () => {
  for (const crate of crates) {
    const graph = rustModules(join(root, `crates/${crate}/src`));
    assert.ok(Object.values(graph).flat().length > 0, crate);
    assert.deepEqual(importCycles(graph), [], crate);
  }
});

test('differences between Node.js and browsers are in *.node.ts and *.browser.ts', () => {
  const shared = sources('src/', '.ts').filter(
    (file) => !/\.(node|browser)\.ts$/.test(file) && !isNodeOnly(file),
  );
  for (const file of shared)
    assert.deepEqual(
      importsOf(read(file)).filter((from) => from.startsWith('node:')),
      [],
      file,
    );
  assertNoLine(shared, /\bBuffer\.|\bprocess\.|\bsetImmediate\b|\brequire\(|\b__dirname\b/);
});

test('each platform has what the other has', () => {
  const exportsOf = (file) =>
    [
      ...read(file).matchAll(
        new RegExp(
          /^export (?:async )?(?:const|function|class|type|interface) (?:\{ )?(\w+)/.source +
            /(?= |[;:<(=}])(?<!type \{ \w+)|^export type \{([^}]*)\}/.source,
          'gm',
        ),
      ),
    ]
      .flatMap(([, name, names]) =>
        name === undefined ? names.split(',').map((each) => each.trim().split(' ').at(-1)) : [name],
      )
      .sort();
  const pairs = sources('src/', '.node.ts')
    .filter((file) => !/binary|place/.test(file))
    .map((file) => [file, file.replace('.node.', '.browser.')]);
  assert.ok(pairs.length > 3);
  for (const [node, browser] of pairs) {
    // All of another module, which may have more.
    const others = [...read(browser).matchAll(/^export \* from '([^']+)\.js';$/gm)].flatMap(
      ([, path]) => exportsOf(join(dirname(browser), `${path}.ts`)),
    );
    const names = exportsOf(node);
    const more = others.filter((name) => names.includes(name));
    assert.deepEqual([...exportsOf(browser), ...more].sort(), names, browser);
  }
});

// secrets

/** Makes what can be wiped. Its `wipe` takes nothing else: `Secret` is a separate type. */
const secretMemory = 'src/base/secret-memory.ts';

/** Files that state with a cast that memory was made there: a view, a result, an export of Node. */
const secretCasts = [
  'src/base/secret-copy.ts',
  'src/base/secret-memory.ts',
  'src/base/secret-results.ts',
  'src/ciphers/steps.ts',
  'src/compat/noble/hash-engine.browser.ts',
  'src/compat/noble/modules/hkdf.ts',
  'src/compat/webcrypto/platform.ts',
  'src/hashers/key-states.ts',
  'src/hashers/memory.ts',
  'src/operations/batch/iterable.ts',
  'src/operations/batch/sync.ts',
  'src/operations/encapsulation.ts',
  'src/operations/hpke.ts',
  'src/operations/kept-keys.ts',
  'src/operations/public-key-arguments.ts',
  'src/operations/verify-mac.ts',
  'src/public-keys/jwk.ts',
  'src/request/result.ts',
  'src/streams/age/hybrid.ts',
  'src/streams/age/ssh.ts',
  'src/streams/age/x25519.ts',
  'src/streams/passphrase/derive-key.ts',
  'src/streams/sealed-streams.ts',
];

test('only secret-memory.ts makes the memory of secrets, and wipes it', () => {
  // Not the portable engine, which cannot wipe memory reliably (SECURITY.md).
  const all = [
    ...sources('src/', '.ts'),
    ...sources('cli/seal/', '.js'),
    ...sources('cli/age/', '.js'),
  ].filter((file) => !file.startsWith('src/portable/'));
  assert.match(
    read(secretMemory),
    /function wipe\(memory: Secret<Uint8Array>, [^]*memory\.fill\(0, start, end\)/,
  );
  // Elsewhere secretMemory, secretCopy and wipe do it.
  assertNoLine(
    all.filter((file) => file !== secretMemory),
    /\.fill\(0[,)]|\bnew ArrayBuffer\(/,
  );
  assert.deepEqual(all.filter((file) => /\bas Secret\b/.test(read(file))).sort(), secretCasts);
});

// unsafe

test('unsafe occurs only in the files listed', () => {
  const isListed = (file) =>
    unsafeFiles.some((allowed) =>
      allowed.endsWith('/') ? file.startsWith(allowed) : file === allowed,
    );
  assertNoLine(
    sources('crates/', '.rs').filter((file) => !isListed(file)),
    /\bunsafe\b/,
  );
  for (const allowed of unsafeFiles)
    assert.ok(
      files.some((file) => file.startsWith(allowed)),
      `${allowed} does not exist`,
    );
});

test('each unsafe block has a SAFETY comment', () => {
  let count = 0;
  for (const file of sources('crates/', '.rs')) {
    const lines = read(file).split('\n');
    for (const [index, line] of readCode(file).split('\n').entries()) {
      // An attribute (no_mangle), a function type, and a trait's function without a body promise
      // nothing by themselves; the trait's documentation says what its callers have to.
      if (
        !/\bunsafe\b/.test(line) ||
        /^\s*unsafe fn .*;$|#\[unsafe\(|:\s*(Option<)?unsafe (extern "\w+" )?fn\(/.test(line)
      )
        continue;
      count++;
      assert.match(
        lines.slice(Math.max(0, index - 6), index + 1).join('\n'),
        /\/\/.*(SAFETY:|# Safety)/,
        `${file}:${index + 1} has no SAFETY comment within 6 lines above it`,
      );
    }
  }
  assert.ok(count > 10);
});

test('the pool forbids unsafe and the workspace denies it', () => {
  assert.match(read('crates/pool/src/lib.rs'), /#!\[forbid\(unsafe_code\)\]/);
  assert.match(read('Cargo.toml'), /unsafe_code = "(deny|forbid)"/);
  for (const crate of crates)
    assert.match(read(`crates/${crate}/Cargo.toml`), /\[lints\]\s*workspace = true/, crate);
});

test('crates/node has no Rust tests, as they would not run', () => {
  assert.match(read('crates/node/Cargo.toml'), /^test = false$/m);
  assertNoLine(sources('crates/node/', '.rs'), /#\[test\]|cfg\(test\)/);
});

test('no build for one CPU', () => {
  assertNoLine(
    files.filter((file) => /\.(toml|rs|mjs|json|ya?ml)$/.test(file) && !file.startsWith('test/')),
    /target-cpu\s*=\s*native/,
  );
});

// the numbers that both sides share

test('the shared numbers are those of tools/protocol.mjs', () => {
  assert.deepEqual(staleFiles(), [], 'run: node tools/protocol.mjs');
});

test('no status, operation or flag is written as a number', () => {
  assertNoLine(
    sources('src/', '.ts'),
    /\b(status|outcome)\s*[!=]==?\s*[1-9]|\bfailure\(\d|frame\[\d|\bnative\.(threads|copies|derivationMemory)\(\d/,
  );
  assertNoLine(
    ['crates/node/src/', 'crates/request/src/']
      .flatMap((folder) => sources(folder, '.rs'))
      .filter((file) => !file.endsWith('/protocol.rs')),
    /enum (At|Status|Route|Poll)\b|const HAS_\w+: u32 = \d/,
  );
});

test('no record or array is asked for what Object.prototype may have', () => {
  const wrong = [];
  for (const file of sources('src/', '.ts')) {
    const code = read(file).replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '');
    // Slots: emptySlots(count). Records: a null prototype. Beyond the end of an array: at(index).
    for (const [read, name] of code.matchAll(
      /(#?\w+)\[[^\]\n]+\]\)? *(?:\?\.|\?\?|[!=]== undefined)/g,
    )) {
      const literal = `(const|let|readonly|static) ${name}\\b[^=\\n]*= (\\[|\\{(?!\\s*__proto__: null))`;
      if (new RegExp(literal).test(code)) wrong.push(`${file}: ${read}`);
    }
    for (const [found] of code.matchAll(/'\w+' in \w+|\bfor \((const|let) \w+ in (.*\n){5}/g))
      if (!/^for .*\bhasOwn\(/s.test(found)) wrong.push(`${file}: ${found}`);
  }
  assert.deepEqual(wrong, []);
});

test('an argument is read after the number of arguments, or by argument()', () => {
  // readOptions of derivations and the exports of crypto-async have compared the number.
  const comparedBefore = /^src.(kdf.|compat.crypto-async)/;
  const wrong = [];
  let count = 0;
  for (const file of sources('src/', '.ts').filter((name) => !comparedBefore.test(name)))
    for (const code of read(file)
      .replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '')
      .split(/^(?=\S.*[({]$)/m))
      for (const { 0: found, index } of code.matchAll(
        /\b(given|arguments)\[\d+\](?! = )|\{ \d+: [^}]*\}(?=\) =>| = (given|arguments)\b)/g,
      )) {
        count += 1;
        const before = code.slice(0, index);
        if (!/\bcount (<|!==|===) \d|\b(count|length) > \d \? $|pick\(/.test(before))
          wrong.push(`${file}: ${found}`);
      }
  assert.ok(count > 20, `${count} reads`);
  assert.deepEqual(wrong, []);
});

test('the binding exports the functions that TypeScript declares', () => {
  const declared = ['Native', 'DirectNative extends Native'].flatMap((name) => {
    const found = new RegExp(`^export interface ${name} \\{$([\\s\\S]*?)^\\}$`, 'm');
    const [, members] = found.exec(read('src/base/frame.ts'));
    return [...members.matchAll(/^  (\w+)\(/gm)].map(([, name]) => name);
  });
  assert.ok(declared.length > 30);
  assert.deepEqual(
    declared.sort(),
    Object.keys(require(join(dist, 'core.js'))['engines/binding'].native).sort(),
  );
});

// the catalog

const { hashes: hashTable, ciphers: cipherTable } = require(join(dist, 'core.js'))[
  'catalog/catalog-table'
];

test('the catalog is what the standards say', () => {
  assert.deepEqual(millrace.getHashes(), Object.keys(hashes).sort());
  assert.deepEqual(millrace.getCiphers(), [...cipherNames].sort());
  for (const { name, digestSize, blockSize, xof, parameters, seedBits, hmac } of hashTable) {
    const facts = { xof: false, parameters: null, seedBits: 0, ...hashes[name] };
    const told = { xof, parameters: parameters && { ...parameters }, seedBits, hmac };
    for (const [fact, value] of Object.entries({ ...told, digest: digestSize }))
      assert.deepEqual(value, facts[fact], `${name}: ${fact}`);
    if (hmac || xof) assert.equal(blockSize, facts.block, name);
  }
  for (const { name, keySize, ivSize, aead, tagSize } of cipherTable) {
    const { key, iv, tag, aead: isAead } = ciphers[name];
    assert.deepEqual([keySize, ivSize, aead, tagSize], [key, iv, isAead, tag], name);
  }
});

test('no name is used for two algorithms', () => {
  for (const table of [hashTable, cipherTable]) {
    const owners = new Map();
    for (const { name, aliases } of table) {
      assert.equal(name, name.toLowerCase());
      for (const each of [name, ...aliases]) {
        const lower = each.toLowerCase();
        assert.equal(owners.get(lower), undefined, `${each} is ${name} and ${owners.get(lower)}`);
        owners.set(lower, name);
      }
    }
  }
});

// what is kept

test('no module called utils', () => {
  for (const file of files)
    assert.doesNotMatch(file, /(^|\/)(utils?|helpers?|misc|common)(\/|\.|$)/i, file);
});

test('nothing unfinished', () => {
  const marks = new RegExp(
    ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].map((mark) => `\\b${mark}\\b`).join('|'),
  );
  assertNoLine(textFiles(), marks, read);
});

test('no path or host of a machine', () => {
  // Spelled in pieces, as this file is looked at too.
  const machine = new RegExp(
    [
      '/ro' + 'ot/',
      '/ho' + 'me/[a-z]',
      '/Us' + 'ers/[A-Za-z]',
      '/wo' + 'rk/',
      'C:\\\\Us' + 'ers',
      'regis' + 'try\\.npmjs',
      'index\\.cra' + 'tes\\.io',
      '\\b(10\\.\\d{1,3}|192\\.168|172\\.16)\\.\\d{1,3}\\.\\d{1,3}\\b',
    ].join('|'),
  );
  assertNoLine(textFiles(), machine, read);
});

test('text files end with one newline and have no trailing blanks', () => {
  const list = textFiles().filter((file) => /\.(rs|ts|mts|cts|mjs|js|toml|ya?ml)$/.test(file));
  for (const file of list)
    assert.match(read(file), /[^\n]\n$/, `${file} must end with one newline`);
  assertNoLine(list, /[ \t\r]$|\r/, read);
});

test('no install script, no gyp, no dependencies but the platform binaries', () => {
  const manifest = JSON.parse(read('package.json'));
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
    assert.equal(manifest.scripts?.[script], undefined, script);
  assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);
  for (const name of Object.keys(manifest.optionalDependencies ?? {}))
    assert.match(name, /^@millrace\//);
  assert.deepEqual(
    files.filter((file) => /(^|\/)binding\.gyp$|\.node$/.test(file)),
    [],
  );
});

test('the tests import only packages of package.json', () => {
  const manifest = JSON.parse(read('package.json'));
  const used = new Set(
    sources('test/', '.mjs')
      .flatMap((file) => importsOf(read(file)))
      .filter((from) => !/^(node:|\.|\/|millrace)/.test(from))
      .map((from) =>
        from
          .split('/')
          .slice(0, from.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
  );
  assert.deepEqual(
    [...used].filter((name) => !(name in (manifest.devDependencies ?? {}))),
    [],
  );
});

test('a skipped test says why', () => {
  // In capitals, as this file is looked at too.
  const found = (code) => skipsWithoutReason('x', () => code.replaceAll('SKIP', 'skip')).length;
  for (const value of ['true', 'a', '!b', 'b.test(c)', "a || 'why'", 'b && d()', "b ? 'why' : a"])
    assert.equal(found(`{ SKIP: ${value} }; const a = b === 1;`), 1, value);
  assert.equal(found("t.SKIP(); test.SKIP('x', f); const SKIP = !x; test('x', { SKIP }, f);"), 3);
  assert.equal(found("{ SKIP: a ? 'b' : c && `d`, x: 1 }; t.SKIP(r); const a = e === 'f';"), 0);
  assert.deepEqual(
    sources('test/', '.mjs').flatMap((file) => skipsWithoutReason(file, read)),
    [],
  );
});

// the binary

test(
  "the binary imports nothing of the host's OpenSSL and exports nothing of AWS-LC",
  { skip: noNm() },
  () => {
    const binaries = readdirSync(join(root, 'native'))
      .filter((file) => file.endsWith('.node'))
      .map((file) => join(root, 'native', file));
    assert.ok(binaries.length > 0);
    const crypto =
      /^(EVP|SSL|TLS|CRYPTO|OPENSSL|OSSL|ERR|BIO|BN|EC|RSA|AES|SHA\d|MD5|HMAC|RAND|aws_lc)_/i;
    for (const binary of binaries) {
      assert.deepEqual(
        dynamicSymbols(binary, '--undefined-only').filter((name) => crypto.test(name)),
        [],
        binary,
      );
      assert.deepEqual(unexpectedExports(binary), [], binary);
    }
  },
);

// documentation

/** Returns the declarations that users see: those of the entry points, and what they re-export. */
function exported() {
  const found = new Map();
  for (const entry of [...entryPoints, 'portable/entry']) {
    const folder = posix.dirname(entry);
    const text = readDeclarations(`${entry}.d.ts`);
    const note = (from, names) => {
      const file = posix.join(folder, `${from}.d.ts`);
      for (const name of names) found.set(`${file} ${name}`, { file, name });
    };
    const wholes = [...text.matchAll(/^export \* from '\.\/([\w/-]+)\.js'/gm)];
    for (const from of [posix.basename(entry), ...wholes.map(([, each]) => each)]) {
      const declared = readDeclarations(posix.join(folder, `${from}.d.ts`)).matchAll(declaration);
      note(
        from,
        [...declared].map(([, name]) => name),
      );
    }
    const listed = (pattern) =>
      [...text.matchAll(pattern)].map(([, names, from]) => [from, names.match(/\w+/g)]);
    for (const [from, names] of listed(
      /^export (?:type )?\{([^}]*)\} from '(\.\.?\/[\w/-]+)\.js'/gm,
    ))
      if (!entryPoints.includes(posix.join(folder, from))) note(from, names);
    // Types imported to be handed on: `import type { A } from './a.js'` and `export type { A }`.
    const handedOn = listed(/^export type \{([^}]*)\};/gm).flatMap(([, names]) => names);
    for (const [from, names] of listed(/^import type \{([^}]*)\} from '(\.\.?\/[\w/-]+)\.js'/gm))
      note(
        from,
        names.filter((name) => handedOn.includes(name)),
      );
  }
  return [...found.values()];
}

const readDeclarations = (file) => readFileSync(join(dist, file), 'utf8');

const kinds = 'const enum|enum|function|class|interface|type|const|let';
const declaration = new RegExp(`^export (?:declare )?(?:abstract )?(?:${kinds}) (\\w+)`, 'gm');

test('every export of the entry points is documented', () => {
  const all = exported();
  assert.ok(all.length > 30, all.map(({ name }) => name).join());
  const undocumented = all.filter(({ file, name }) => {
    const lines = readDeclarations(file).split('\n');
    // The first overload speaks for all.
    const index = lines.findIndex((line) => [...line.matchAll(declaration)][0]?.[1] === name);
    assert.ok(index >= 0, `${name} is not declared in ${file}`);
    return !documented(lines, index);
  });
  assert.deepEqual(undocumented, []);
});

test('every member of the exported options is documented', () => {
  const undocumented = [];
  let members = 0;
  for (const { file, name } of exported()) {
    const lines = readDeclarations(file).split('\n');
    const start = lines.findIndex((line) =>
      new RegExp(`^export (declare )?(interface|class) ${name}\\b`).test(line),
    );
    if (start < 0) continue;
    for (let index = start + 1; lines[index] !== '}' && index < lines.length; index++) {
      // A member of a member is explained by it.
      const pattern =
        /^ {4}(?!constructor\b|(?:static|readonly) \[)(?:static |readonly |get |set )*(\[?[\w.]+\]?)[?(:]/;
      const [, member] = pattern.exec(lines[index]) ?? [];
      if (member === undefined) continue;
      members++;
      if (!documented(lines, index)) undocumented.push(`${file}: ${name}.${member}`);
    }
  }
  assert.ok(members > 20, `${members} members`);
  assert.deepEqual(undocumented, []);
});

// reading

function listFiles() {
  const git = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const inside = spawnSync('git', ['rev-parse', '--show-prefix'], { cwd: root, encoding: 'utf8' });
  if (git.status === 0 && inside.status === 0 && inside.stdout.trim() === '')
    return git.stdout.split('\0').filter(Boolean);
  return walk(root);
}

function walk(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (['node_modules', 'target', 'dist', 'native', '.git', 'npm'].includes(entry.name)) return [];
    return entry.isDirectory() ? walk(path) : [relative(root, path).split(sep).join('/')];
  });
}

function textFiles() {
  return files.filter(
    (file) =>
      /\.(rs|ts|mts|cts|mjs|cjs|js|json|toml|md|ya?ml|lock|txt|svg)$|(^|\/)[^.]+$|^\.[a-z]+$/.test(
        file,
      ) &&
      statSync(join(root, file)).isFile() &&
      !file.startsWith('test/vectors/wycheproof'),
  );
}

/**
 * Returns code with comments and texts blanked, lines kept. Good for Rust and TypeScript as they
 * are written here.
 */
function withoutComments(code) {
  const blank = (text) => text.replace(/[^\n]/g, ' ');
  return code.replace(
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|r#"[\s\S]*?"#|b?"(?:[^"\\\n]|\\[\s\S])*"/g,
    blank,
  );
}

function importsOf(text) {
  const pattern = /^(?:import|export)\s+(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
  return [...text.matchAll(pattern)].map(([, from]) => from);
}

/** Returns true if a doc comment ends on the line above. */
function documented(lines, index) {
  return /\*\/\s*$/.test(lines[index - 1] ?? '');
}

function noNm() {
  if (process.platform !== 'linux') return 'symbols are read with nm on Linux';
  return spawnSync('nm', ['--version']).status === 0 ? false : 'nm is not there';
}

test('what the fuzz targets ask of the crates exists: they are not built with the others', () => {
  const manifest = read('fuzz/Cargo.toml');
  const asked = [...manifest.matchAll(/"millrace-(\w+)\/([\w-]+)"/g)].map(([, ...names]) => names);
  for (const [, crate, features] of manifest.matchAll(
    /^millrace-(\w+) = .*?features = \[(.*?)\]/gm,
  ))
    for (const [, feature] of features.matchAll(/"(.*?)"/g)) asked.push([crate, feature]);
  assert.ok(asked.length >= 4);
  for (const [crate, feature] of asked) {
    const [features] = read(`crates/${crate}/Cargo.toml`).split('\n[features]\n')[1].split(/^\[/m);
    assert.match(features, new RegExp(`^${feature} = `, 'm'), `${crate}: ${feature}`);
  }
});

test('the lockfile of the fuzz targets has what the crates depend on', () => {
  const packages = read('fuzz/Cargo.lock').matchAll(
    /^name = "millrace-([\w-]+)"\n[^]*?^dependencies = \[\n([^]*?)^\]/gm,
  );
  let checked = 0;
  for (const [, crate, locked] of packages) {
    if (crate === 'fuzz') continue;
    const [, dependencies] = /^\[dependencies\]\n([^[]*)/m.exec(read(`crates/${crate}/Cargo.toml`));
    for (const [, name] of dependencies.matchAll(/^([\w-]+)(?:\.workspace)? = (?!.*optional)/gm)) {
      assert.match(locked, new RegExp(`^ "${name}[ "]`, 'm'), `${crate}: ${name}`);
      checked += 1;
    }
  }
  assert.ok(checked > 8, String(checked));
});
