// The command's information about itself: help, version, engines, completion; and how it refuses.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import millrace from 'millrace';

import { manPages } from '../../tools/man.mjs';
import { derivationOf } from '../conformance/derivations.mjs';
import { root } from '../support/child.mjs';
import { command, inFolder, notLinux, without } from '../support/shell.mjs';
import { vectors } from '../support/vectors.mjs';

const require = createRequire(import.meta.url);
const { helpOption, readArguments } = require('../../cli/arguments.js');
const { commands } = require('../../cli/commands.js');
const { asText } = require('../../cli/engines.js');
const { secretOptions } = require('../../cli/seal/secrets.js');
const { suggestCommand } = require('../../cli/suggest.js');
const ui = require('../../cli/ui.js');
const { progressText } = require('../../cli/progress.js');
const { version } = require('../../package.json');
const guide = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');

const codes = (words) => words.map((word) => `\`${word}\``).join(', ');

test('version, overview, and the names of other programs', () =>
  inFolder({}, async ($) => {
    await $.millrace('--version', { stdout: `millrace ${version}\n` });
    const overview =
      /^usage: millrace COMMAND [^]* sum +print or check checksums[^]* help +help about a command/;
    await $.millrace('--help', { stdout: overview });
    await $.millrace('help', { stdout: overview });
    await $.millrace('', { stderr: overview, code: 1 });
    const others = Object.entries(commands).filter(([, { also }]) => also !== undefined);
    assert.ok(
      guide
        .replace(/\s+/g, ' ')
        .includes(others.map(([name, { also }]) => `\`${name}\` for ${codes(also)}`).join('; ')),
      'docs/cli.md has the names of other programs',
    );
    for (const [word, meant] of [
      ...others.flatMap(([name, { also }]) => also.map((word) => [word, name])),
      ['sha256', 'sum -a sha256'],
      ['sha256sum', 'sum -a sha256'],
      ['b3sum', 'sum -a blake3'],
      ['version', '--version'],
    ])
      assert.equal(suggestCommand(word, commands), ` (did you mean ${meant}?)`);
    const { stdout: help } = await $.millrace('help sum', { stdout: /./ });
    for (const name of millrace.getHashes().filter((each) => !/^(kmac|tuple)/.test(each)))
      assert.match(help.toString(), new RegExp(`\\b${name}\\b`));
    const { stdout } = await $.millrace('help bench scrypt', {
      stdout: /^usage: millrace bench scrypt/,
    });
    await $.millrace('bench scrypt --help', { stdout });
  }));

/** Exchanges two letters of a word, the last ones unless they are equal. */
const misspelled = (word) => word.replace(/(.)(?!\1)(.)(\2?)$/, '$2$1$3');

test('a wrong option of any command is named, with the one that was meant', () => {
  for (const [command, { load }] of Object.entries(commands)) {
    const options = [...load().options, helpOption];
    const refused = (arg, message) =>
      assert.throws(
        () => readArguments(load().options, [arg]),
        { message, constructor: ui.UsageError },
        command,
      );
    for (const { name, short, also, value, mayBeEmpty } of options) {
      refused(
        `--${misspelled(name)}`,
        `unknown option: --${misspelled(name)} (did you mean --${name}?)`,
      );
      if (value === undefined) refused(`--${name}=x`, `option --${name} takes no value`);
      else {
        refused(`--${name}`, `option --${name} needs a value: ${value}`);
        if (!mayBeEmpty) refused(`--${name}=`, `option --${name} needs a value: ${value}`);
      }
      for (const letter of [short, also])
        if (letter !== undefined && value !== undefined)
          refused(`-${letter}`, `option -${letter} needs a value: ${value}`);
    }
    const letters = options.flatMap(({ short, also }) => [short, also]);
    const free = [...'abcdefghijklmnopqrstuvwxyz'].filter((letter) => !letters.includes(letter));
    for (const { name } of options.filter((each) => each.name.length > 5)) {
      const begun = name.slice(0, 3);
      const meant = options.find((each) => each.name.startsWith(begun)).name;
      refused(`--${begun}`, `unknown option: --${begun} (did you mean --${meant}?)`);
    }
    for (const letter of free) refused(`-${letter}`, `unknown option: -${letter}`);
  }
});

