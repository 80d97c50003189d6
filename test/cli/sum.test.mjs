// millrace sum: what it prints, byte by byte, beside node:crypto and the programs with the same
// formats.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { blake2b as nobleBlake2b } from '@noble/hashes/blake2.js';
import millrace from 'millrace';

import { root } from '../support/child.mjs';
import { command, inFolder, notLinux, windows, without } from '../support/shell.mjs';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Returns the lines of these files, of which `digest` returns each one's digest. */
const linesOf = (names, digest) => names.map((name) => `${digest(name)}  ${name}\n`).join('');

/** Returns what came of a command, with texts in place of bytes. */
const texts = ({ code, stdout, stderr }) => ({
  code,
  stdout: stdout.toString(),
  stderr: stderr.toString(),
});

/** Names that have to be written with care. */
const awkward = windows
  ? ['plain', ' leading', 'a (b) = c']
  : [
      'plain',
      ' leading',
      '*star',
      'a (b) = c',
      'back\\slash',
      'end\\',
      'cr\rx',
      'new\nline',
      'both\\\n',
      '\\nnot a newline',
      'tab\tx',
      'ümläut',
      '-dash',
    ];

test('sum takes every algorithm by name and writes its tag', () =>
  inFolder({ a: 'abc' }, async ($) => {
    const lines = [];
    for (const algorithm of millrace.getHashes().filter((name) => !/^(kmac|tuple)/.test(name))) {
      const [options, length] = algorithm.startsWith('shake')
        ? [{ outputLength: 40 }, '-l 40']
        : [];
      const hex = millrace.hash(algorithm, 'abc', { encoding: 'hex', ...options });
      const line = `sum --tag -a ${algorithm.toUpperCase()} a ${length ?? ''}`;
      const tagged = new RegExp(`^[A-Z0-9]+\\S* \\(a\\) = ${hex}\n$`, 'i');
      lines.push((await $.millrace(line, { stdout: tagged })).stdout);
    }
    await $.millrace('sum -c', { stdin: lines.join(''), stdout: 'a: OK\n'.repeat(lines.length) });
    await $.millrace('sum -a blake3 -l 7 a', {
      stdout: `${millrace.hash('blake3', 'abc', { encoding: 'hex', outputLength: 7 })}  a\n`,
    });
  }));

/** A user that may not read everything: root runs this as another one. */
const unprivileged = !windows && process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
const noUnprivileged =
  windows || spawnSync(process.execPath, [command, '--version'], unprivileged).status !== 0;

test(
  'files and folders without permission are reported',
  { skip: noUnprivileged ? 'there is no user that may run this and not read everything' : false },
  () =>
    inFolder({ a: 'abc', 'shut/b': '' }, async ($) => {
      for (const name of ['secret', 'other.sealed']) $.write(name, 'x', 0);
      $.write('key', 'k'.repeat(32), 0o644);
      chmodSync($.folder, 0o755);
      chmodSync($.path('shut'), 0);
      for (const [line, stdout, ...denied] of [
        ['sum secret a shut/b', `${abc}  a\n`, 'secret', 'shut/b'],
        ['sum -r shut a', `${abc}  a\n`, 'shut'],
        ['sum -c secret', '', 'secret'],
        ['seal -k secret a', '', 'secret'],
        ['open -k key other.sealed', '', 'other.sealed'],
      ]) {
        const args = line.split(' ');
        const options = { cwd: $.folder, encoding: 'utf8', ...unprivileged };
        const ran = spawnSync(process.execPath, [command, ...args], options);
        const stderr = denied
          .map((name) => `millrace ${args[0]}: ${name}: Permission denied\n`)
          .join('');
        assert.deepEqual([ran.status, ran.stdout, ran.stderr], [1, stdout, stderr], line);
      }
    }),
);

test('without a binary: the same, by the portable engine', () =>
  inFolder({ a: 'abc', large: randomBytes(2 ** 20 + 1) }, async ($) => {
    for (const part of ['cli', 'dist', 'package.json'])
      cpSync(join(root, part), $.path('package', part), { recursive: true });
    const program = ['--no-warnings', 'package/cli/main.js'];
    const ran = await $.start(['sum', 'a', 'large', 'missing'], { program }).ended;
    assert.deepEqual(texts(ran), {
      code: 1,
      stdout: `${abc}  a\n${sha256(readFileSync($.path('large')))}  large\n`,
      stderr: 'millrace sum: missing: No such file or directory\n',
    });
  }));

