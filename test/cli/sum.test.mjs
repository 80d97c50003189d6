// millrace sum: what it prints, byte by byte, beside node:crypto and the programs with the same
// formats.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { blake2b as nobleBlake2b } from '@noble/hashes/blake2.js';
import millrace from 'millrace';

import { root } from '../support/child.mjs';
import { command, inFolder, notLinux, windows, without } from '../support/shell.mjs';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

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

test('sum hashes files, standard input, and both', () =>
  inFolder({ a: 'abc', b: '' }, async ($) => {
    await $.millrace('sum a b', { stdout: `${abc}  a\n${empty}  b\n` });
    await $.millrace('sum', { stdin: 'abc', stdout: `${abc}  -\n` });
    await $.millrace('sum b - a', { stdin: 'abc', stdout: `${empty}  b\n${abc}  -\n${abc}  a\n` });
    await $.millrace('sum - -', { stdin: 'abc', stdout: `${abc}  -\n${empty}  -\n` });
    await $.millrace('sum -b a', { stdout: `${abc} *a\n` });
    await $.millrace('sum -t a', { stdout: `${abc}  a\n` });
    await $.millrace('sum --tag a', { stdout: `SHA256 (a) = ${abc}\n` });
    await $.millrace('sum -z a b', { stdout: `${abc}  a\0${empty}  b\0` });
    await $.millrace('sum -0a md5 a', { stdout: '900150983cd24fb0d6963f7d28e17f72  a\0' });
    await $.millrace(['sum', '--', 'a'], { stdout: `${abc}  a\n` });
  }));

test('sum takes every algorithm by name and writes its tag', () =>
  inFolder({ a: 'abc' }, async ($) => {
    const lines = [];
    for (const algorithm of millrace.getHashes().filter((name) => !/^(kmac|tuple)/.test(name))) {
      const xof = algorithm.startsWith('shake');
      const hex = millrace.hash(algorithm, 'abc', {
        encoding: 'hex',
        ...(xof && { outputLength: 40 }),
      });
      const { stdout } = await $.millrace(
        `sum --tag -a ${algorithm.toUpperCase()} a ${xof ? '-l 40' : ''}`,
        { stdout: new RegExp(`^[A-Z0-9]+\\S* \\(a\\) = ${hex}\n$`, 'i') },
      );
      lines.push(stdout);
    }
    await $.millrace('sum -c', { stdin: lines.join(''), stdout: 'a: OK\n'.repeat(lines.length) });
    await $.millrace('sum -a blake3 -l 7 a', {
      stdout: `${millrace.hash('blake3', 'abc', { encoding: 'hex', outputLength: 7 })}  a\n`,
    });
  }));

test('an unreadable file is a line on stderr; the others are hashed', () =>
  inFolder({ a: 'abc', 'folder/b': '' }, async ($) => {
    await $.millrace('sum missing a folder a/b', {
      stdout: `${abc}  a\n`,
      stderr:
        'millrace sum: missing: No such file or directory\nmillrace sum: folder: Is a ' +
        'directory (use -r to read the files in it)\nmillrace sum: a/b: Not a directory\n',
      code: 1,
    });
  }));

test('an unreadable standard input is an error', { skip: windows }, () =>
  inFolder({ a: 'abc' }, async ($) => {
    const { status, stdout, stderr } = $.other('sh', [
      '-c',
      `"${process.execPath}" "$0" sum a - < .`,
      command,
    ]);
    assert.deepEqual(
      [status, stdout.toString(), stderr.toString()],
      [1, `${abc}  a\n`, 'millrace sum: -: Is a directory\n'],
    );
  }),
);

/** A user that may not read everything: root runs this as another one. */
const unprivileged = !windows && process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
const noUnprivileged =
  windows || spawnSync(process.execPath, [command, '--version'], unprivileged).status !== 0;

