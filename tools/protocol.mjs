// Writes the numbers that native code and the TypeScript front share: crates/node/src/protocol.rs
// and src/request/protocol.ts. This file is their one source. Run after changing it: node
// tools/protocol.mjs. test/architecture.test.mjs fails when a generated file is stale.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { writeFormatted } from './format.mjs';
import { root } from './steps.mjs';

/**
 * The enumerations, in the order of their numbers from 0. A member is its name, or its name and
 * documentation. `parsed` ones get a function in Rust that refuses unknown numbers; `rust` is the
 * name there, if it is another one.
 */
const enumerations = [
  {
    name: 'At',
    doc: 'Indexes of the frame, the 64-bit floats of one call.',
    members: [
      'Operation',
      'Algorithm',
      'Slot',
      'Flags',
      'Key',
      'KeyOffset',
      'KeySize',
      'IvOffset',
      'IvSize',
      'SourceOffset',
      'SourceSize',
      'TargetOffset',
      'TargetSize',
      'AadOffset',
      'AadSize',
      'TagOffset',
      'TagSize',
      'SeedLow',
      'SeedHigh',
      [
        'Count',
        'The number of messages, unless `Flag.HasSizes` or `Flag.HasViews` is set; of a derivation, its first cost.',
      ],
      [
        'MessageSize',
        'The size of each message in bytes, with the same exceptions; of a derivation, its second cost.',
      ],
      [
        'MaxMemory',
        'The most bytes of memory that a derivation may take. Bytes needed are written here when they are too many.',
      ],
      ['MaxTime', 'The most milliseconds that a password hash may ask for.'],
      ['Route', 'How an asynchronous call is run: a `Route`.'],
      [
        'Cost',
        'Written by the engine: the predicted nanoseconds of an accepted asynchronous job, 0 if it has run already.',
      ],
      ['Engine', 'The engine that computes: an `EngineNumber`. A prepared key decides for itself.'],
      ['Length', 'The length of the frame.'],
    ],
  },
  {
    name: 'Operation',
    rust: 'OperationNumber',
    parsed: true,
    doc: 'What is computed.',
    members: [
      'Hash',
      'Hmac',
      'Encrypt',
      'Decrypt',
      'Seal',
      'Open',
      [
        'Update',
        'Moves a running hash on: its state travels as aad, the next one is the result; bytes before the source travel as iv.',
      ],
      'Finish',
      ['Squeeze', 'Synchronous only; the state it leaves is written to the tag.'],
      'MacUpdate',
      'MacFinish',
      'HashMany',
      'HmacMany',
      [
        'SealChunks',
        "A run of chunks: the base nonce travels as iv, the first chunk's number as seed.",
      ],
      'OpenChunks',
      [
        'Scrypt',
        'The first derivation: password as key, salt as iv, other inputs as aad, a second secret as tag.',
      ],
      'Pbkdf2',
      'Hkdf',
      'Argon2',
      ['Verify', 'The aad is a password hash.'],
      ['HashFile', 'A message of `At.MessageSize` bytes in a file, whose path is the source.'],
      [
        'HashFiles',
        'Messages in `At.Count` files of at most `At.MessageSize` bytes, whose paths end with NULs; files.rs describes the target.',
      ],
      [
        'MacBegin',
        "Writes the states of an HMAC's key, which is the source, to the target: twice the hash's state size. Synchronous only.",
      ],
    ],
  },
  {
    name: 'Flag',
    doc: 'The byte arguments that a call has, and how it treats them: bits of `At.Flags`.',
    bits: true,
    members: [
      'HasTarget',
      'HasIv',
      'HasAad',
      'HasTag',
      'HasKey',
      [
        'Snapshot',
        "The source is the caller's to change after the call: it is copied during the call.",
      ],
      'Cancellable',
      ['HasSizes', 'The sizes of many messages are 64-bit floats in the place of the iv.'],
      [
        'HasViews',
        "The source is an array of typed arrays; the source's offset is the index of the first message.",
      ],
      ['Copied', 'The source is a copy that the front made for this call.'],
      ['Unlimited', 'Copies are made whatever their number.'],
      ['Fresh', 'The target was made for this result.'],
      ['Progress', 'The job counts its progress, for `progress(slot)`.'],
    ],
  },
  {
    name: 'Route',
    parsed: true,
    doc: 'How an asynchronous call is run.',
    members: [
      ['Auto', 'As its predicted cost says.'],
      ['Inline', 'During the call; it settles later all the same.'],
      ['Pool', 'By one worker.'],
      ['Split', 'By all workers, each a part; by one where the work has no parts.'],
    ],
  },
  {
    name: 'EngineNumber',
    parsed: true,
    doc: 'The engine that computes.',
    members: [
      'Native',
      [
        'Kernel',
        'The kernel: /dev/crypto where an accelerator serves the algorithm, else AF_ALG, else /dev/crypto.',
      ],
      ['AfAlg', 'The kernel through AF_ALG.'],
      ['Cryptodev', 'The kernel through /dev/crypto.'],
    ],
  },
  {
    name: 'Purpose',
    rust: 'PurposeNumber',
    parsed: true,
    doc: 'The kind of algorithm that a key is prepared for.',
    members: ['Cipher', 'Mac', 'Hash'],
  },
  {
    name: 'Poll',
    doc: 'What came of looking for results.',
    members: [
      ['Done', 'Nothing is in flight any more: wake-ups again from here on.'],
      ['Again', 'Look again next turn.'],
      ['TimedOut', 'Nothing came although jobs are in flight: wake-ups again from here on.'],
    ],
  },
  {
    name: 'CancelResult',
    doc: 'The result of a request to cancel a job.',
    members: [
      ['AfterEnd', 'The job has ended, or runs to its end.'],
      ['BeforeStart', 'The job had not started and never will.'],
      [
        'Requested',
        'The job runs; it stops at its next checkpoint with the status `Cancelled`, or ends before.',
      ],
    ],
  },
  {
    name: 'Threads',
    parsed: true,
    doc: 'Numbers of the worker pool.',
    members: [
      ['Limit', 'The most workers there may be.'],
      ['Started', 'Workers alive.'],
      ['Queued', 'Jobs that wait.'],
    ],
  },
  {
    name: 'CopiedBytes',
    parsed: true,
    doc: 'Bytes copied for jobs in flight.',
    members: [
      ['Limit', 'The most bytes, 0 while no limit is set.'],
      ['Now', 'Bytes copied now.'],
    ],
  },
  {
    name: 'KdfMemory',
    parsed: true,
    doc: 'Memory of derivations.',
    members: [
      ['Limit', 'The most bytes that all may take together, 0 while no limit is set.'],
      ['Taken', 'Bytes taken now.'],
      ['Waiting', 'Jobs that wait for some.'],
    ],
  },
  {
    name: 'CostPart',
    parsed: true,
    doc: 'The numbers of the cost model of an algorithm.',
    members: [
      ['Fixed', 'Fixed nanoseconds.'],
      ['PerByte', 'Nanoseconds per byte.'],
      ['BatchFactor', 'The part of both that one message of a batch takes.'],
      ['Settled', '1 when none of these numbers changes any more, else 0.'],
    ],
  },
];