/** Wrong values by the name of the value; a file or text may be anything. */
const numbers = ['x', '-1'];
const wrongValues = {
  N: numbers,
  BYTES: numbers,
  MS: numbers,
  NAME: ['nope'],
  ALGORITHM: ['nope'],
  LIST: ['nope', ','],
  FILE: [],
  TEXT: [],
  RECIPIENT: ['nope'],
};

test('a wrong value or operand of any command is named in one line, with the remedy', () =>
  inFolder({ a: 'abc', 'a.sealed': 'abc' }, async ($) => {
    const apis = Object.keys(millrace).filter((name) => /[a-z][A-Z]/.test(name));
    const api = new RegExp(`\\b(${apis.join('|')}|ERR_\\w+|options)\\b|\\n.`);
    const refuse = async (command, args, named) => {
      const title = [command, ...args].join(' ');
      const { code, stdout, stderr } = await $.start([command, ...args]).ended;
      const text = stderr.toString();
      assert.deepEqual([code, stdout.toString()], [1, ''], title);
      const help = `; see: millrace help ${command}\n`;
      assert.ok(text.startsWith(`millrace ${command}: `), `${title}: ${text}`);
      assert.ok(text.endsWith(help) || /: (No such file|File exists)/.test(text), text);
      assert.doesNotMatch(text, api, title);
      assert.ok(text.includes(named), `${title}: ${text}`);
    };
    const walk = async ([command, { load }]) => {
      const { options, operands, usage } = load();
      const before = { sum: ['-a', 'blake3', 'a'], seal: ['a'], open: ['a.sealed'] }[command] ?? [];
      const tries = [];
      for (const { name, value, choices } of options.filter((each) => each.value !== undefined)) {
        const secret = secretOptions.some((each) => each.name === name);
        for (const given of wrongValues[value])
          tries.push([[...before, `--${name}=${given}`], secret ? name : given]);
        for (const choice of choices?.().slice(0, 1) ?? [])
          tries.push([[...before, `--${name}=${misspelled(choice)}`], choice]);
      }
      if (operands === 'files') tries.push([['missing/x.sealed'], 'missing/x.sealed']);
      else {
        tries.push([['nope'], 'nope']);
        for (const word of operands.slice(0, 2))
          tries.push([[misspelled(word)], `(did you mean ${word}?)`]);
      }
      if (usage.endsWith(' [FILE]')) tries.push([['a', 'b'], '2']);
      for (const [args, named] of tries) await refuse(command, args, named);
    };
    const walks = await Promise.allSettled(Object.entries(commands).map(walk));
    assert.deepEqual(
      walks.filter(({ reason }) => reason).map(({ reason }) => reason.message),
      [],
    );
    assert.deepEqual(readdirSync($.folder).sort(), ['a', 'a.sealed']);
  }));

test('each command has help with all its options, no wide line, and is in the guide', () =>
  inFolder({}, async ($) => {
    for (const [name, { load, summary }] of Object.entries(commands)) {
      const { stdout } = await $.millrace(`help ${name}`, {
        stdout: new RegExp(`^usage: millrace ${name} `),
      });
      const text = stdout.toString();
      assert.equal((await $.millrace(`${name} --help`, { stdout: /./ })).stdout.toString(), text);
      assert.ok(summary.length < 60, name);
      for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
      assert.match(
        guide,
        new RegExp(`^## .*millrace ${name}\\b`, 'm'),
        `docs/cli.md has a section about ${name}`,
      );
      for (const { name: long, short } of load().options) {
        assert.match(
          text,
          new RegExp(`^  ${short === undefined ? '   ' : `-${short},`} --${long}\\b`, 'm'),
        );
        assert.match(guide, new RegExp(`--${long}\\b`), `docs/cli.md tells of --${long}`);
      }
    }
  }));

