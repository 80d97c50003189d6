// `millrace engines`: what serves each algorithm on this machine. Silently slow is a defect: here
// it is seen.

'use strict';

const { Problem, colours, columns, plural, print, size, table, wrap } = require('./ui.js');

/** @type {import('./commands.js').Command} */
module.exports = {
  usage: '[--kernel] [--json]',
  about: `Shows which library and which CPU instructions serve each algorithm and key derivation on this machine, and the worker threads: at once is how many messages a core hashes, or keys it derives, together, and with which instructions; ns and MB/s what a message is predicted to cost beside its bytes, and how fast they go; inline to and split from the sizes up to which an asynchronous call does its work at once, and from which on it is split over the threads.

The kernel's crypto service is asked with --kernel only, as that may load kernel modules.

MILLRACE_CPU_HIDE=avx512f,vaes in the environment hides features of the CPU from Millrace's own code.`,
  options: [
    {
      name: 'kernel',
      help: "ask the kernel's crypto service too: which driver serves each algorithm, or why none does",
    },
    { name: 'json', help: 'all of it as JSON, as engines() of the package gives it' },
  ],
  operands: [],
  run,
};

async function run({ kernel, json }, operands) {
  if (operands.length > 0) throw new Problem(`unexpected operand: ${operands[0]}`, { usage: true });
  const millrace = require('../dist/index.js');
  await measure(millrace);
  const report = {
    millrace: require('../package.json').version,
    node: process.version,
    ...millrace.engines(kernel ? { probe: ['kernel'] } : {}),
  };
  print(json ? `${JSON.stringify(report, null, 2)}\n` : asText(report, columns(1)));
  return 0;
}

/**
 * Replaces the table's prices: the worker thread that has done the first job of an algorithm
 * measures it, which takes 0.2 ms each. Nothing of it is kept when the command ends.
 */
async function measure({ engines, getHashes, getCiphers }) {
  const { hash, cipher, seal } = require('../dist/promises.js');
  const source = Buffer.alloc(64);
  const options = { source, route: 'pool' };
  // What an engine does not serve has no price either.
  await Promise.allSettled([
    ...getHashes().map((name) =>
      hash(name, source, {
        route: 'pool',
        ...(name.startsWith('shake') ? { outputLength: 32 } : {}),
      }),
    ),
    ...getCiphers().map((name) => {
      const key = Buffer.alloc(Number(/^aes-(\d+)/.exec(name)?.[1] ?? 256) / 8);
      if (/ctr$|^chacha20$/.test(name))
        return cipher(name, { ...options, encrypt: true, key, iv: Buffer.alloc(16) });
      return seal(name, {
        ...options,
        key,
        nonce: Buffer.alloc(name.startsWith('xchacha20') ? 24 : 12),
      });
    }),
  ]);
  // Measured after the results have been delivered.
  const measured = () => Object.values(engines().costs).every((cost) => cost.measured);
  for (let wait = 1; wait <= 64 && !measured(); wait *= 2)
    await new Promise((resolve) => setTimeout(resolve, wait));
}

/** @param {number} width of the terminal */
function asText(report, width) {
  const { bold, dim } = colours(1);
  const { native, portable, kernel, threads, settings } = report;
  const facts = [
    [
      'Millrace',
      `${report.millrace} on Node.js ${report.node}, ${process.platform} ${native.cpu.arch}`,
    ],
    ['native', native.available === false ? native.reason : versions(native)],
    ...(portable === undefined
      ? []
      : [['portable', portable.available ? versions(portable) : portable.reason]]),
    ...(kernel === undefined
      ? []
      : [
          [
            'kernel',
            kernel.available
              ? `serves ${Object.values(kernel.algorithms).filter(({ way }) => way !== undefined).length} algorithms`
              : kernel.available === undefined
                ? 'not asked: millrace engines --kernel does'
                : (kernel.reason ?? 'serves no algorithm here'),
          ],
        ]),
    ['CPU', native.cpu.features.join(' ') || 'no instructions of use here'],
    [
      'threads',
      `${threads.limit} at most, ${threads.started} started, ${threads.queued} ${plural(threads.queued, 'job')} waiting`,
    ],
    ...(settings === undefined
      ? []
      : [
          [
            'route',
            `${settings.route}; at most ${settings.maxQueuedBytes >= Number.MAX_SAFE_INTEGER ? 'any number of bytes' : size(settings.maxQueuedBytes)} copied for calls in flight`,
          ],
        ]),
  ];
  const titled = facts
    .map(([title, text]) => `${bold(title.padEnd(9))}  ${wrap(text, width, 11)}`)
    .join('\n');
  const notes = Object.values(report.costs ?? {}).some(({ measured }) => !measured)
    ? `\n${dim('~ not measured on this machine')}\n`
    : '';
  return `${titled}\n\n${algorithmTable(report, width, dim)}\n${notes}${derivationTable(report, width, dim)}${kernelTable(kernel, width, dim)}`;
}