/**
 * How a call or a job ended, with the error that the front makes of it. One with a reason carries a
 * sentence that replaces the message.
 */
const statuses = [
  { name: 'Done', code: 'ERR_ENGINE', message: 'no error' },
  { name: 'KeySize', code: 'ERR_KEY_SIZE', message: 'key has the wrong size' },
  { name: 'IvSize', code: 'ERR_IV_SIZE', message: 'iv has the wrong size' },
  { name: 'TagSize', code: 'ERR_TAG_SIZE', message: 'tag has the wrong size' },
  { name: 'OutputSize', code: 'ERR_OUTPUT_SIZE', message: 'output has the wrong size' },
  {
    name: 'SourceTooLarge',
    code: 'ERR_SOURCE_SIZE',
    message: 'source is longer than the algorithm allows',
  },
  {
    name: 'AadTooLarge',
    code: 'ERR_SOURCE_SIZE',
    message: 'aad is longer than the algorithm allows',
  },
  {
    name: 'Authentication',
    code: 'ERR_AUTHENTICATION',
    message: 'authentication failed: wrong key, nonce, aad or tag, or changed ciphertext',
  },
  {
    name: 'NotSupported',
    code: 'ERR_ENGINE',
    message: 'the engine does not support this operation',
  },
  { name: 'Engine', code: 'ERR_ENGINE', message: 'the engine failed' },
  {
    name: 'Argument',
    doc: 'An argument is not a typed array, or a range does not fit: the parser missed something, or the memory has gone.',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'a range does not fit its buffer: was it detached or resized during the call?',
  },
  {
    name: 'Overlap',
    doc: "The tag's range and the target's overlap.",
    code: 'ERR_OVERLAP',
    message: 'the range of the tag must not overlap the range of the target',
  },
  { name: 'KeyDisposed', code: 'ERR_KEY_DISPOSED', message: 'key was disposed' },
  {
    name: 'KeyAlgorithm',
    doc: 'The prepared key belongs to another algorithm.',
    code: 'ERR_KEY_ALGORITHM',
    message: 'key was prepared for another algorithm',
  },
  {
    name: 'Cancelled',
    doc: 'By an AbortSignal, which knows the reason.',
    code: 'ERR_ENGINE',
    message: 'the job was cancelled',
  },
  {
    name: 'Internal',
    doc: 'A bug of ours: the job panicked.',
    code: 'ERR_ENGINE',
    message: 'internal error: please report it',
  },
  { name: 'Memory', doc: 'Memory is short.', code: 'ERR_OUT_OF_MEMORY', message: 'out of memory' },
  {
    name: 'State',
    doc: 'The bytes are not a state of this hash, or not one that can go on.',
    code: 'ERR_STATE',
    message: 'state does not belong to this hash',
  },
  {
    name: 'CopyLimitUnset',
    doc: 'Not accepted yet: a limit for copies must be set first.',
    code: 'ERR_ENGINE',
    message: 'undecided: internal',
  },
  { name: 'SaltSize', code: 'ERR_ARGUMENT_VALUE', message: 'the salt has the wrong size' },
  {
    name: 'Cost',
    doc: 'A cost parameter that the algorithm does not define.',
    code: 'ERR_ARGUMENT_VALUE',
    message: 'a cost is outside of what the algorithm defines',
  },
  {
    name: 'MemoryLimit',
    doc: 'More working memory than the call allows.',
    code: 'ERR_MEMORY_LIMIT',
    message: 'it needs more memory than the call allows',
  },
  {
    name: 'Encoded',
    doc: 'The text is no password hash.',
    code: 'ERR_PASSWORD_HASH',
    message: 'hash is no password hash in a known form',
  },
  {
    name: 'Work',
    doc: 'A password hash that asks for more work than the call allows.',
    code: 'ERR_WORK_LIMIT',
    message: 'hash asks for more work than options.maxTime allows',
  },
  {
    name: 'KdfMemoryLimit',
    doc: 'More working memory than all derivations together may take.',
    code: 'ERR_MEMORY_LIMIT',
    message: 'it needs more memory than configure({ maxKdfMemory }) allows',
  },
  {
    name: 'Unavailable',
    doc: 'The engine that was asked for cannot do this here.',
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: 'the engine is not available',
    reason: true,
  },
  {
    name: 'TooLarge',
    doc: 'The message is too large for the engine that was asked for.',
    code: 'ERR_ENGINE_UNAVAILABLE',
    message: 'the message is larger than this engine takes',
    reason: true,
  },
  {
    name: 'File',
    doc: 'Not a regular file that can be read and stays as it is.',
    code: 'ERR_FILE_CHANGED',
    message: 'not a regular file that can be read and stays as it is',
  },
];