test('the man page of each command says what its help says, in the same order', () =>
  inFolder({}, async ($) => {
    const pages = manPages();
    const described = [...Object.keys(commands), 'age keygen', 'bench scrypt'];
    assert.deepEqual(
      Object.keys(pages).sort(),
      ['millrace.1', ...described.map((name) => `millrace-${name.replace(' ', '-')}.1`)].sort(),
    );
    const words = (text) =>
      text
        .replace(/\b(usage|examples):/g, '')
        .split(/\s+/)
        .filter(Boolean);
    for (const name of described) {
      const { stdout } = await $.millrace(`help ${name}`, { stdout: /./ });
      const page = pages[`millrace-${name.replace(' ', '-')}.1`];
      const shown = page
        .slice(page.indexOf('.SH SYNOPSIS'), page.indexOf('.SH SEE ALSO'))
        .replaceAll(/^\.(SH .*|TP|PP)$/gm, '')
        .replaceAll(/\\f[BIR]|\\&/g, '')
        .replaceAll('\\-', '-')
        .replaceAll('\\e', '\\');
      assert.deepEqual(words(shown), words(stdout.toString()), name);
    }
    const { stdout } = await $.millrace('help', { stdout: /./ });
    for (const [name, { summary }] of Object.entries(commands)) {
      assert.ok(stdout.toString().includes(summary.split(' ')[0]), name);
      assert.ok(pages['millrace.1'].includes(`\\fB${name}\\fR\n${summary}`), name);
    }
  }));

test(
  'man pages have no error of formatting',
  { skip: spawnSync('groff', ['--version']).status === 0 ? false : 'there is no groff' },
  () => {
    for (const [name, input] of Object.entries(manPages())) {
      const { stderr, stdout } = spawnSync('groff', ['-man', '-ww', '-Tutf8'], { input });
      assert.equal(stderr.toString(), '', name);
      assert.ok(stdout.length > 500, name);
    }
  },
);

test('options of a command do not share a letter or a name', () => {
  for (const [name, { load }] of Object.entries(commands)) {
    const names = load().options.flatMap(({ name: long, short, also }) =>
      [long, short, also].filter(Boolean),
    );
    assert.equal(new Set([...names, 'help', 'h']).size, names.length + 2, name);
  }
});

test('output ends silently when the reader is gone', { skip: notLinux || without('bash') }, () =>
  inFolder({}, ($) => {
    const help = ['--version', 'help', 'help sum'];
    for (const line of [...help, 'engines', 'engines --json', 'completion bash', 'keygen']) {
      // A pipe without a reader; short output might still fit into the buffer of one with a reader.
      const script = `set +m; "${process.execPath}" "${command}" ${line} > >(exec true); echo $?`;
      const { stdout, stderr } = $.other('bash', ['-c', script]);
      assert.match(stdout.toString(), /^(0|141)\n$/, line);
      assert.equal(stderr.toString(), '', line);
    }
  }),
);

