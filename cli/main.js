#!/usr/bin/env node
// The `millrace` command. CommonJS, like the library: an ES module as the entry costs 7 ms more, a
// tenth of a short run.

'use strict';

const { commands } = require('./commands.js');
const { Problem, ReaderGone, print, say, speakAs } = require('./ui.js');

main(process.argv.slice(2)).then(end, fail);

async function main([name, ...rest]) {
  if (name === undefined) {
    const { overview } = require('./help.js');
    speakAs('millrace');
    require('./ui.js').write(2, overview(2));
    return 1;
  }
  if (name === '--version' || name === '-V') {
    print(`millrace ${require('../package.json').version}\n`);
    return 0;
  }
  if (name === 'help' || name === '--help' || name === '-h') return help(rest);
  if (!Object.hasOwn(commands, name)) {
    const kind = name.startsWith('-') ? 'option' : 'command';
    throw new Problem(
      `unknown ${kind}: ${name}${require('./help.js').meant(name, Object.keys(commands))}`,
      { usage: true },
    );
  }
  speakAs(`millrace ${name}`);
  const command = commands[name].load();
  if (command.subcommands !== undefined && Object.hasOwn(command.subcommands, rest[0]))
    return command.subcommands[rest[0]](rest.slice(1));
  const { readArguments } = require('./arguments.js');
  const { values, operands } = readArguments(command.options, rest);
  if (values.help) return help([name]);
  // Shells expand wildcards, but not those of Windows.
  const expanded =
    process.platform === 'win32' && command.operands === 'files'
      ? operands.flatMap(require('./wildcards.js').expand)
      : operands;
  return command.run(values, expanded);
}

function help([name, part, ...rest]) {
  const { commandHelp, meant, overview } = require('./help.js');
  if (name === undefined) {
    print(overview(1));
    return 0;
  }
  if (!Object.hasOwn(commands, name))
    throw new Problem(`unknown command: ${name}${meant(name, Object.keys(commands))}`, {
      usage: true,
    });
  const command = commands[name].load();
  const parts = command.subcommands ?? {};
  if (part !== undefined && rest.length === 0 && Object.hasOwn(parts, part))
    return parts[part](['--help']);
  if (part !== undefined)
    throw new Problem(
      `unknown command: ${[name, part, ...rest].join(' ')}${meant(part, Object.keys(parts), `${name} `)}`,
      { usage: true },
    );
  print(commandHelp(name, command));
  return 0;
}

function end(code) {
  process.exitCode = code;
}

function fail(error) {
  if (error instanceof ReaderGone || error?.code === 'EPIPE') {
    // 128 + SIGPIPE, which Node ignores: what a shell shows for a coreutils program whose reader
    // went away.
    process.exit(141);
  }
  if (error instanceof Problem) {
    const name = process.argv[2];
    const where = error.usage
      ? `; see: millrace help${Object.hasOwn(commands, name) ? ` ${name}` : ''}`
      : '';
    say(error.message + where);
  } else {
    // Whatever the user can cause is a sentence; anything else is a defect and keeps its stack.
    say(error?.stack ?? String(error));
  }
  process.exit(1);
}