const permission = ['--permission', '--allow-addons'];

test(
  'files that Node may not read are reported',
  {
    skip: permission.every((flag) => process.allowedNodeEnvironmentFlags.has(flag))
      ? false
      : 'this Node has no permissions',
  },
  () =>
    inFolder({ a: 'abc', b: 'abc' }, async ($) => {
      const allowed = [root, $.path('a')].map((path) => `--allow-fs-read=${path}`);
      const program = [...permission, ...allowed, command];
      const { code, stdout, stderr } = texts(await $.start(['sum', 'a', 'b'], { program }).ended);
      assert.deepEqual([code, stdout], [1, `${abc}  a\n`]);
      assert.match(stderr, /^millrace sum: b: /m);
    }),
);

test('many files of many sizes, in order, as node:crypto has them', async () => {
  const sizes = [0, 1, 63, 64, 65, 4095, 65536, 262143, 262144, 262145, 2 ** 20, 5 * 2 ** 20 + 3];
  const files = Object.fromEntries(
    Array.from({ length: 700 }, (_, index) => [
      `d${index % 7}/f${index}`,
      randomBytes(index % 50 === 7 ? (sizes[(index / 50) | 0] ?? 10) : index),
    ]),
  );
  await inFolder(files, async ($) => {
    const names = Object.keys(files);
    const lines = (list, algorithm) =>
      linesOf(list, (name) => createHash(algorithm).update(files[name]).digest('hex'));
    await $.millrace(['sum', ...names], { stdout: lines(names, 'sha256') });
    await $.millrace('sum -r -a sha512 d0 d1 d2 d3 d4 d5 d6', {
      stdout: lines(names.toSorted(), 'sha512'),
    });
    const { stdout } = await $.millrace('sum -r d3 d1', { stdout: /d3/ });
    await $.millrace('sum -c', {
      stdin: stdout,
      stdout: stdout.toString().replace(/^\S+ {2}(.*)$/gm, '$1: OK'),
    });
    await $.millrace('sum -a blake3 d3/f353', {
      stdout: `${millrace.hash('blake3', files['d3/f353'], 'hex')}  d3/f353\n`,
    });
  });
});

test('large input in blocks, from a pipe and from a file', () =>
  inFolder({}, async ($) => {
    const slowly = randomBytes(24 * 2 ** 20 + 5);
    $.write('slowly', slowly);
    await $.millrace('sum -a ripemd160 slowly', {
      stdout: `${millrace.hash('ripemd160', slowly, 'hex')}  slowly\n`,
    });
    const data = randomBytes(9 * 2 ** 20 + 1);
    for (const algorithm of ['sha256', 'blake3'])
      await $.millrace(`sum -a ${algorithm}`, {
        stdin: data,
        stdout: `${millrace.hash(algorithm, data, 'hex')}  -\n`,
      });
  }));

test('files of all sizes at which something changes, of each kind of hash', () => {
  const borders = [128 * 1024, 2 ** 20, 2 ** 21, 2 ** 22, 9 * 2 ** 20];
  const sizes = [0, 1, ...borders.flatMap((size) => [size - 1, size, size + 1])];
  const files = Object.fromEntries(sizes.map((size) => [`f${size}`, randomBytes(size)]));
  const names = Object.keys(files);
  return inFolder(files, async ($) => {
    for (const algorithm of ['sha256', 'blake3', 'xxh3', 'ripemd160']) {
      for (const list of [names, names.slice(0, 3)]) {
        const lines = linesOf(list, (name) => millrace.hash(algorithm, files[name], 'hex'));
        const stdout =
          algorithm === 'xxh3' ? lines.replaceAll(/(.*)  (.*)/g, 'XXH3 ($2) = $1') : lines;
        await $.millrace(['sum', '-a', algorithm, ...list], { stdout });
      }
    }
    const options = { outputLength: 100, encoding: 'hex' };
    for (const algorithm of ['shake256', 'blake3'])
      await $.millrace(['sum', '-a', algorithm, '-l', '100', ...names], {
        stdout: linesOf(names, (name) => millrace.hash(algorithm, files[name], options)),
      });
  });
});