const versions = ({ libraries }) =>
  Object.entries(libraries)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

/**
 * What the kernel serves, and below it once each why it does not serve more; nothing if it was not
 * asked.
 */
function kernelTable({ algorithms = {} } = {}, width, dim) {
  const served = Object.entries(algorithms).filter(([, { way }]) => way !== undefined);
  const rows = served.map(([name, { way, ...ways }]) => {
    const { driver = '', accelerator, maxMessage } = ways[way];
    return [
      name,
      way,
      maxMessage === undefined ? '' : bytes(maxMessage),
      `${driver}${accelerator ? ' (hardware)' : ''}`,
    ];
  });
  const found =
    rows.length === 0
      ? ''
      : `\n${table(['by the kernel', 'way', 'longest>', 'driver'], rows, { width, head: dim })}\n`;
  const reasons = ['af_alg', 'cryptodev'].flatMap((way) => {
    const given = Object.entries(algorithms).filter(([, each]) => each[way].reason !== undefined);
    // That there is no such algorithm says nothing of this machine.
    return [...new Set(given.map(([name, each]) => each[way].reason.replaceAll(name, '')))].filter(
      (reason) => !reason.includes('there is no  in it'),
    );
  });
  return found + reasons.map((reason) => `\n${wrap(reason, width, 2)}\n`).join('');
}

/** One row an algorithm; what the report does not tell has no column. */
function algorithmTable({ native, costs }, width, dim) {
  const priced = costs === undefined ? [] : ['ns>', 'MB/s>', 'inline to>', 'split from>'];
  const rows = Object.entries(native.algorithms).map(([name, { library, instructions, lanes }]) => [
    name,
    library,
    lanes === undefined ? '' : String(lanes.messages),
    ...(costs === undefined ? [] : price(costs[name])),
    withLanes(instructions, lanes),
  ]);
  return table(['algorithm', 'library', 'at once>', ...priced, 'instructions'], rows, {
    width,
    head: dim,
  });
}

/** Key derivation, which has no price by the byte; the PBKDF2s that are alike in one row. */
function derivationTable({ native: { derivations } }, width, dim) {
  if (derivations === undefined) return '';
  const rows = new Map();
  for (const [name, { library, instructions, lanes }] of Object.entries(derivations)) {
    const facts = [
      library,
      lanes === undefined ? '' : String(lanes.messages),
      withLanes(instructions, lanes),
    ];
    const alike = `${/^pbkdf2-/.test(name)} ${facts.join(' ')}`;
    if (rows.has(alike)) rows.get(alike)[0] += `, ${name.replace('pbkdf2-', '')}`;
    else rows.set(alike, [name.replace('pbkdf2-', 'pbkdf2: '), ...facts]);
  }
  const list = [...rows.values()].map(([names, ...facts]) => [shortened(names), ...facts]);
  return `\n${table(['key derivation', 'library', 'at once>', 'instructions'], list, { width, head: dim })}\n`;
}

/** The first of a list and how many more there are. */
function shortened(names) {
  const [first, ...others] = names.split(', ');
  return others.length > 2 ? `${first} and ${others.length} more` : names;
}

function price(cost) {
  if (cost === undefined) return ['', '', '', ''];
  const mark = cost.measured ? '' : '~';
  return [
    `${mark}${Math.round(cost.fixed)}`,
    `${mark}${Math.round(1000 / cost.perByte)}`,
    bytes(cost.inlineTo),
    cost.splitFrom === undefined ? '' : bytes(cost.splitFrom),
  ];
}

/** Small ones to the byte. */
const bytes = (count) => (count < 10_000 ? String(count) : size(count));

/** What one message is worked on with; in brackets what several at once are. */
function withLanes(instructions, lanes) {
  const one = instructions.join(' ') || '-';
  return lanes === undefined || lanes.instructions.every((each) => instructions.includes(each))
    ? one
    : `${one} (at once: ${lanes.instructions.join(' ')})`;
}

module.exports.asText = asText;
