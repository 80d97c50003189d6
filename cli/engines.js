// `millrace engines`: the implementation of each algorithm on this machine. It shows whether a slow
// one is in use.

'use strict';

const { option } = require('./arguments.js');
const {
  UsageError,
  colours,
  columns,
  displayName,
  plural,
  print,
  size,
  table,
  wrap,
} = require('./ui.js');

/** @type {import('./commands.js').Command} */
const command = {
  usage: '[--kernel] [--json]',
  about: `Shows, for each algorithm and key derivation on this machine, the library and the CPU
instructions that implement it, the libraries of asymmetric keys, and the state of the worker
threads.

"millrace" is Millrace's own code. "millrace to 2048, AWS-LC" means messages of up to 2,048 bytes
by the one, and longer ones by the other; "in parts", messages that are divided among worker
threads or into steps; "incremental", those of createCipher and createDecipher.

"at once" is the number of messages that one core hashes, or of keys that it derives, at the same
time. "ns" is the predicted fixed cost of a message, "MB/s" the predicted rate of its bytes. An
asynchronous call runs on the calling thread up to the size in "inline to", and on several worker
threads from the size in "split from".

The kernel's crypto service is queried with --kernel only, because a query may load kernel modules.

MILLRACE_CPU_HIDE=avx512f,vaes in the environment hides CPU features from Millrace's own code.`,
  options: [
    option(
      '--kernel',
      "query the kernel's crypto service too: the driver of each algorithm, or why none",
    ),
    option('--json', 'print the report as JSON, as engines() of the package returns it'),
  ],
  operands: [],
  run,
};

async function run({ kernel, json }, operands) {
  if (operands.length > 0) throw new UsageError(`unexpected operand: ${displayName(operands[0])}`);
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
 * Runs one job of each algorithm, so that a worker thread measures its cost (0.2 ms each). Without
 * it the report contains the costs of the built-in table.
 */
async function measure({ engines }) {
  const { hash, cipher, seal } = require('../dist/promises.js');
  const { hashes, ciphers } = require('../dist/core.js')['catalog/catalog-table'];
  const source = Buffer.alloc(64);
  const options = /** @type {const} */ ({ source, route: 'pool' });
  // An algorithm that the engine lacks has no cost.
  await Promise.allSettled([
    ...hashes.map(({ name, tuple, keyRequired }) =>
      hash(name, tuple ? [source] : source, {
        route: 'pool',
        ...(keyRequired ? { key: source } : {}),
      }),
    ),
    ...ciphers.map(({ name, aead, keySize, ivSize }) => {
      const [key, iv] = [Buffer.alloc(keySize), Buffer.alloc(ivSize)];
      return aead
        ? seal(name, { ...options, key, nonce: iv })
        : cipher(name, { ...options, encrypt: true, key, iv });
    }),
  ]);
  // The measurement ends after the result is delivered.
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
    ['portable', portable && (portable.available ? versions(portable) : portable.reason)],
    ['kernel', kernel && kernelFact(kernel)],
    ['CPU', native.cpu.features.join(' ') || 'no relevant instructions'],
    [
      'threads',
      `${threads.limit} at most, ${threads.started} started, ` +
        `${threads.queued} ${plural(threads.queued, 'job')} waiting`,
    ],
    ['route', settings && routeFact(settings)],
  ];
  const titled = facts
    .filter(([, text]) => text !== undefined)
    .map(([title, text]) => `${bold(title.padEnd(9))}  ${wrap(text, width, 11)}`)
    .join('\n');
  const notes = Object.values(report.costs ?? {}).some(({ measured }) => !measured)
    ? `\n${dim('~ not measured on this machine')}\n`
    : '';
  return [
    `${titled}\n\n${algorithmTable(report, width, dim)}\n${notes}`,
    derivationTable(report, width, dim),
    publicKeyTable(report, width, dim),
    kernelTable(kernel, width, dim),
  ].join('');
}

function kernelFact({ available, algorithms, reason = 'no algorithm available' }) {
  if (available) return `${served(algorithms).length} algorithms`;
  return available === undefined ? 'not queried: use millrace engines --kernel' : reason;
}

function routeFact({ route, maxQueuedBytes }) {
  const most =
    maxQueuedBytes >= Number.MAX_SAFE_INTEGER ? 'any number of bytes' : size(maxQueuedBytes);
  return `${route}; at most ${most} copied for calls in flight`;
}

const versions = ({ libraries }) =>
  Object.entries(libraries)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

const served = (algorithms) =>
  Object.entries(algorithms).filter(([, each]) => each.interface !== undefined);

/**
 * Lists the algorithms that the kernel implements, then each reason why it does not implement
 * others. Empty if the kernel was not queried.
 */