test('a large file that shrinks while it is read does not end the command', { skip: windows }, () =>
  inFolder({}, async ($) => {
    const block = randomBytes(2 ** 20);
    for (const algorithm of ['sha256', 'blake3']) {
      const sum = ['sum', '-a', algorithm, 'shrinking'];
      const content = Buffer.alloc(300 * block.length, block);
      $.write('shrinking', content);
      const whole = (await $.start(sum).ended).stdout.toString();
      // From before the file is opened until after it was read, and so in between too.
      const digests = new Set();
      for (let after = 20; !digests.has(whole); after += 40) {
        $.write('shrinking', content);
        const { ended } = $.start(sum);
        await new Promise((resolve) => setTimeout(resolve, after));
        for (const blocks of [299, 1]) truncateSync($.path('shrinking'), blocks * block.length);
        const { code, stdout, stderr } = texts(await ended);
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        assert.match(stdout, /^[0-9a-f]{64} {2}shrinking\n$/);
        digests.add(stdout);
      }
      assert.ok(digests.size > 1, algorithm);
    }
  }),
);

test('files without a size are read to their end', { skip: notLinux }, () =>
  inFolder({}, async ($) => {
    const odd = '/sys/kernel/mm/transparent_hugepage/enabled'; // says that it has 4096 bytes
    for (const file of ['/proc/version', odd].filter((each) => existsSync(each)))
      await $.millrace(`sum ${file}`, {
        stdout: linesOf([file], () => sha256($.other('cat', [file]).stdout)),
      });
    await $.millrace('sum /dev/null', { stdout: `${empty}  /dev/null\n` });
    await $.millrace('sum -r /proc/self/fdinfo/99', { stderr: /No such file/, code: 1 });
  }),
);

// the other programs

const otherPrograms = [
  { program: 'sha256sum', ours: '' },
  { program: 'sha512sum', ours: '-a sha512' },
  { program: 'md5sum', ours: '-a md5' },
  { program: 'b2sum', ours: '-a blake2b512' },
  {
    program: 'cksum',
    args: ['-a', 'sha384', '--untagged'],
    tag: ['-a', 'sha384'],
    ours: '-a sha384',
    noBinary: true,
  },
  { program: 'b3sum', ours: '-a blake3', noBinary: true, noZero: true },
];

for (const { program, args = [], tag = ['--tag'], ours, noBinary, noZero } of otherPrograms) {
  test(
    `the lines of ${program}, both ways`,
    { skip: windows || without(program, [...tag, process.execPath]) },
    () =>
      inFolder(
        Object.fromEntries(awkward.map((name) => [name, `content of ${name}`])),
        async ($) => {
          const names = awkward.map((name) => (name.startsWith('-') ? `./${name}` : name));
          const mine = ours.split(' ').filter(Boolean);
          const theirs = (options) => {
            const { status, stdout, stderr } = $.other(program, [...options, ...names]);
            assert.equal(status, 0, stderr.toString());
            return stdout;
          };
          const plain = theirs(args);
          const tagged = theirs(tag);
          await $.millrace(['sum', ...mine, ...names], { stdout: plain });
          await $.millrace(['sum', ...mine, '--tag', ...names], { stdout: tagged });
          if (!noBinary)
            await $.millrace(['sum', ...mine, '-b', ...names], { stdout: theirs([...args, '-b']) });
          if (!noZero)
            await $.millrace(['sum', ...mine, '-0', ...names], { stdout: theirs([...args, '-z']) });
          // Theirs checked here, in their words; and each form once more with what DOS makes of it.
          const verdicts = names
            .map((name) =>
              name.includes('\n')
                ? `\\${name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}: OK\n`
                : `${name}: OK\n`,
            )
            .join('');
          for (const lines of [plain, tagged, plain.toString().replaceAll('\n', '\r\n')])
            await $.millrace(['sum', '-c', ...mine], { stdin: lines, stdout: verdicts });
          await $.millrace(['sum', '-c'], { stdin: tagged, stdout: verdicts });
          const check = $.other(program, [...args.slice(0, 2), '-c'], plain);
          if (program !== 'b3sum') assert.equal(check.stdout.toString(), verdicts);
          assert.equal(check.status, 0);
        },
      ),
  );
}