test(
  'files and folders without permission are reported',
  { skip: noUnprivileged ? 'there is no user that may run this and not read everything' : false },
  () =>
    inFolder({ a: 'abc', 'shut/b': '' }, async ($) => {
      $.write('secret', 'x', 0);
      for (const [path, mode] of [
        ['', 0o755],
        ['shut', 0],
      ])
        chmodSync($.path(path), mode);
      const run = (...args) => {
        const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
          cwd: $.folder,
          ...unprivileged,
        });
        return [status, stdout.toString(), stderr.toString()];
      };
      assert.deepEqual(run('sum', 'secret', 'a', 'shut/b'), [
        1,
        `${abc}  a\n`,
        'millrace sum: secret: Permission denied\nmillrace sum: shut/b: Permission denied\n',
      ]);
      assert.deepEqual(run('sum', '-r', 'shut', 'a'), [
        1,
        `${abc}  a\n`,
        'millrace sum: shut: Permission denied\n',
      ]);
      assert.deepEqual(run('sum', '-c', 'secret'), [
        1,
        '',
        'millrace sum: secret: Permission denied\n',
      ]);
      assert.deepEqual(run('seal', '-k', 'secret', 'a'), [
        1,
        '',
        'millrace seal: secret: Permission denied\n',
      ]);
      $.write('other.sealed', 'x', 0);
      $.write('key', 'k'.repeat(32), 0o644);
      assert.deepEqual(run('open', '-k', 'key', 'other.sealed'), [
        1,
        '',
        'millrace open: other.sealed: Permission denied\n',
      ]);
    }),
);

test('without a binary: the same, by the portable engine', () =>
  inFolder({ a: 'abc', large: randomBytes(2 ** 20 + 1) }, async ($) => {
    for (const part of ['cli', 'dist', 'package.json'])
      cpSync(join(root, part), $.path('package', part), { recursive: true });
    const { status, stdout, stderr } = $.other(process.execPath, [
      '--no-warnings',
      'package/cli/main.js',
      'sum',
      'a',
      'large',
      'missing',
    ]);
    assert.deepEqual(
      [status, stderr.toString()],
      [1, 'millrace sum: missing: No such file or directory\n'],
    );
    assert.equal(stdout.toString(), `${abc}  a\n${sha256(readFileSync($.path('large')))}  large\n`);
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
      const { status, stdout, stderr } = $.other(process.execPath, [
        ...permission,
        `--allow-fs-read=${root}`,
        `--allow-fs-read=${$.path('a')}`,
        command,
        'sum',
        'a',
        'b',
      ]);
      assert.deepEqual([status, stdout.toString()], [1, `${abc}  a\n`]);
      assert.match(stderr.toString(), /^millrace sum: b: /m);
    }),
);