function kernelTable({ algorithms = {} } = {}, width, dim) {
  const rows = served(algorithms).map(([name, algorithm]) => {
    const { driver = '', accelerator, maxMessage } = algorithm[algorithm.interface];
    return [
      name,
      algorithm.interface,
      maxMessage === undefined ? '' : bytes(maxMessage),
      `${driver}${accelerator ? ' (hardware)' : ''}`,
    ];
  });
  const heads = ['by the kernel', 'interface', 'longest>', 'driver'];
  const found = rows.length === 0 ? '' : `\n${table(heads, rows, { width, head: dim })}\n`;
  const reasons = ['af_alg', 'cryptodev'].flatMap((name) => {
    const given = Object.entries(algorithms).filter(([, each]) => each[name].reason !== undefined);
    // A missing algorithm tells nothing about this machine.
    return [
      ...new Set(given.map(([algorithm, each]) => each[name].reason.replaceAll(algorithm, ''))),
    ].filter((reason) => !reason.includes('there is no  in it'));
  });
  return found + reasons.map((reason) => `\n${wrap(reason, width, 2)}\n`).join('');
}

/**
 * Returns a table with one row for each algorithm. Columns that the report has no values for are
 * left out.
 */
function algorithmTable({ native, costs }, width, dim) {
  const costHeads = costs === undefined ? [] : ['ns>', 'MB/s>', 'inline to>', 'split from>'];
  const rows = Object.entries(native.algorithms).map(([name, served]) => [
    name,
    librariesOf(served),
    served.lanes === undefined ? '' : String(served.lanes.messages),
    ...(costs === undefined ? [] : costCells(costs[name])),
    withLanes(served.instructions, served.lanes),
  ]);
  return table(['algorithm', 'library', 'at once>', ...costHeads, 'instructions'], rows, {
    width,
    head: dim,
  });
}

/**
 * Returns a table of key derivations, which have no cost by the byte. Equal PBKDF2 rows become one.
 */
function derivationTable({ native: { derivations } }, width, dim) {
  if (derivations === undefined) return '';
  /** @type {Map<string, string[]>} */
  const rows = new Map();
  for (const [name, { library, instructions, lanes }] of Object.entries(derivations)) {
    const facts = [
      library,
      lanes === undefined ? '' : String(lanes.messages),
      withLanes(instructions, lanes),
    ];
    const alike = `${name.startsWith('pbkdf2-')} ${facts.join(' ')}`;
    if (rows.has(alike)) rows.get(alike)[0] += `, ${name.replace('pbkdf2-', '')}`;
    else rows.set(alike, [name.replace('pbkdf2-', 'pbkdf2: '), ...facts]);
  }
  const list = [...rows.values()].map(([names, ...facts]) => [shortened(names), ...facts]);
  const heads = ['key derivation', 'library', 'at once>', 'instructions'];
  return `\n${table(heads, list, { width, head: dim })}\n`;
}

/** Returns a table of asymmetric keys and the library that each engine has for them. */
function publicKeyTable({ native, portable }, width, dim) {
  const both = [native?.publicKeys ?? {}, portable?.publicKeys ?? {}];
  const names = new Set(both.flatMap((each) => Object.keys(each)));
  if (names.size === 0) return '';
  const rows = [...names].map((name) => [
    name,
    ...both.map((each) => (Object.hasOwn(each, name) ? namesOf(each[name]) : '-')),
  ]);
  return `\n${table(['public key', 'native', 'portable'], rows, { width, head: dim })}\n`;
}

/** Shortens a long list to its first item and a count. */
function shortened(names) {
  const [first, ...others] = names.split(', ');
  return others.length > 2 ? `${first} and ${others.length} more` : names;
}

/** Returns the libraries of short messages, of others, of those in parts and incremental ones. */
function librariesOf(served) {
  const { short, parts, incremental } = served;
  return [
    short && `${namesOf(short)} to ${short.upTo}`,
    namesOf(served),
    parts && `in parts ${namesOf(parts)}`,
    incremental && `incremental ${namesOf(incremental)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const namesOf = ({ library, with: others = [] }) => [library, ...others].join(' with ');

function costCells(cost) {
  if (cost === undefined) return ['', '', '', ''];
  const mark = cost.measured ? '' : '~';
  return [
    `${mark}${Math.round(cost.fixed)}`,
    `${mark}${Math.round(1000 / cost.perByte)}`,
    bytes(cost.inlineTo),
    cost.splitFrom === undefined ? '' : bytes(cost.splitFrom),
  ];
}

const bytes = (count) => (count < 10_000 ? String(count) : size(count));

/** Returns the instructions for one message and, in brackets, those for several at once. */
function withLanes(instructions, lanes) {
  const one = instructions.join(' ') || '-';
  return lanes === undefined || lanes.instructions.every((each) => instructions.includes(each))
    ? one
    : `${one} (at once: ${lanes.instructions.join(' ')})`;
}

module.exports = { ...command, asText };
