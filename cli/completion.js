// `millrace completion SHELL`: a script made from the lists of commands and options. It contains
// everything, so that pressing Tab starts no Node process.

'use strict';

const { basename } = require('node:path');

const { helpOption } = require('./arguments.js');
const { checkKnown } = require('./suggest.js');
const { UsageError, print } = require('./ui.js');

const shells = { bash, zsh, fish };

/** @type {import('./commands.js').Command} */
module.exports = {
  usage: Object.keys(shells).join('|'),
  about: 'Prints a script with which the shell completes commands, options and algorithm names.',
  options: [],
  examples: [
    ['source <(millrace completion bash)', 'in ~/.bashrc'],
    ['source <(millrace completion zsh)', 'in ~/.zshrc, after compinit'],
    ['millrace completion fish | source', 'in ~/.config/fish/config.fish'],
  ],
  operands: Object.keys(shells),
  run(_values, operands, commands) {
    const names = Object.keys(shells);
    if (operands.length !== 1) throw new UsageError(`expected one shell: ${names.join(', ')}`);
    const shell = String(operands[0]);
    // $SHELL is a path.
    checkKnown('shell', shell, names, basename(shell));
    print(shells[shell](completions(commands)));
    return 0;
  },
};

function completions(commands) {
  return Object.entries(commands).map(([name, { summary, load }]) => {
    const { options, operands = [] } = load();
    return { name, summary, options: [...options, helpOption], operands };
  });
}

const spellings = ({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
const valued = (options) => options.filter(({ value }) => value !== undefined);

function bash(all) {
  const cases = all.map(({ name, options, operands }) => {
    const values = valued(options).map(
      (option) => `        ${spellings(option).join('|')}) ${bashWords(option)}return ;;`,
    );
    return `    ${name})
      case $before in
${values.join('\n')}${values.length > 0 ? '\n' : ''}        *) ;;
      esac
      if [[ $word == -* ]]; then
        offer -W '${options.flatMap(spellings).join(' ')}' -- "$word"
        return
      fi
      offer ${operands === 'files' ? '-f' : `-W '${operands.join(' ')}'`} -- "$word"
      ;;`;
  });
  const names = all.map(({ name }) => name).join(' ');
  return `# bash completion for millrace
_millrace() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} line
  # Line by line, as file names may contain blanks. The bash of macOS has no mapfile.
  offer() { while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@"); }
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then offer -W '${names} help --help --version' -- "$word"; return; fi
  case \${COMP_WORDS[1]} in
    help) offer -W '${names}' -- "$word" ;;
${cases.join('\n')}
  esac
}
complete -o filenames -F _millrace millrace
`;
}

function bashWords({ choices, complete }) {
  if (choices !== undefined) return `offer -W '${choices().join(' ')}' -- "$word"; `;
  return complete === 'file' ? 'offer -f -- "$word"; ' : '';
}

function zsh(all) {
  const quote = (text) =>
    text
      .replaceAll("'", "'\\''")
      .replaceAll('[', '\\[')
      .replaceAll(']', '\\]')
      .replaceAll(':', '\\:');
  const listed = all.map(({ name, summary }) => `    '${name}:${quote(summary)}'`);
  const cases = all.map(({ name, options, operands }) => {
    const lines = options.map((option) => {
      const { help, value, choices, complete } = option;
      const values = complete === 'file' ? '_files' : '';
      const list = choices === undefined ? values : `(${choices().join(' ')})`;
      const action = value === undefined ? '' : `:${value}:${list}`;
      const names = spellings(option);
      const head =
        names.length > 1 ? `'(${names.join(' ')})'{${names.join(',')}}'` : `'${names[0]}`;
      return `        ${head}[${quote(help)}]${action}'`;
    });
    const rest = operands === 'files' ? "'*:file:_files'" : `'*:operand:(${operands.join(' ')})'`;
    return `    ${name})
      _arguments -s -S \\
${lines.map((line) => `${line} \\`).join('\n')}
        ${rest}
      ;;`;
  });
  return `#compdef millrace
_millrace() {
  local -a commands
  commands=(
${listed.join('\n')}
    'help:help about a command'
  )
  if ((CURRENT == 2)); then _describe command commands; return; fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
    help) _describe command commands ;;
${cases.join('\n')}
  esac
}
compdef _millrace millrace
`;
}

function fish(all) {
  const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# fish completion for millrace',
    'complete -c millrace -f',
    "complete -c millrace -n __fish_use_subcommand -l version -d 'the version'",
  ];
  for (const { name, summary, options, operands } of all) {
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c millrace -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`);
    if (operands === 'files') lines.push(`complete -c millrace ${here} -F`);
    else if (operands.length > 0)
      lines.push(`complete -c millrace ${here} -a ${quote(operands.join(' '))}`);
    for (const { name: long, short, value, help, choices, complete } of options) {
      const values =
        value === undefined
          ? ''
          : choices !== undefined
            ? ` -x -a ${quote(choices().join(' '))}`
            : complete === 'file'
              ? ' -r -F'
              : ' -x';
      const letter = short === undefined ? '' : ` -s ${short}`;
      lines.push(`complete -c millrace ${here} -l ${long}${letter}${values} -d ${quote(help)}`);
    }
  }
  lines.push("complete -c millrace -n __fish_use_subcommand -a help -d 'help about a command'");
  const names = quote(all.map(({ name }) => name).join(' '));
  lines.push(`complete -c millrace -n '__fish_seen_subcommand_from help' -a ${names}`);
  return `${lines.join('\n')}\n`;
}
