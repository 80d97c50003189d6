// At a terminal: passphrases without echo, progress, colours. `script` gives the command one of its
// own.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { command, inFolder } from '../support/shell.mjs';

/** util-linux's script: its -c takes a command and its -e returns the exit code. */
const skip =
  process.platform === 'linux' && spawnSync('script', ['-qec', 'exit 7', '/dev/null']).status === 7
    ? false
    : 'there is no script of util-linux';

/**
 * Runs a line of the shell at a terminal, `millrace` being the command, and answers its questions.
 *
 * @param {(readonly [string | RegExp, string])[]} answers what to wait for, and what to type then
 */
function atTerminal($, line, answers = [], { columns = 80, env = {} } = {}) {
  const script =
    `stty cols ${columns}; millrace() { "${process.execPath}" "${command}" "$@"; }; ` +
    `${line}; code=$?; stty -a | grep -q ' echo ' && echo "echo is on"; exit $code`;
  const child = spawn('script', ['-qec', script, '/dev/null'], {
    cwd: $.folder,
    env: { ...process.env, SHELL: '/bin/sh', TERM: 'xterm', NO_COLOR: '', ...env },
  });
  let shown = '';
  let at = 0;
  const pending = [...answers];
  child.stdout.on('data', (bytes) => {
    shown += bytes;
    while (pending.length > 0) {
      const [question, answer] = pending[0];
      const rest = shown.slice(at);
      const text = typeof question === 'string' ? question : question.exec(rest)?.[0];
      if (text === undefined || !rest.includes(text)) break;
      at += rest.indexOf(text) + text.length;
      pending.shift();
      child.stdin.write(answer);
    }
  });
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, shown: shown.replaceAll('\r\n', '\n') })),
  );
}

test('a passphrase is asked for twice, not shown, and asked for once to open', { skip }, () =>
  inFolder({ photos: 'message' }, async ($) => {
    const sealed = await atTerminal($, 'millrace seal --cost 10 photos', [
      ['Passphrase: ', 'gehxx\x7f\x7feim\r'],
      ['Repeat passphrase: ', 'wrong\x15geheim\r'],
    ]);
    assert.deepEqual(sealed, { code: 0, shown: 'Passphrase: \nRepeat passphrase: \necho is on\n' });
    const opened = await atTerminal($, 'cat photos.sealed | millrace open | cat', [
      ['Passphrase: ', 'geheim\r'],
    ]);
    assert.deepEqual(opened, { code: 0, shown: 'Passphrase: \nmessageecho is on\n' });
    const pasted = await atTerminal($, 'millrace seal --cost 10 -o pasted photos', [
      ['Passphrase: ', 'geh\x1b[Deim\rgeheim\r'],
    ]);
    assert.deepEqual(pasted, { code: 0, shown: 'Passphrase: \nRepeat passphrase: \necho is on\n' });
    assert.equal(
      (await atTerminal($, 'millrace open -o - pasted', [['Passphrase: ', 'geheim\r']])).shown,
      'Passphrase: \nmessageecho is on\n',
    );
    const wrong = await atTerminal($, 'millrace open -o out photos.sealed', [
      ['Passphrase: ', 'geheim \r'],
    ]);
    assert.deepEqual(wrong, {
      code: 1,
      shown:
        'Passphrase: \nmillrace open: photos.sealed: wrong passphrase or key, or the ' +
        'header was changed\necho is on\n',
    });
    assert.deepEqual(readdirSync($.folder).sort(), ['pasted', 'photos', 'photos.sealed']);
  }),
);

test('passphrases that differ, or are empty, and Ctrl-C', { skip }, () =>
  inFolder({ photos: 'message' }, async ($) => {
    const differ = await atTerminal($, 'millrace seal photos', [
      ['Passphrase: ', 'a\r'],
      ['Repeat passphrase: ', 'b\r'],
    ]);
    assert.deepEqual(differ, {
      code: 1,
      shown:
        'Passphrase: \nRepeat passphrase: \nmillrace seal: the passphrases differ\necho is on\n',
    });
    const empty = await atTerminal($, 'millrace seal photos', [['Passphrase: ', '\r']]);
    assert.deepEqual(empty, {
      code: 1,
      shown: 'Passphrase: \nmillrace seal: the passphrase is empty\necho is on\n',
    });
    const ended = await atTerminal($, 'millrace seal photos', [['Passphrase: ', 'secr\x03']]);
    assert.deepEqual(ended, { code: 130, shown: 'Passphrase: \necho is on\n' });
    assert.deepEqual(readdirSync($.folder), ['photos']);
  }),
);

test(
  'without a terminal it says what to do instead',
  {
    skip: skip || (spawnSync('setsid', ['--version']).status === 0 ? false : 'there is no setsid'),
  },
  () =>
    inFolder({ photos: 'message' }, ($) => {
      const { status, stderr } = $.other('setsid', [
        '--wait',
        process.execPath,
        command,
        'seal',
        'photos',
      ]);
      assert.deepEqual(
        [status, stderr.toString()],
        [
          1,
          'millrace seal: no terminal to ask for a passphrase: use --passphrase-file, ' +
            '--passphrase-fd or --key-file\n',
        ],
      );
    }),
);