const constants = [
  {
    name: 'KERNEL_HANDLE_BYTES',
    value: 16,
    type: 'usize',
    doc: 'Bytes of the handle of a hash state that the kernel keeps, for any hash.',
  },
  {
    name: 'WHOLE',
    value: -1,
    type: 'f64',
    doc: 'In `At.SourceSize`: all of the source that is passed.',
  },
  {
    name: 'COMPLETION_BUFFER_BYTES',
    value: 65_536,
    type: 'usize',
    doc: 'Bytes of the completion buffer, in which results come back.',
  },
  {
    name: 'RECORD_NUMBERS',
    value: 4,
    type: 'usize',
    doc: '32-bit numbers of a record in the completion buffer before its result: slot, status, and the sizes of the two parts.',
  },
  {
    name: 'COMPLETION_RESULT_MAX',
    value: 2048,
    type: 'usize',
    doc: 'Bytes: a result of up to this size travels in the completion buffer; a larger one gets its own buffer.',
  },
  {
    name: 'REPLY_MAX',
    value: 4096,
    type: 'usize',
    doc: 'Bytes: the engine accepts no larger result for the completion buffer.',
  },
  {
    name: 'INLINE_ALONE_NS',
    value: 3500,
    type: 'u64',
    doc: 'Nanoseconds of work that is done during the call while nothing else is under way.',
  },
];