test('folders: sorted, links not followed, the same twice', { skip: windows }, () =>
  inFolder({ 'f/b': 'b', 'f/a/z': 'z', 'f/a/y': 'y', 'f/a.txt': 'x', c: 'c' }, async ($) => {
    symlinkSync('../c', $.path('f', 'link'));
    symlinkSync('.', $.path('f', 'loop'));
    symlinkSync('f', $.path('folder-link'));
    mkdirSync($.path('f', 'none'));
    const lines = (...names) =>
      names
        .map((name) => `${sha256(name.endsWith('.txt') ? 'x' : name.at(-1))}  ${name}\n`)
        .join('');
    await $.millrace('sum -r f c', { stdout: lines('f/a/y', 'f/a/z', 'f/a.txt', 'f/b', 'c') });
    await $.millrace('sum -r folder-link/', {
      stdout: lines('folder-link/a/y', 'folder-link/a/z', 'folder-link/a.txt', 'folder-link/b'),
    });
    await $.millrace('sum -r f/link', {
      stdout: lines('f/link').replace(sha256('k'), sha256('c')),
    });
    await $.millrace('sum -r missing', {
      stderr: 'millrace sum: missing: No such file or directory\n',
      code: 1,
    });
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
      list
        .map((name) => `${createHash(algorithm).update(files[name]).digest('hex')}  ${name}\n`)
        .join('');
    await $.millrace(['sum', ...names], { stdout: lines(names, 'sha256') });
    const sorted = names
      .map((name) => `./${name}`)
      .sort()
      .map((name) => name.slice(2));
    await $.millrace('sum -r -a sha512 d0 d1 d2 d3 d4 d5 d6', { stdout: lines(sorted, 'sha512') });
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
      const lines = (list) =>
        list
          .map((name) => {
            const hex = millrace.hash(algorithm, files[name], 'hex');
            return algorithm === 'xxh3' ? `XXH3 (${name}) = ${hex}\n` : `${hex}  ${name}\n`;
          })
          .join('');
      await $.millrace(['sum', '-a', algorithm, ...names], { stdout: lines(names) });
      await $.millrace(['sum', '-a', algorithm, ...names.slice(0, 3)], {
        stdout: lines(names.slice(0, 3)),
      });
    }
    for (const algorithm of ['shake256', 'blake3']) {
      const lines = names
        .map(
          (name) =>
            `${millrace.hash(algorithm, files[name], { outputLength: 100 }).toString('hex')} ` +
            ` ${name}\n`,
        )
        .join('');
      await $.millrace(['sum', '-a', algorithm, '-l', '100', ...names], { stdout: lines });
    }
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
        const { code, stdout, stderr } = await ended;
        assert.deepEqual({ code, stderr: stderr.toString() }, { code: 0, stderr: '' });
        assert.match(stdout.toString(), /^[0-9a-f]{64} {2}shrinking\n$/);
        digests.add(stdout.toString());
      }
      assert.ok(digests.size > 1, algorithm);
    }
  }),
);