test(
  'names that are not text are written and read',
  { skip: notLinux || without('sha256sum') },
  (t) =>
    inFolder({ 'd/plain': 'p' }, async ($) => {
      const name = Buffer.concat([
        Buffer.from($.path('d', '')),
        Buffer.from([0x62, 0xff, 0x5c, 0xc3]),
      ]);
      try {
        writeFileSync(name, 'odd');
      } catch {
        return t.skip('this file system takes names that are text only');
      }
      const listed = $.other('sh', ['-c', 'sha256sum d/*']).stdout;
      const { stdout } = await $.millrace('sum -r d', { stdout: listed });
      // By the shell, as a Node process can only pass on text.
      const direct = $.other('sh', ['-c', `exec "${process.execPath}" "$0" sum d/*`, command]);
      assert.deepEqual(direct.stdout, listed);
      await $.millrace('sum -c', {
        stdin: stdout,
        stdout: $.other('sha256sum', ['-c'], stdout).stdout,
      });
    }),
);

// checking

test(
  'check: the same exit codes and verdicts as sha256sum',
  { skip: windows || without('sha256sum') },
  () =>
    inFolder({ a: 'abc', 'sp ace': 'abc' }, async ($) => {
      const upper = abc.toUpperCase();
      const wrong = abc.replace('b', 'c');
      const lists = [
        `${abc} a`,
        `${abc}  a`,
        `  ${abc}  a`,
        `${abc}\ta`,
        `${abc} *a`,
        `SHA256(a)= ${abc}`,
        `SHA256 (a) =  ${abc}`,
        `SHA256 (a) = ${abc} `,
        `${upper}  a`,
        `${abc}a`,
        `${abc}  `,
        `${abc}  sp ace`,
        `${abc.slice(1)}  a`,
        `${abc}0  a`,
        `MD5 (a) = ${abc}`,
        `MD5 (a) = 900150983cd24fb0d6963f7d28e17f72`,
        `\\${abc}  a\\x`,
        `\\${abc}  a\\`,
        `\\${abc}  a`,
        `${abc}  -`,
        `${wrong}  a`,
        `${abc}  gone`,
        `${abc} a\n${abc}  a`,
        `\\SHA256 (a) = ${abc}`,
        'SHA256 (a) = ',
        `SHA256 a = ${abc}`,
        `#${abc}  a`,
        ` #${abc}  a`,
        '',
      ];
      const compare = async (options, stdin) => {
        const oracle = $.other('sha256sum', options, stdin);
        const args = ['sum', '-a', 'sha256', ...options];
        const { code, stdout, stderr } = texts(await $.start(args, { stdin }).ended);
        const said = oracle.stderr
          .toString()
          .replaceAll('sha256sum:', 'millrace sum:')
          .replaceAll('formatted SHA256 checksum', 'formatted checksum');
        // coreutils warns as it goes, we before the first file is read.
        const sorted = (text) => text.split('\n').sort();
        assert.deepEqual(
          { code, stdout, stderr: sorted(stderr) },
          { code: oracle.status, stdout: oracle.stdout.toString(), stderr: sorted(said) },
          `${JSON.stringify(stdin)} ${options.join(' ')}`,
        );
      };
      // All in one list, in two orders: the form with one blank changes how the lines behind it are
      // read.
      for (const each of [lists, lists.toReversed()]) {
        for (const options of [
          '-c -w',
          '-c --strict',
          '-c --ignore-missing --quiet',
          '-c -w --quiet',
          '-c --quiet -w',
          '-c --status',
        ])
          await compare(options.split(' '), `${each.join('\n')}\n`);
      }
      for (const list of [
        lists[0],
        lists.at(-1),
        `${abc}  gone`,
        `${abc}  a\nrubbish`,
        `${wrong}  a`,
      ])
        await compare(['-c', '--strict', '--ignore-missing'], `${list}\n`);
    }),
);

test('check: lists in UTF-16', () =>
  inFolder({ a: 'abc' }, async ($) => {
    const list = Buffer.from(`\ufeff${abc} *a\r\n`, 'utf16le');
    for (const stdin of [list, list.subarray(2), Buffer.from(list).swap16()])
      await $.millrace('sum -c', { stdin, stdout: 'a: OK\n' });
  }));