const head = 'Generated by tools/protocol.mjs. Do not edit.';
const described = (member) => (Array.isArray(member) ? member : [member, undefined]);
const shown = (value) =>
  String(value).replace(/\B(?=(\d{3})+$)/g, Math.abs(value) > 9999 ? '_' : '');
const upper = (name) => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();

function typescript() {
  const comment = (doc, indent = '') =>
    doc === undefined
      ? ''
      : block(doc.replace(/`(Flag|At|Route|EngineNumber)(\.\w+)?`/g, '{@link $1$2}'), indent);
  const body = (members, value) =>
    members
      .map(
        (member, index) =>
          `${comment(described(member)[1], '  ')}  ${described(member)[0]}${value(index)},\n`,
      )
      .join('');
  const enums = enumerations.map(
    ({ name, doc, members, bits = false }) =>
      `${comment(doc)}export const enum ${name} {\n${body(members, (index) => (bits ? ` = ${1 << index}` : ''))}}\n`,
  );
  const status = `${comment('How a call or a job ended.')}export const enum Status {\n${body(
    statuses.map(({ name, doc }) => [name, doc]),
    () => '',
  )}}\n`;
  const table = `/** The error that each status stands for. */\nexport const statusErrors: readonly (readonly [code: ErrorCode, message: string])[] = [\n${statuses.map(({ code, message }) => `  ['${code}', '${message}'],\n`).join('')}];\n`;
  const numbers = constants.map(
    ({ name, value, doc }) => `${comment(doc)}export const ${name} = ${shown(value)};\n`,
  );
  return `/**\n * The numbers that the front and the engines share.\n *\n * ${head}\n */\nimport type { ErrorCode } from './error-codes.js';\n\n${[...enums, status, table, ...numbers].join('\n')}`;
}