test('sealed bytes are not poured onto a terminal', { skip }, () =>
  inFolder({ key: Buffer.alloc(32, 7) }, async ($) => {
    const { code, shown } = await atTerminal($, 'echo x | millrace seal -k key');
    assert.deepEqual(
      { code, shown },
      {
        code: 1,
        shown:
          'millrace seal: standard output is a terminal: use --output FILE, or ' +
          '--force\necho is on\n',
      },
    );
  }),
);

test(
  'progress comes when work takes long, goes without a trace, and is wiped at Ctrl-C',
  { skip },
  () =>
    inFolder({}, async ($) => {
      // Its input does not end before progress has been seen.
      const { code, shown } = await atTerminal(
        $,
        '(yes | head -c 3000000; read line < /dev/tty; echo x) | millrace sum -a md5',
        [[' MB  ', '\r']],
        { columns: 60 },
      );
      assert.equal(code, 0);
      assert.match(shown, /\rhashing {2}(2|3)\.\d\d MB {2}.*\/s\x1b\[K/);
      assert.match(shown, /\r\x1b\[K[0-9a-f]{32} {2}-\necho is on\n$/);
      // Long enough for progress to have come, had it not been refused.
      const quiet = '(sleep 2; echo x) | millrace sum -a md5';
      const [none, dumb, file] = await Promise.all([
        atTerminal($, `${quiet} --no-progress`),
        atTerminal($, quiet, [], { env: { TERM: 'dumb' } }),
        atTerminal($, `${quiet} 2> talk`),
      ]);
      for (const { shown: plain } of [none, dumb, file])
        assert.match(plain, /^[0-9a-f]{32} {2}-\necho is on\n$/);
      assert.equal(readFileSync($.path('talk'), 'utf8'), '');
      const ended = await atTerminal(
        $,
        "trap : INT; (trap '' INT; exec cat /dev/zero) | millrace sum -a md5",
        [['MB/s', '\x03']],
      );
      assert.equal(ended.code, 130);
      assert.match(ended.shown, /\r\x1b\[K\n?echo is on\n$/);
    }),
);

test('colours on a terminal, unless NO_COLOR', { skip }, () =>
  inFolder({}, async ($) => {
    assert.match((await atTerminal($, 'millrace --help')).shown, /^\x1b\[1musage:\x1b\[22m/);
    assert.match(
      (await atTerminal($, 'millrace --help', [], { env: { NO_COLOR: '1' } })).shown,
      /^usage:/,
    );
    assert.match((await atTerminal($, 'millrace --help | cat')).shown, /^usage:/);
    const narrow = (
      await atTerminal($, 'millrace engines', [], { columns: 60, env: { NO_COLOR: '1' } })
    ).shown.split('\n');
    assert.ok(narrow.length > 60, 'what is too wide is broken');
    const help = (
      await atTerminal($, 'millrace help sum', [], { columns: 60, env: { NO_COLOR: '1' } })
    ).shown.split('\n');
    for (const line of help) assert.ok(line.length <= 60, line);
  }),
);

test(
  'names with control characters are quoted, in lists and reports; in a pipe they stay',
  { skip },
  () =>
    inFolder({ 'red\x1b[31m': 'abc', 'bidi\u202e': 'abc' }, async ($) => {
      const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
      const list = `${abc}  red\x1b[31m\n${abc}  bidi\u202e\n`;
      $.write('list', list);
      const shown = ['"red\\u001b[31m"', '"bidi\\u202e"'];
      const summed = await atTerminal($, 'millrace sum red* bidi*');
      assert.deepEqual(summed, {
        code: 0,
        shown: `${shown.map((name) => `${abc}  ${name}\n`).join('')}echo is on\n`,
      });
      const checked = await atTerminal($, 'millrace sum -c list');
      assert.deepEqual(checked, {
        code: 0,
        shown: `${shown.map((name) => `${name}: OK\n`).join('')}echo is on\n`,
      });
      await $.millrace(['sum', 'red\x1b[31m', 'bidi\u202e'], { stdout: list });
      await $.millrace('sum -c list', { stdout: 'red\x1b[31m: OK\nbidi\u202e: OK\n' });
    }),
);

test(
  'bench: a bar with the time left; Ctrl-C wipes it and prints what was measured',
  { skip },
  () =>
    inFolder({}, async ($) => {
      const { code, shown } = await atTerminal(
        $,
        'trap : INT; millrace bench hash -c node:crypto --csv figures',
        // On a busy machine the bar is drawn long before the first row is measured.
        [[/ [1-9]\d* of \d+ rows/, '\x03']],
        { columns: 110 },
      );
      assert.equal(code, 130);
      assert.match(shown, /\rsha\S+, \w+, \d+ \S+ .*\d+%.* \d+ of \d+ rows/);
      const end = shown.slice(shown.lastIndexOf('\r\x1b[K') + '\r\x1b[K'.length);
      assert.match(
        end,
        /^(\^C)?millrace bench: interrupted: \d+ of \d+ rows measured\n\n\d+ rows?: Millrace/m,
      );
      assert.match(end, /echo is on\n$/);
      // Colours are for the verdicts, and no line is wider than the terminal.
      for (const line of shown.split('\n'))
        assert.ok(
          line.split('\r').every((part) => part.replace(/\x1b\[[\d;]*[mK]/g, '').length <= 110),
          line,
        );
      assert.match(readFileSync($.path('figures'), 'utf8'), /^table,/);
      assert.deepEqual(readdirSync($.folder), ['figures']);
    }),
);