for (const [program, ...options] of [
  ['cksum', '-a', 'sha256', '--base64'],
  ['cksum', '-a', 'sha384', '--base64', '--untagged'],
  ['xxhsum', '-H3'],
  ['xxhsum', '-H3', '--tag', '--little-endian'],
  ['rhash', '--sfv', '--crc32'],
  ['rhash', '--bsd', '--md5', '--sha1'],
])
  test(
    `check: the list of ${program} ${options.join(' ')}`,
    { skip: windows || without(program, [...options, process.execPath]) },
    () =>
      inFolder({ a: 'abc', b: 'b' }, async ($) => {
        const mine = options.includes('--untagged') ? options.slice(0, 2) : [];
        await $.millrace(['sum', '-c', ...mine], {
          stdin: $.other(program, [...options, 'a', 'b']).stdout,
          stdout: /^(a: OK\n)+(b: OK\n)+$|^(a: OK\nb: OK\n)+$/,
        });
      }),
  );

test('xxhsum checks the lines of XXH3', { skip: windows || without('xxhsum') }, () =>
  inFolder({ a: 'abc' }, async ($) => {
    for (const algorithm of ['xxh32', 'xxh64', 'xxh3-64', 'xxh3-128']) {
      const { stdout } = await $.millrace(`sum -a ${algorithm} a`, { stdout: /a/ });
      assert.equal($.other('xxhsum', ['-c'], stdout).stdout.toString(), 'a: OK\n', algorithm);
    }
  }),
);

/** Returns BLAKE2b of the sizes that `b2sum -l` makes, by another library. */
const blake2b = (bytes, size) => Buffer.from(nobleBlake2b(bytes, { dkLen: size })).toString('hex');

test('check: BLAKE2b of fewer bits, as b2sum -l makes it', () =>
  inFolder({ a: 'abc', empty: '', large: randomBytes(300_000) }, async ($) => {
    const files = ['a', 'empty', 'large'];
    const fine = files.map((name) => `${name}: OK\n`).join('');
    const lists = { plain: '', tagged: '', b2sum: '' };
    const sizes = [128, 160, 256, 384, 504, 512];
    for (const bits of sizes) {
      const digests = files.map((name) => blake2b(readFileSync($.path(name)), bits / 8));
      lists.plain += files.map((name, at) => `${digests[at]}  ${name}\n`).join('');
      lists.tagged += files
        .map((name, at) => `BLAKE2b${bits === 512 ? '' : `-${bits}`} (${name}) = ${digests[at]}\n`)
        .join('');
      if (without('b2sum')) continue;
      for (const options of [[], ['--tag']])
        lists.b2sum += $.other('b2sum', ['-l', String(bits), ...options, ...files]).stdout;
    }
    const all = fine.repeat(sizes.length);
    await $.millrace('sum -c', { stdin: lists.tagged, stdout: all });
    await $.millrace('sum -c -a blake2b512', {
      stdin: lists.plain + lists.tagged,
      stdout: all + all,
    });
    await $.millrace('sum -c', {
      stdin: lists.tagged.replaceAll('(a)', '(empty)'),
      stdout: /^(empty: FAILED\nempty: OK\nlarge: OK\n){6}$/,
      stderr: /6 computed checksums did NOT match/,
      code: 1,
    });
    if (lists.b2sum !== '')
      await $.millrace('sum -c -a blake2b512', { stdin: lists.b2sum, stdout: all + all });
    // A tag says how long the digest must be, and one so short that anything would match is not
    // believed.
    for (const [bits, size, options = ''] of [
      ['-256', 20],
      ['-8', 1],
      ['', 32],
      ['-250', 31],
      ['-256', 32, '-a sha256'],
    ])
      await $.millrace(`sum -c ${options}`, {
        stdin: `BLAKE2b${bits} (a) = ${blake2b(Buffer.from('abc'), size)}\n`,
        stderr: /no properly formatted/,
        code: 1,
      });
  }));