test('engines: every algorithm, and as JSON what engines() gives', () =>
  inFolder({}, async ($) => {
    const { stdout } = await $.millrace('engines', { stdout: /^Millrace +\d/ });
    for (const algorithm of [...millrace.getHashes(), ...millrace.getCiphers()])
      assert.match(stdout.toString(), new RegExp(`^${algorithm} `, 'm'));
    // Each cost was measured for this output; where that is forbidden all are marked.
    assert.doesNotMatch(stdout.toString(), /~\d|not measured/);
    const table = await $.millrace('engines', {
      env: { MILLRACE_COST: 'table' },
      stdout: /^Millrace[^~]+~\d/,
    });
    assert.match(table.stdout.toString(), /^~ not measured on this machine$/m);
    const report = JSON.parse(
      (await $.millrace('engines --json', { stdout: /^\{/ })).stdout.toString(),
    );
    assert.deepEqual(report.native, millrace.engines().native);
    assert.equal(report.millrace, version);
    const derivations = Object.keys(report.native.derivations);
    for (const name of derivations.map((each) => each.replace(/^pbkdf2-.*/, 'pbkdf2: .*sha256')))
      assert.match(stdout.toString(), new RegExp(`^(?:\\S+, )*${name}\\b`, 'm'));
    const hidden = await $.millrace('engines', {
      env: { MILLRACE_CPU_HIDE: 'avx512f' },
      stdout: /^Millrace/,
    });
    assert.match(hidden.stdout.toString(), /^xxh3-64 +millrace +(?!.*avx512f)/m);
    assert.match(hidden.stdout.toString(), /^scrypt +millrace +(?!.*avx512f)/m);
  }));

test('engines: what serves each key derivation, and how many at once', () => {
  const { derivations, libraries, cpu } = millrace.engines().native;
  const hmacs = millrace.getHashes().filter((name) => {
    try {
      return millrace.pbkdf2('', '', 1, 1, name).length === 1;
    } catch {
      return false;
    }
  });
  assert.ok(hmacs.length > 10);
  const others = new Set(['bcrypt', ...vectors('derivations').map(derivationOf)]);
  others.delete('pbkdf2');
  assert.deepEqual(
    Object.keys(derivations).sort(),
    [...others, ...hmacs.map((name) => `pbkdf2-${name}`)].sort(),
  );
  for (const [name, { library, instructions, lanes }] of Object.entries(derivations)) {
    assert.ok(library in libraries, name);
    for (const each of [...instructions, ...(lanes?.instructions ?? [])])
      assert.ok(cpu.features.includes(each), `${name}: ${each}`);
    if (lanes !== undefined) assert.ok(lanes.messages > 1, name);
  }
  if (
    process.env.MILLRACE_CPU_HIDE === undefined &&
    cpu.features.includes('avx512bw') &&
    cpu.features.includes('avx512vl')
  ) {
    assert.deepEqual(derivations.scrypt.lanes, {
      messages: 8,
      instructions: derivations.scrypt.instructions,
    });
    assert.ok(derivations.argon2.instructions.includes('avx512f'));
    // Beside the instructions made for SHA-256 the process takes AVX-512 where it is faster.
    const least = cpu.features.includes('sha-ni') ? 4 : 8;
    assert.ok(derivations['pbkdf2-sha256'].lanes.messages >= least);
  }
});

test('engines: costs and thresholds, where they are known', () => {
  const report = {
    millrace: '1.2.3',
    node: 'v20',
    native: {
      libraries: { lib: '1' },
      cpu: { arch: 'x', features: [] },
      algorithms: {
        one: { library: 'lib', instructions: ['avx2'] },
        two: {
          library: 'lib',
          short: { upTo: 2048, library: 'own', instructions: [] },
          parts: { library: 'own', with: ['lib'], instructions: [] },
          incremental: { library: 'other', instructions: [] },
          instructions: [],
        },
      },
      publicKeys: { rsa: { library: 'lib', with: ['own'] }, other: { library: 'lib' } },
    },
    portable: { available: true, libraries: {}, publicKeys: { rsa: { library: 'crate' } } },
    threads: { limit: 2, started: 1, queued: 1 },
    costs: {
      one: { fixed: 50.4, perByte: 0.5, measured: true, inlineTo: 512, splitFrom: 1_048_576 },
      two: { fixed: 10, perByte: 2, measured: false, inlineTo: 9 },
    },
    settings: { threads: 2, route: 'auto', maxQueuedBytes: 2 ** 30 },
  };
  const text = asText(report, Infinity);
  assert.match(text, /^one +lib +50 +2000 +512 +1\.05 MB +avx2$/m);
  assert.match(
    text,
    /^two +own to 2048, lib, in parts own with lib, incremental other +~10 +~500 +9 +-$/m,
  );
  assert.match(text, /^public key +native +portable\nrsa +lib with own +crate\nother +lib +-$/m);
  assert.match(text, /^threads +2 at most, 1 started, 1 job waiting$/m);
  assert.match(text, /not measured/);
  assert.doesNotMatch(
    asText({ ...report, costs: undefined, settings: undefined }, Infinity),
    /MB\/s|not measured/,
  );
});

for (const shell of ['bash', 'zsh', 'fish']) {
  test(`completion: the script for ${shell} names every command`, () =>
    inFolder({}, async ($) => {
      const { stdout } = await $.millrace(`completion ${shell}`, { stdout: /millrace/ });
      for (const name of Object.keys(commands))
        assert.match(stdout.toString(), new RegExp(`\\b${name}\\b`));
    }));

  test(`completion: ${shell} accepts its script`, { skip: without(shell) }, () =>
    inFolder({}, async ($) => {
      $.write('script', (await $.millrace(`completion ${shell}`, { stdout: /./ })).stdout);
      const { status, stderr } = $.other(shell, ['-n', 'script']);
      assert.deepEqual([status, stderr.toString()], [0, '']);
    }),
  );
}

test('bash completes commands, options and values', { skip: without('bash') }, () =>
  inFolder({ 'some file': '', 'some.key': '' }, async ($) => {
    $.write('script', (await $.millrace('completion bash', { stdout: /./ })).stdout);
    const complete = (...words) => {
      const program =
        `. ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _millrace; printf '%s\\n' ` +
        `"\${COMPREPLY[@]}"`;
      return $.other('bash', ['-c', program, 'bash', 'millrace', ...words])
        .stdout.toString()
        .split('\n')
        .filter(Boolean);
    };
    for (const [line, found] of Object.entries({
      se: 'seal',
      'sum --ig': '--ignore-missing',
      'sum -a sha25': 'sha256',
      'seal --algorithm ch': 'chacha20-poly1305',
      'open -k some.': 'some.key',
      'completion z': 'zsh',
      'help eng': 'engines',
    }))
      assert.deepEqual(complete(...line.split(' ')), [found], line);
    assert.deepEqual(complete('sum', 'some f'), ['some file']);
  }),
);

test('sizes, durations, tables and names for people', () => {
  const shown = (write, values, texts) => assert.deepEqual(values.map(write), texts.split(' | '));
  shown(
    ui.size,
    [0, 999, 1000, 9994, 9995, 99_950, 123_456_789, 1e18],
    '0 B | 999 B | 1.00 kB | 9.99 kB | 10.0 kB | 100 kB | 123 MB | 1000 PB',
  );
  shown(ui.duration, [0, 59.4, 61, 3600, 360_000], '0:00 | 0:59 | 1:01 | 1:00:00 | 100:00:00');
  shown(
    ui.displayName,
    ['a-b_c.d', 'a b', "it's", 'x\n', '\u202etxt', ''],
    String.raw`a-b_c.d | 'a b' | 'it'\''s' | "x\n" | "\u202etxt" | ''`,
  );
  const rows = [
    ['x', '10', 'one two'],
    ['yy', '5', 'z'],
  ];
  assert.equal(
    ui.table(['a', 'n>', 'text'], rows, { width: 30 }),
    'a    n  text\nx   10  one two\nyy   5  z',
  );
  assert.equal(
    ui.table(['a', 'text'], [['x', 'word '.repeat(8).trim()]], { width: 20 }),
    'a  text\nx  word word word word\n   word word word word',
  );
});

test('progress says as much as there is room for', () => {
  const state = { done: 5e8, total: 2e9, rate: 1e8 };
  const bare = (width, override) =>
    progressText('hashing', { ...state, ...override }, width).replace(/\x1b\[\d+m/g, '');
  assert.equal(
    bare(100),
    `hashing  ${'\u2588'.repeat(6)}${'\u2591'.repeat(18)}   25%  500 MB of 2.00 GB  100 ` +
      'MB/s  0:15 left',
  );
  assert.equal(bare(60), 'hashing   25%  500 MB of 2.00 GB  100 MB/s  0:15 left');
  assert.equal(bare(30), ' 25%  100 MB/s  0:15 left');
  assert.equal(bare(8), ' 25%');
  assert.equal(bare(2), '');
  assert.equal(bare(60, { total: undefined }), 'hashing  500 MB  100 MB/s');
  assert.equal(bare(100, { rate: 0 }).includes('left'), false);
});