test('files without a size are read to their end', { skip: notLinux }, () =>
  inFolder({}, async ($) => {
    const { stdout } = $.other('cat', ['/proc/cpuinfo']);
    const size = (text) => text.replace(/^(cpu MHz|bogomips).*$/gm, '').length;
    assert.ok(size(stdout.toString()) > 100);
    await $.millrace('sum /proc/version', {
      stdout: `${sha256($.other('cat', ['/proc/version']).stdout)}  /proc/version\n`,
    });
    const odd = '/sys/kernel/mm/transparent_hugepage/enabled'; // says that it has 4096 bytes
    if (existsSync(odd))
      await $.millrace(`sum ${odd}`, {
        stdout: `${sha256($.other('cat', [odd]).stdout)}  ${odd}\n`,
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

test('check: matches, mismatches and missing files', () =>
  inFolder(
    {
      a: 'abc',
      b: 'changed',
      list: `${abc}  a\n${abc}  b\n${abc}  gone\nrubbish\n# a comment\n\n`,
    },
    async ($) => {
      const warnings =
        'millrace sum: WARNING: 1 line is improperly formatted\nmillrace sum: WARNING: 1 ' +
        'listed file could not be read\nmillrace sum: WARNING: 1 computed checksum did ' +
        'NOT match\n';
      const gone = 'millrace sum: gone: No such file or directory\n';
      await $.millrace('sum -c list', {
        stdout: 'a: OK\nb: FAILED\ngone: FAILED open or read\n',
        stderr: gone + warnings,
        code: 1,
      });
      await $.millrace('sum -c --quiet list', {
        stdout: 'b: FAILED\ngone: FAILED open or read\n',
        stderr: gone + warnings,
        code: 1,
      });
      await $.millrace('sum -c --status list', { stderr: gone, code: 1 });
      await $.millrace('sum -c -w list', {
        stdout: /b: FAILED/,
        stderr: `millrace sum: list: 4: improperly formatted checksum line\n${gone}${warnings}`,
        code: 1,
      });
      await $.millrace('sum --check --ignore-missing list', {
        stdout: 'a: OK\nb: FAILED\n',
        stderr:
          'millrace sum: WARNING: 1 line is improperly formatted\nmillrace sum: WARNING: ' +
          '1 computed checksum did NOT match\n',
        code: 1,
      });
      await $.millrace('sum -c --ignore-missing --quiet', {
        stdin: `${abc}  a\n${abc}  .\n`,
        stdout: '.: FAILED open or read\n',
        stderr:
          'millrace sum: .: Is a directory\nmillrace sum: WARNING: 1 listed file could ' +
          'not be read\n',
        code: 1,
      });
      const oneBad = {
        stdin: `${abc}  a\nrubbish\n`,
        stdout: 'a: OK\n',
        stderr: 'millrace sum: WARNING: 1 line is improperly formatted\n',
      };
      await $.millrace('sum -c', oneBad);
      await $.millrace('sum -c --strict', { ...oneBad, code: 1 });
      await $.millrace('sum -c --ignore-missing', {
        stdin: `${abc}  gone\n`,
        stderr: "millrace sum: 'standard input': no file was verified\n",
        code: 1,
      });
      await $.millrace('sum -c', {
        stdin: 'rubbish\n',
        stderr: "millrace sum: 'standard input': no properly formatted checksum lines found\n",
        code: 1,
      });
      await $.millrace('sum -c list gone-list', {
        stdout: /a: OK/,
        stderr: /gone-list: No such file or directory\n$/,
        code: 1,
      });
      await $.millrace('sum -c .', { stderr: 'millrace sum: .: Is a directory\n', code: 1 });
    },
  ));

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
        const { code, stdout, stderr } = await $.start(['sum', '-a', 'sha256', ...options], {
          stdin,
        }).ended;
        const said = oracle.stderr
          .toString()
          .replaceAll('sha256sum:', 'millrace sum:')
          .replaceAll('formatted SHA256 checksum', 'formatted checksum');
        // coreutils warns as it goes, we before the first file is read.
        const sorted = (text) => text.split('\n').sort();
        assert.deepEqual(
          { code, stdout: stdout.toString(), stderr: sorted(stderr.toString()) },
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

test('check: which algorithm a line is of', () =>
  inFolder({ a: 'abc' }, async ($) => {
    const md5 = '900150983cd24fb0d6963f7d28e17f72';
    const mixed = `MD5 (a) = ${md5}\nSHA256 (a) = ${abc}\n${abc}  a\n`;
    await $.millrace('sum -c', { stdin: mixed, stdout: 'a: OK\na: OK\na: OK\n' });
    await $.millrace('sum -c -a md5', {
      stdin: mixed,
      stdout: 'a: OK\n',
      stderr: 'millrace sum: WARNING: 2 lines are improperly formatted\n',
    });
    await $.millrace('sum -c -a md5', { stdin: `${md5}  a\n`, stdout: 'a: OK\n' });
    // A digest so short that anything would match is not believed unless it was asked for.
    await $.millrace('sum -c -a blake3', {
      stdin: `${millrace.hash('blake3', 'abc', 'hex').slice(0, 2)}  a\n`,
      stderr: /no properly formatted/,
      code: 1,
    });
    await $.millrace('sum -c -a blake3 -l 1', {
      stdin: `${millrace.hash('blake3', 'abc', 'hex').slice(0, 2)}  a\n`,
      stdout: 'a: OK\n',
    });
  }));

test('check: lists of cksum --base64, xxhsum and rhash, SFV, and text of Windows', () =>
  inFolder({ a: 'abc', 'two words': 'abc' }, async ($) => {
    const of = (name, encoding = 'hex') => createHash(name).update('abc').digest(encoding);
    const xx = (name) => millrace.hash(name, 'abc', 'hex');
    const reversed = (name) => Buffer.from(xx(name), 'hex').reverse().toString('hex');
    const crc = millrace.hash('crc32', 'abc', 'hex').toUpperCase();
    const mark = '\ufeff';
    const bigEndian = (text) => Buffer.from(text, 'utf16le').swap16();
    const lists = [
      [`SHA256 (a) = ${of('sha256', 'base64')}\n`],
      [`SHA384 (a) = ${of('sha384', 'base64')}\n`],
      [`${of('sha256', 'base64')}  a\n`],
      [`${of('md5', 'base64')}  a\n`, 'md5'],
      [`XXH3_${xx('xxh3-64')}  a\n`],
      [`XXH3_${xx('xxh3-64')}  a\n`, 'xxh3-64'],
      [`${xx('xxh3-64')}  a\n`, 'xxh3-64'],
      [`XXH32_LE (a) = ${reversed('xxh32')}\n`],
      [`XXH64_LE (a) = ${reversed('xxh64')}\n`],
      [`XXH3_LE (a) = ${reversed('xxh3-64')}\n`],
      [`XXH128_LE (a) = ${reversed('xxh3-128')}\n`],
      [`SHA1  (a) = ${of('sha1')}\n`],
      [`; a comment\na ${crc}\n`],
      [`; a comment\r\na   ${crc.toLowerCase()}\r\n`, 'crc32'],
      [`${mark}${abc} *a\r\n`],
      [Buffer.from(`${mark}${abc} *a\r\n`, 'utf16le')],
      [Buffer.from(`${abc} *a\r\n`, 'utf16le')],
      [bigEndian(`${mark}${abc} *a\r\n`)],
    ];
    for (const [list, algorithm] of lists) {
      const options = ['sum', '-c', ...(algorithm === undefined ? [] : ['-a', algorithm])];
      await $.millrace(options, { stdin: list, stdout: 'a: OK\n' });
    }
    await $.millrace('sum -c', { stdin: `two words ${crc}\n`, stdout: 'two words: OK\n' });
    // A name in the form of a tagged line is no tag.
    await $.millrace('sum -c', {
      stdin: `${abc}  (a) = ${abc}\n`,
      stdout: `(a) = ${abc}: FAILED open or read\n`,
      stderr: /No such file/,
      code: 1,
    });
    await $.millrace('sum -c', {
      stdin: Buffer.from([0xff, 0xfe, 0x61]),
      stderr: 'millrace sum: -: begins as UTF-16 text does, but is not UTF-16: save it as UTF-8\n',
      code: 1,
    });
    for (const [list, algorithm] of [
      [`SHA256 (a) = ${of('sha256', 'base64').slice(0, -1)}\n`],
      [`XXH3_${xx('xxh64')}\n`],
      [`; a comment\na ${crc}\n`, 'sha256'],
    ])
      await $.millrace(`sum -c -a ${algorithm ?? 'sha256'}`, {
        stdin: list,
        stderr: /no properly formatted/,
        code: 1,
      });
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
        const list = $.other(program, [...options, 'a', 'b']).stdout;
        await $.millrace(
          ['sum', '-c', ...(options.includes('--untagged') ? options.slice(0, 2) : [])],
          {
            stdin: list,
            stdout: /^(a: OK\n)+(b: OK\n)+$|^(a: OK\nb: OK\n)+$/,
          },
        );
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
const blake2b = (bytes, size) =>
  Buffer.from(
    nobleBlake2b(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, { dkLen: size }),
  ).toString('hex');

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
    const bad = [
      `BLAKE2b-256 (a) = ${blake2b('abc', 20)}`,
      `BLAKE2b-8 (a) = ${blake2b('abc', 1)}`,
      `BLAKE2b (a) = ${blake2b('abc', 32)}`,
      `BLAKE2b-250 (a) = ${blake2b('abc', 31)}`,
    ];
    await $.millrace('sum -c', {
      stdin: `${bad.join('\n')}\n`,
      stderr: /no properly formatted/,
      code: 1,
    });
    await $.millrace('sum -c -a sha256', {
      stdin: `BLAKE2b-256 (a) = ${blake2b('abc', 32)}\n`,
      stderr: /no properly formatted/,
      code: 1,
    });
  }));

test(
  'a closed standard input or output is an error',
  { skip: process.platform !== 'linux' && 'only Linux shows it' },
  () =>
    inFolder({ a: 'abc' }, async ($) => {
      const typed = (line) => $.other('sh', ['-c', `'${process.execPath}' '${command}' ${line}`]);
      for (const [line, name] of [
        ['sum a >&-', 'standard output'],
        ['sum <&-', 'standard input'],
        ['sum a - <&-', 'standard input'],
        ['sum -c <&-', 'standard input'],
      ]) {
        const { status, stdout, stderr } = typed(line);
        assert.deepEqual(
          [status, stdout.toString(), stderr.toString()],
          [1, '', `millrace sum: ${name}: Bad file descriptor\n`],
          line,
        );
      }
      assert.equal(typed('sum a <&-').status, 0, 'it is not read');
      assert.equal(typed('sum - < /dev/null').status, 0);
      assert.equal(typed('sum a > /dev/null').status, 0);
      // Programs that discard the output (Python's DEVNULL, Node's 'ignore') cannot be told from a
      // closed one.
      assert.equal(typed('sum a > list').status, 0);
      assert.equal(
        typed('sum -c list 1<>/dev/null').status,
        0,
        'the exit code of --check is its result',
      );
    }),
);

test('sum expands wildcards on Windows, because the shells there do not', () =>
  inFolder(
    {
      'a.txt': 'abc',
      'B.TXT': 'abc',
      'c.bin': 'abc',
      'in/d.txt': 'abc',
      'in/e1.txt': 'abc',
      'in/e22.txt': 'abc',
      'a+b': 'abc',
    },
    async ($) => {
      $.write('spoof.cjs', "Object.defineProperty(process, 'platform', { value: 'win32' });");
      // Without a warning that there is no binary for Windows here.
      const env = windows
        ? {}
        : { NODE_OPTIONS: `--require ${$.path('spoof.cjs')}`, NODE_NO_WARNINGS: '1' };
      const listed = (names) => names.map((name) => `${abc}  ${name}\n`).join('');
      await $.millrace('sum *.txt', { env, stdout: listed(['B.TXT', 'a.txt']) });
      await $.millrace('sum ?.txt c.bin', { env, stdout: listed(['B.TXT', 'a.txt', 'c.bin']) });
      await $.millrace('sum i*/e?.txt in/e??.txt', {
        env,
        stdout: listed(['in/e1.txt', 'in/e22.txt']),
      });
      await $.millrace('sum a+?', { env, stdout: listed(['a+b']) });
      await $.millrace('sum *.nothing', {
        env,
        stderr: "millrace sum: '*.nothing': No such file or directory\n",
        code: 1,
      });
      // Elsewhere the shell has expanded what it was to expand.
      if (!windows)
        await $.millrace('sum *.txt', {
          stderr: "millrace sum: '*.txt': No such file or directory\n",
          code: 1,
        });
    },
  ));

// bad input

test('invalid options are refused', () =>
  inFolder({ a: 'abc' }, async ($) => {
    const refuse = (line, message) =>
      $.millrace(`sum ${line}`, {
        stderr: `millrace sum: ${message}; see: millrace help sum\n`,
        code: 1,
      });
    await refuse('--bogus a', 'unknown option: --bogus');
    await refuse('--algoritm=md5 a', 'unknown option: --algoritm (did you mean --algorithm?)');
    await refuse('--chekc a', 'unknown option: --chekc (did you mean --check?)');
    await refuse('-a sha521 a', 'unknown algorithm: "sha521" (did you mean sha512?)');
    await refuse('-x a', 'unknown option: -x');
    await refuse('a -a', 'option -a needs a value: NAME');
    await refuse('--tag=yes a', 'option --tag takes no value');
    await refuse('-a sha265 a', 'unknown algorithm: "sha265" (did you mean sha256?)');
    await refuse('-a 256 a', 'unknown algorithm: "256" (did you mean sha256?)');
    await refuse('-a blowfish a', 'unknown algorithm: "blowfish"');
    await refuse(
      '-l 5 a',
      '--length applies to extendable outputs, such as shake128, kt128 and blake3; ' +
        'a digest of sha256 has 32 bytes',
    );
    for (const length of ['0', '-1', '1.5', 'x', '65537'])
      await refuse(
        `-a blake3 --length=${length} a`,
        `--length must be a whole number from 1 to 65536, not "${length}"`,
      );
    await refuse('-a kmac128 a', 'kmac128 needs a key, not a file');
    await refuse('-a tuplehash128 a', 'tuplehash128 needs a tuple, not a file');
    await refuse('--tag -t a', '--tag does not support --text');
    await refuse('-c --tag a', 'the --tag option is meaningless when verifying checksums');
    await refuse('-c -0 a', 'the --zero option is not supported when verifying checksums');
    await refuse(
      '-c -b a',
      'the --binary and --text options are meaningless when verifying checksums',
    );
    await refuse('-c -r a', 'the --recursive option is meaningless when verifying checksums');
    for (const option of ['--quiet', '--status', '--strict', '--warn', '--ignore-missing'])
      await refuse(
        `${option} a`,
        `the ${option} option is meaningful only when verifying checksums`,
      );
  }));

test(
  'sum ends silently when its reader closes the pipe, and reports a full disk',
  { skip: notLinux },
  () =>
    inFolder(
      Object.fromEntries(
        Array.from({ length: 3000 }, (_, index) => [`d/${'n'.repeat(50)}${index}`, '']),
      ),
      async ($) => {
        const { child, ended } = $.start(['sum', '-r', 'd']);
        child.stdout.destroy();
        const { code, stderr } = await ended;
        assert.deepEqual({ code, stderr: stderr.toString() }, { code: 141, stderr: '' });
        const full = openSync('/dev/full', 'w');
        const written = await $.start(['sum', '-r', 'd'], { stdio: ['pipe', full, 'pipe'] }).ended;
        closeSync(full);
        assert.deepEqual(
          { code: written.code, stderr: written.stderr.toString() },
          { code: 1, stderr: 'millrace sum: standard output: No space left on device\n' },
        );
      },
    ),
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
        assert.deepEqual(
          [result.signal, result.code, result.stderr.toString()],
          [signal, null, ''],
        );
        const lines = result.stdout.toString().split('\n').slice(0, -1);
        assert.ok(lines.length > 0);
        assert.deepEqual(
          lines,
          names.slice(0, lines.length).map((name) => `${abc}  ${name}`),
        );
        assert.ok(result.stdout.toString().endsWith('\n'));
      }
      const large = Buffer.alloc(2 ** 20, 'x');
      $.write('large', Buffer.alloc(600 * large.length, large));
      const { child, ended } = $.start(['sum', '-a', 'ripemd160', 'large', 'large']);
      setTimeout(() => child.kill('SIGINT'), 500);
      const { signal, stdout } = await ended;
      assert.deepEqual([signal, stdout.toString()], ['SIGINT', '']);
    }),
);

test('names cannot command the terminal', { skip: windows }, () =>
  inFolder({}, ($) =>
    $.millrace(['sum', 'red\x1b[31m', 'two\nlines'], {
      stderr:
        'millrace sum: "red\\u001b[31m": No such file or directory\nmillrace sum: ' +
        '"two\\nlines": No such file or directory\n',
      code: 1,
    }),
  ),
);

test('whatever is quoted in a message does not command the terminal', () =>
  inFolder({}, async ($) => {
    await $.millrace(['sum', '--\x1b[31mred'], {
      stderr: /^millrace sum: unknown option: --\\u001b\[31mred; see/,
      code: 1,
    });
    await $.millrace(['sum\x9b31m'], {
      stderr: /^millrace: unknown command: sum\\u009b31m/,
      code: 1,
    });
    await $.millrace(['sum', '-a', 'sha256\u202e'], {
      stderr: /^millrace sum: unknown algorithm: "sha256\\u202e"/,
      code: 1,
    });
  }));

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
      const lines = [
        ['1', 'slow'],
        ['abc', 'a'],
        ['c', 'f/c'],
        ['22', 'slower'],
        ['b', 'b'],
        [stdout, 'f/d'],
        ['abc', '-'],
      ].map(([data, name]) => `${sha256(data)}  ${name}\n`);
      const result = await summing.ended;
      assert.deepEqual(
        [result.code, result.stdout.toString(), result.stderr.toString()],
        [0, lines.join(''), ''],
      );
    }),
);