test('sum expands wildcards on Windows, because the shells there do not', () =>
  inFolder(
    Object.fromEntries(
      'a.txt B.TXT c.bin in/d.txt in/e1.txt in/e22.txt a+b'.split(' ').map((name) => [name, 'abc']),
    ),
    async ($) => {
      $.write('spoof.cjs', "Object.defineProperty(process, 'platform', { value: 'win32' });");
      // Without a warning that there is no binary for Windows here.
      const env = windows
        ? {}
        : { NODE_OPTIONS: `--require ${$.path('spoof.cjs')}`, NODE_NO_WARNINGS: '1' };
      for (const [typed, ...names] of [
        ['*.txt', 'B.TXT', 'a.txt'],
        ['?.txt c.bin', 'B.TXT', 'a.txt', 'c.bin'],
        ['i*/e?.txt in/e??.txt', 'in/e1.txt', 'in/e22.txt'],
        ['a+?', 'a+b'],
      ])
        await $.millrace(`sum ${typed}`, { env, stdout: linesOf(names, () => abc) });
      const missing = (typed) => `millrace sum: '${typed}': No such file or directory\n`;
      await $.millrace('sum *.nothing', { env, stderr: missing('*.nothing'), code: 1 });
      // Elsewhere the shell has expanded what it was to expand.
      if (!windows) await $.millrace('sum *.txt', { stderr: missing('*.txt'), code: 1 });
    },
  ));

// how it ends

const names = Array.from({ length: 3000 }, (_, index) => `d/${'n'.repeat(50)}${index}`);
for (const [line, files] of [
  ['sum -r d', Object.fromEntries(names.map((name) => [name, '']))],
  ['seal -k key -o - a', { key: randomBytes(32), a: randomBytes(3 * 2 ** 20) }],
  ['bench hash -a sha256 -s 64 -c node:crypto --time 1 --rounds 2', {}],
])
  test(`the reader closes the pipe: silently ends ${line}`, { skip: windows }, () =>
    inFolder(files, async ($) => {
      if ('key' in files) chmodSync($.path('key'), 0o600);
      const { child, ended } = $.start(line.split(' '));
      child.stdout.destroy();
      assert.deepEqual(texts(await ended), { code: 141, stdout: '', stderr: '' });
    }),
  );

test(
  'Ctrl-C midway: the lines until then, and the signal is what ended it',
  { skip: windows || without('mkfifo') },
  () =>
    inFolder({}, async ($) => {
      $.other('mkfifo', ['never']);
      const names = Array.from({ length: 3000 }, (_, index) => `f${index}`);
      for (const name of names) $.write(name, 'abc');
      for (const signal of ['SIGINT', 'SIGTERM']) {
        const { child, ended } = $.start(['sum', ...names, 'never']);
        child.stdout.once('data', () => child.kill(signal));
        const result = await ended;
        const { code, stdout, stderr } = texts(result);
        assert.deepEqual([result.signal, code, stderr], [signal, null, '']);
        const count = stdout.split('\n').length - 1;
        assert.ok(count > 0);
        assert.equal(
          stdout,
          linesOf(names.slice(0, count), () => abc),
        );
      }
      const large = Buffer.alloc(2 ** 20, 'x');
      $.write('large', Buffer.alloc(600 * large.length, large));
      const { child, ended } = $.start(['sum', '-a', 'ripemd160', 'large', 'large']);
      setTimeout(() => child.kill('SIGINT'), 500);
      const { signal, stdout } = await ended;
      assert.deepEqual([signal, stdout.toString()], ['SIGINT', '']);
    }),
);

test(
  'slow files among quick ones: what is read ahead is not taken from a pipe',
  { skip: windows || without('mkfifo') },
  () =>
    inFolder({ a: 'abc', b: 'b', 'f/c': 'c', 'f/d': randomBytes(300_000) }, async ($) => {
      $.other('mkfifo', ['slow', 'slower']);
      const summing = $.start(['sum', 'slow', 'a', 'f/c', 'slower', 'b', 'f/d', '-'], {
        stdin: 'abc',
      });
      // The first makes the command think that the disk is slow; the second must still be whole.
      const { stdout } = $.other('sh', [
        '-c',
        '(sleep 0.3; printf 1) > slow; (sleep 0.3; printf 22) > slower; cat f/d',
      ]);
      const contents = { slow: '1', a: 'abc', 'f/c': 'c', slower: '22', b: 'b', 'f/d': stdout };
      const names = [...Object.keys(contents), '-'];
      assert.deepEqual(texts(await summing.ended), {
        code: 0,
        stdout: linesOf(names, (name) => sha256(contents[name] ?? 'abc')),
        stderr: '',
      });
    }),
);
