// Sessions at a shell, as they are recorded in transcripts/: what is typed, what comes out, the
// exit code. A section begins with `== TITLE`, or `== TITLE (SYSTEM)` if it is for one system, and
// has a folder of its own. `> ` begins a line of standard output, `! ` one of standard error; the
// rest was typed. A difference is shown as a transcript, from which the file can be corrected.
//
// A line is `[printf 'TEXT' |] COMMAND [< FILE] [> FILE]`, with a command from `programs`, and the
// escapes of printf in every word. In a section for one system its shell reads the lines.

import assert from 'node:assert/strict';
import { linkSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../support/child.mjs';
import { command, inFolder, notLinux, windows } from '../support/shell.mjs';

// Of secrets that others may read the commands warn.
process.umask(0o077);

const folder = join(root, 'test', 'cli', 'transcripts');
const skips = { POSIX: windows, Linux: notLinux };

for (const file of readdirSync(folder))
  for (const section of readFileSync(join(folder, file), 'utf8').split(/^== /m).slice(1)) {
    const [title] = section.split('\n', 1);
    const [, system] = /\((\w+)\)$/.exec(title) ?? [];
    test(`${file}: ${title}`, { skip: skips[system] ?? false }, () =>
      inFolder({}, async ($) => {
        const played = [];
        for (const line of section.split('\n').filter((each) => !/^(> |! |exit )/.test(each))) {
          played.push(line);
          if (line.startsWith('$ ')) played.push(...(await typed($, line.slice(2), system)));
        }
        assert.equal(played.join('\n'), section);
      }),
    );
  }

/** Runs a line, and returns the lines of the transcript that show its results. */
async function typed($, line, system) {
  const run = system === undefined ? interpret : inShell;
  const { stdout = '', stderr = '', code = 0 } = await run($, line);
  const exit = code === 0 ? [] : [`exit ${code}`];
  return [...shown('> ', stdout), ...shown('! ', stderr), ...exit];
}

/** Returns output as lines with this prefix, what is not visible in it escaped. */
function shown(prefix, bytes) {
  const text = bytes.toString().replaceAll(/(?!\n)[\\\p{Cc}\p{Cf}]/gu, (letter) => {
    const hex = Buffer.from(letter).toString('hex');
    return letter === '\\' ? '\\\\' : hex.replaceAll(/../g, '\\x$&');
  });
  if (text === '') return [];
  const lines = text.endsWith('\n') ? text.slice(0, -1) : `${text} (no newline)`;
  return lines.split('\n').map((line) => prefix + line);
}

const escapes = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

function bytesOf(text) {
  const latin1 = Buffer.from(text).toString('latin1');
  const raw = latin1.replaceAll(/\\(?:x(..)|(.))/g, (_, hex, letter) =>
    hex === undefined ? escapes[letter] : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(raw, 'latin1');
}

const programs = {
  millrace: ($, args, stdin) => $.start(args, { stdin }).ended,
  node: ($, [script, ...args]) => $.start(args, { program: [join(root, script)] }).ended,
  cat: ($, [name], stdin) => ({ stdout: name === undefined ? stdin : readFileSync($.path(name)) }),
  ls: ($) => ({ stdout: `${readdirSync($.folder).sort().join('\n')}\n` }),
  ln($, [option, target, name]) {
    if (option === '-s') symlinkSync(target, $.path(name));
    else linkSync($.path(option), $.path(target));
    return {};
  },
};

async function interpret($, line) {
  const form = /^(?:printf '([^']*)'(?: \| |$|(?= >)))?(.*?)(?: < (\S+))?(?: > (\S+))?$/;
  const [, text, words, input, output] = form.exec(line);
  const stdin = input === undefined ? bytesOf(text ?? '') : readFileSync($.path(input));
  const [program, ...args] = (words.match(/'[^']*'|\S+/g) ?? ['cat']).map((word) =>
    bytesOf(word.replace(/^'(.*)'$/, '$1')).toString(),
  );
  const result = await programs[program]($, args, stdin);
  if (output === undefined) return result;
  $.write(bytesOf(output).toString(), result.stdout);
  return { ...result, stdout: '' };
}

function inShell($, line) {
  const millrace = `millrace() { '${process.execPath}' '${command}' "$@"; }`;
  const { status: code, stdout, stderr } = $.other('sh', ['-c', `${millrace}; ${line}`]);
  return { code, stdout, stderr };
}
