// `millrace engines`: what serves each algorithm on this machine. Silently slow is a defect: here it is seen.

'use strict';

const { Problem, colours, columns, plural, print, size, table, wrap } = require('./ui.js');

/** @type {import('./commands.js').Command} */
module.exports = {
  usage: '[--json]',
  about: 'Shows which library and which CPU instructions serve each algorithm on this machine, how many messages a core hashes at once, the worker threads, and from which size on a job takes which way. MILLRACE_CPU_HIDE=avx512f,vaes in the environment hides features of the CPU.',
  options: [{ name: 'json', help: 'all of it as JSON, as engines() of the package gives it' }],
  operands: [],
  run,
};

function run({ json }, operands) {
  if (operands.length > 0) throw new Problem(`unexpected operand: ${operands[0]}`, { usage: true });
  const { engines } = require('../dist/index.js');
  const report = { millrace: require('../package.json').version, node: process.version, ...engines() };
  print(json ? `${JSON.stringify(report, null, 2)}\n` : asText(report, columns(1)));
  return 0;
}

/** @param {number} width of the terminal */
function asText(report, width) {
  const { bold, dim } = colours(1);
  const { native, threads } = report;
  const facts = [
    ['Millrace', `${report.millrace} on Node.js ${report.node}, ${process.platform} ${native.cpu.arch}`],
    ['libraries', Object.entries(native.libraries).map(([name, version]) => `${name} ${version}`).join(', ')],
    ['CPU', native.cpu.features.join(' ') || 'no instructions of use here'],
    ['threads', `${threads.limit} at most, ${threads.started} started, ${threads.queued} ${plural(threads.queued, 'job')} waiting`],
  ];
  const titled = facts.map(([title, text]) => `${bold(title.padEnd(9))}  ${wrap(text, width, 11)}`).join('\n');
  return `${titled}\n\n${algorithmTable(report, width, dim)}\n`;
}

/** One row an algorithm; columns about routes only where the report has them. */
function algorithmTable({ native, routes, costs }, width, dim) {
  const names = Object.keys(native.algorithms);
  const hasRoutes = routes !== undefined && names.some((name) => routes[name] !== undefined);
  const heads = ['algorithm', 'library', 'at once>', ...(costs === undefined ? [] : ['ns + ns/KiB>']), ...(hasRoutes ? ['inline to>', 'split from>'] : []), 'instructions'];
  const rows = names.map((name) => {
    const { library, instructions, lanes } = native.algorithms[name];
    const cost = costs?.[name];
    const route = routes?.[name];
    return [
      name,
      library,
      lanes === undefined ? '' : String(lanes.messages),
      ...(costs === undefined ? [] : [cost === undefined ? '' : costText(cost)]),
      ...(hasRoutes ? [bound(route?.inline), bound(route?.split)] : []),
      withLanes(instructions, lanes),
    ];
  });
  return table(heads, rows, { width, head: dim });
}

/** What one message is worked on with; in brackets what several at once are, if that is something else. */
function withLanes(instructions, lanes) {
  const one = instructions.join(' ') || '-';
  if (lanes === undefined) return one;
  const many = lanes.instructions.filter((each) => !instructions.includes(each));
  return many.length === 0 ? one : `${one} (at once: ${lanes.instructions.join(' ')})`;
}

const costText = ({ fixed, perByte, measured }) => `${Math.round(fixed)} + ${Math.round(perByte * 1024)}${measured ? '' : '?'}`;
const bound = (bytes) => (bytes === undefined || bytes === null || !Number.isFinite(bytes) ? '' : size(bytes));