function rust() {
  const comment = (doc, indent = '') =>
    doc === undefined ? '' : lines(doc.replace(/`(\w+)\.(\w+)`/g, '`$1::$2`'), `${indent}/// `);
  const constant = ({ name, value, type, doc }) =>
    `${comment(doc)}pub(crate) const ${name}: ${type} = ${shown(value)}${type === 'f64' ? '.0' : ''};\n`;
  const enumeration = ({
    name,
    rust: other = name,
    doc,
    members,
    parsed = false,
    bits = false,
  }) => {
    if (bits)
      return `${comment(doc)}pub(crate) mod ${name.toLowerCase()} {\n${members.map((member, index) => `${comment(described(member)[1], '    ')}    pub(crate) const ${upper(described(member)[0])}: u32 = ${1 << index};\n`).join('')}}\n`;
    const body = members
      .map(
        (member, index) =>
          `${comment(described(member)[1], '    ')}    ${described(member)[0]} = ${index},\n`,
      )
      .join('');
    const unused = members.length > 0 && !parsed ? '#[allow(dead_code)]\n' : '';
    const made = `${comment(doc)}${unused}#[derive(Copy, Clone, Debug, PartialEq, Eq)]\npub(crate) enum ${other} {\n${body}}\n`;
    if (!parsed) return made;
    const arms = members
      .map((member, index) => `            ${index} => ${other}::${described(member)[0]},\n`)
      .join('');
    return `${made}\nimpl ${other} {\n    /// \`None\` for a number that no member has.\n    pub(crate) const fn from_number(number: u32) -> Option<${other}> {\n        Some(match number {\n${arms}            _ => return None,\n        })\n    }\n}\n`;
  };
  const arms = (each) =>
    statuses
      .map(
        (status, index) =>
          `            Status::${status.name}${status.reason ? '(_)' : ''} => ${each(status, index)},\n`,
      )
      .join('');
  const reasons = statuses
    .filter(({ reason }) => reason)
    .map(({ name }) => `Status::${name}(reason)`)
    .join(' | ');
  const status = `/// How a call or a job ended. One with a reason carries a sentence for people.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Status {
${statuses.map(({ name, doc, reason }) => `${comment(doc, '    ')}    ${name}${reason ? "(&'static str)" : ''},\n`).join('')}}

impl Status {
    pub(crate) const fn number(self) -> u32 {
        match self {
${arms((_, index) => index)}        }
    }

    pub(crate) const fn reason(self) -> Option<&'static str> {
        match self {
            ${reasons} => Some(reason),
            _ => None,
        }
    }
}
`;
  return `//! The numbers that native code and the front share. ${head}\n\n${[...enumerations.map(enumeration), status, ...constants.map(constant)].join('\n')}`;
}

const numbered = (names) => Object.fromEntries(names.map((name, index) => [name, index]));

/** For tests: indexes of the frame, and statuses, by name. */
export const frameIndexes = numbered(
  enumerations.find(({ name }) => name === 'At').members.map((member) => described(member)[0]),
);
export const statusNumbers = numbered(statuses.map(({ name }) => name));

/** The generated files, by path. */
export const generated = {
  'crates/node/src/protocol.rs': rust(),
  'src/request/protocol.ts': typescript(),
};

/** Words in lines of at most 100 columns, each after a prefix. */
function lines(text, prefix) {
  const made = [''];
  for (const word of text.split(' ')) {
    const line = made.at(-1);
    if (line === '') made[made.length - 1] = word;
    else if (prefix.length + line.length + 1 + word.length <= 100)
      made[made.length - 1] += ` ${word}`;
    else made.push(word);
  }
  return made.map((line) => `${prefix}${line}\n`).join('');
}

/** A comment of TypeScript, in one line if it fits. */
function block(text, indent) {
  const short = `${indent}/** ${text} */`;
  if (short.length <= 100) return `${short}\n`;
  return `${indent}/**\n${lines(text, `${indent} * `)}${indent} */\n`;
}

/** Text without what the formatters decide: white space, comment markers and trailing commas. */
const unformatted = (text) => text.replace(/[\s,/*]+/g, '');

/** The generated files that are not what this file describes. */
export function staleFiles() {
  return Object.keys(generated).filter(
    (path) => unformatted(readFileSync(join(root, path), 'utf8')) !== unformatted(generated[path]),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of Object.entries(generated)) writeFormatted(path, text);
}
