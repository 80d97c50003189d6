// Generates the calls of `millrace` and `millrace/promises` from one description of each, in
// tools/calls/: the overloads with their comments and the functions that run them; and, by the
// modules *-readers.mjs and option-names.mjs, what reads their arguments. Run after changing a
// description or the type of options: node tools/calls.mjs. `npm run check` fails when a generated
// file is stale.
//
// A description is an exported constant with the name of the call and a comment, in which `@later`,
// `@promised` and the like begin the comments of further overloads.

import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';

import * as ciphers from './calls/ciphers.mjs';
import * as derivations from './calls/derivations.mjs';
import * as digests from './calls/digests.mjs';
import * as hkdf from './calls/hkdf.mjs';
import * as hpke from './calls/hpke.mjs';
import * as keyWrap from './calls/key-wrap.mjs';
import * as outboards from './calls/outboards.mjs';
import * as parts from './calls/parts.mjs';
import * as publicKeys from './calls/public-keys.mjs';
import * as sealed from './calls/sealed.mjs';
import * as verifyMac from './calls/verify-mac.mjs';
import { cipherReaders } from './cipher-readers.mjs';
import { derivationReaders } from './derivation-readers.mjs';
import { digestReaders } from './digest-readers.mjs';
import { capitalized, staleOf, writeFormatted } from './format.mjs';
import { namesOfType, optionNames } from './option-names.mjs';
import { root } from './steps.mjs';

/** The modules with descriptions, by the names of their files without dashes. */
const groups = {
  ciphers,
  derivations,
  digests,
  hkdf,
  hpke,
  keyWrap,
  outboards,
  parts,
  publicKeys,
  sealed,
  verifyMac,
};

const dashed = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Texts for `millrace` and `millrace/promises`.
 *
 * @template Text
 * @typedef {Readonly<{ millrace?: Text, promises?: Text }>} Both
 */

/** An overload: the section of its comment, type parameters, parameters, result. */
/** @typedef {[section: string, types: string[], parameters: string[], result: string]} Overload */

/**
 * The properties of a description:
 *
 * - form: what its overloads are made of, see `forms`
 * - takes: the types of its arguments before options
 * - options, result: the types of these; name: that of the options, unless it is `options`
 * - required: true if the options are inputs; later: their type in an asynchronous call
 * - also: what they have beside their own in a call with a callback, and in one with a promise
 * - types: its type parameters; callback: the type of its callback, if it gets other arguments
 * - chunks: its arguments where the message is a stream; reading: the type of more options then
 * - more: further overloads
 * - given, runs: the parameters of the function, and what it returns
 * - fast: statements that return in the common cases; a function for them costs 320 instructions
 * - first: a statement before that; most: the most arguments, where `runs` does not refuse others
 * - promise: false if it returns no promise in `millrace/promises`
 * - parts: its properties that are calls, and their descriptions
 * - needs: its inputs in the message of a call without them
 * - reads, sets: see tools/derivation-readers.mjs; label: its name in messages
 * - reader, positional: see tools/cipher-readers.mjs
 * - secret, as: of a sealed stream or file, the kind of its secret and what it returns
 *
 * @typedef {object} Call
 * @property {string} form
 * @property {Readonly<Record<string, string>>} [takes]
 * @property {Both<string>} runs
 * @property {Both<Overload[]>} [more]
 */
const properties = new Set(
  (
    'form takes options result name required later chunks reading more given runs fast first ' +
    'most promise needs secret as label parts reads sets reader positional also types callback'
  ).split(' '),
);

const TARGET = 'T extends Bytes | undefined = undefined';
const ENCODING = "E extends Encoding = 'buffer'";
const MAYBE = 'E extends Encoding | undefined = undefined';

const list = (takes) => Object.entries(takes).map(([name, type]) => `${name}: ${type}`);

/** @type {(...parts: Overload) => Overload} */
const overload = (...parts) => parts;

/**
 * The overloads of each form, in both entry points. Of those with the number of arguments of a
 * wrong call TypeScript names the last, which should be that with options: they follow callbacks.
 *
 * @type {Record<string, (call: any) => Both<Overload[]>>}
 */
const forms = {
  // With options that have a target.
  call({ takes, options, result }) {
    const own = `${options} & Partial<TextTargetOptions<T>>`;
    const of = (section, more, rest, returns) =>
      overload(section, [TARGET], [...list(takes), `options: ${own}${more}`, ...rest], returns);
    const output = `Output<T, ${result}>`;
    return {
      millrace: [
        of('', '', [], output),
        of('later', ' & RouteOptions', [`callback: Callback<${output}>`], 'void'),
      ],
      promises: [of('promised', ' & CallOptions', [], `Promise<${output}>`)],
    };
  },

  // With options, and a result without a target.
  verdict({ takes, options, result }) {
    const of = (section, type, rest, returns) =>
      overload(section, [], [...list(takes), `options: ${type}`, ...rest], returns);
    return {
      millrace: [
        of('', options, [], result),
        of('later', `${options} & RouteOptions`, [`callback: Callback<${result}>`], 'void'),
      ],
      promises: [of('promised', `${options}<Data> & CallOptions`, [], `Promise<${result}>`)],
    };
  },

  // With an encoding, or options that have an encoding and a target.
  digest({ takes, options, chunks, reading }) {
    const own = `${options}<E> & Partial<TargetOptions<T>>`;
    const output = 'Output<T, Digest<E>>';
    const both = [ENCODING, TARGET];
    const all = list(takes);
    const promised = (given, section, type) => [
      overload(
        section,
        [ENCODING],
        [...list(given), 'encoding?: E', `options?: ${type}`],
        'Promise<Digest<E>>',
      ),
      overload(
        'all options',
        both,
        [...list(given), `options: ${own} & ${type}`],
        `Promise<${output}>`,
      ),
    ];
    const [first, last] = promised(takes, 'promised', reading ?? 'CallOptions');
    return {
      millrace: [
        overload('', [ENCODING], [...all, 'encoding?: E'], 'Digest<E>'),
        overload(
          'later',
          ['E extends Encoding'],
          [...all, 'encoding: E | Callback<Buffer>', 'callback?: Callback<Digest<E>>'],
          'void',
        ),
        overload('options', both, [...all, `options: ${own}`], output),
        overload(
          'all options',
          both,
          [
            ...all,
            `options: ${own} & ${reading ?? 'RouteOptions'}`,
            `callback: Callback<${output}>`,
          ],
          'void',
        ),
      ],
      promises: [first, ...(chunks ? promised(chunks, 'chunks', 'StreamOptions') : []), last],
    };
  },

  // Of many messages: without an encoding the results are in one Buffer.
  many({ takes, options }) {
    const own = `ManyOptions<${options}, E, T>`;
    const both = [MAYBE, TARGET];
    const all = list(takes);
    const promised = list({ ...takes, sources: `${takes.sources} | AsyncIterable<Message>` });
    return {
      millrace: [
        overload('', [MAYBE], [...all, 'encoding?: E'], 'ManyOutput<E>'),
        overload(
          'later',
          ['E extends Encoding'],
          [...all, 'encoding: E | Callback<Buffer>', 'callback?: Callback<Digest<E>[]>'],
          'void',
        ),
        overload('options', both, [...all, `options: ${own}`], 'ManyOutput<E, T>'),
        overload(
          'all options',
          both,
          [...all, `options: ${own} & RouteOptions`, 'callback: Callback<ManyOutput<E, T>>'],
          'void',
        ),
      ],
      promises: [
        overload(
          'promised',
          [MAYBE],
          [...promised, 'encoding?: E', 'options?: CallOptions'],
          'Promise<ManyOutput<E>>',
        ),
        overload(
          'all options',
          both,
          [...promised, `options: ${own} & CallOptions`],
          'Promise<ManyOutput<E, T>>',
        ),
      ],
    };
  },

  // Of secrets, with options that may be left out unless they are the inputs.
  derivation(call) {
    const { types = [], takes = {}, options, name = 'options', required = false, result } = call;
    const all = list(takes);
    const { later: more, promised } = call.also ?? {
      later: 'DerivationCallOptions',
      promised: 'DerivationCallOptions',
    };
    const withMore = (type) => call.later ?? (options ? `${options} & ${type}` : type);
    const asynchronous = withMore(more);
    const callback = `callback: ${call.callback ?? `Callback<${result}>`}`;
    const optional = asynchronous.includes('&') ? `(${asynchronous})` : asynchronous;
    const mark = required ? '' : '?';
    return {
      millrace: [
        overload('', types, [...all, `${name}${mark}: ${options ?? 'EngineOptions'}`], result),
        // The first serves options of type `any`, the third is for messages.
        ...(required
          ? []
          : [
              overload('later', types, [...all, callback], 'void'),
              overload('again', types, [...all, `${name}: ${options ?? 'EngineOptions'}`], result),
            ]),
        overload(
          required ? 'later' : 'later options',
          types,
          [...all, `${name}: ${required ? asynchronous : `${optional} | undefined`}`, callback],
          'void',
        ),
      ],
      promises: [
        overload(
          'promised',
          types,
          [...all, `${name}${mark}: ${withMore(promised)}`],
          `Promise<${result}>`,
        ),
      ],
    };
  },

  // As the description has them.
  written: () => ({ millrace: [], promises: [] }),
};

/** What a call has whose form is `sealed`, by its name: of a stream, or of bytes for a promise. */
function sealedCall(name, { secret, as }) {
  const verb = /^(seal|open)/.exec(name)[0];
  const secrets = secret ? { [secret]: secret === 'key' ? 'KeyInput' : 'Data' } : {};
  const own = secret ? `With${capitalized(secret)}` : '';
  const options = secret ? `${capitalized(verb)}${own}Options` : 'SealedStreamOptions';
  if (as === 'Promise')
    return {
      form: 'plain',
      takes: { ...secrets, data: verb === 'seal' ? 'Data' : 'Bytes' },
      options,
      result: 'Promise<Buffer>',
      needs: `a ${secret} and data`,
      runs: { promises: `passphrases().${name}(${secret}, data, options)` },
    };
  const work = secret
    ? `passphrases().${verb}ing${own}(${secret}, options)`
    : `sealedStreams().${verb}ing(options)`;
  return {
    form: 'plain',
    takes: secrets,
    options: secret ? `${options} & PassphraseStreamOptions` : options,
    required: !secret,
    result: as === 'Duplex' ? as : 'TransformStream<Bytes, Buffer>',
    runs: {
      promises:
        as === 'Duplex'
          ? `sealedDuplexes().duplexStream(${work})`
          : `sealedStreams().transformStream(${work})`,
    },
  };
}

/**
 * Returns a call with its arguments, as the message of one with too many shows it. Of options that
 * are inputs it has the required ones.
 *
 * @param {string} name
 * @param {string[]} parameters
 * @param {{ options?: string, required?: boolean }} [call]
 */
function formText(name, parameters, { options, required } = {}) {
  const inputs = parameters.map((parameter) => /^(\w+)(\??)/.exec(parameter).slice(1));
  const shown = inputs.map(([input, optional], index) => {
    const needed = required && index === inputs.length - 1 ? namesOfType(options, 'required') : [];
    const text = needed.length > 0 ? `{ ${needed.join(', ')} }` : input;
    const comma = index === 0 ? '' : ', ';
    return optional === '' ? `${comma}${text}` : `[${comma}${text}]`;
  });
  return `${name}(${shown.join('')})`;
}

/** Returns the text of a call without overloads. */
function plainText(name, call, comments, entry) {
  const { takes = {}, options, required, result, needs, runs } = call;
  const parameters = [...list(takes), `options${required ? '' : '?'}: ${options}`];
  const later = result.startsWith('Promise') ? 'async ' : '';
  const least = Object.keys(takes).length;
  const statements = [
    `refuseSurplus(arguments, ${parameters.length}, '${formText(name, parameters, call)}');`,
    needs &&
      `if (arguments.length < ${least}) ` +
        `throw makeError('ERR_MISSING_ARGUMENT', '${name} needs ${needs}');`,
    `return ${runs[entry]};`,
  ];
  const head = `export ${later}function ${name}(${parameters.join(', ')}): ${result}`;
  const body = statements.filter(Boolean).join('\n');
  return `${commentText(comments.get(''))}${head} {\n${body}\n}\n\n`;
}

/** Returns the text of a call whose parts are its properties; src/calls has their types. */
function partsText(name, { parts, runs }, comments, entry) {
  const body = (part) => `: unknown { return ${runs[entry].replace('$part', part)}; }`;
  const type = `${capitalized(name)}${entry === 'promises' ? 'Promises' : ''}`;
  const properties = Object.entries(parts).map(([own, part]) => `${own}()${body(part)},\n`);
  return `${commentText(comments.get(entry === 'promises' ? 'promised' : ''))}\
export const ${name}: ${type} = /* @__PURE__ */ Object.assign(
  function ${name}()${body(name)},
  { ${properties.join('')} },
) as ${type};\n`;
}

/** The comments of overloads whose descriptions have none. */
const usual = {
  'all options': 'Works like the form above, with all options in one object.',
};

/** Returns the sections of a comment, by the tags that begin them; the first has none. */
function sectionsOf(comment) {
  const sections = new Map([['', []]]);
  let section = '';
  for (const line of comment.split('\n').map((each) => each.replace(/^ *\* ?/, ''))) {
    const [, tag] = /^@(options|later|promised|chunks|more\d)$/.exec(line) ?? [];
    if (tag !== undefined) sections.set((section = tag), []);
    else sections.get(section).push(line);
  }
  return new Map(
    [...sections].map(([tag, lines]) => [tag, lines.join('\n').replace(/^\n+|\s+$/g, '')]),
  );
}

/** Returns the comments of the descriptions in a file, by their names. */
function commentsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/\/\*\n((?:(?!\*\/)[^])*)\*\/\nexport const (\w+)/g);
  return new Map([...found].map(([, comment, name]) => [name, sectionsOf(comment)]));
}

/** Returns a comment as it stands in TypeScript. */
function commentText(text) {
  if (text === undefined) return '';
  if (!text.includes('\n') && text.length <= 92) return `/** ${text} */\n`;
  return `/**\n${text.replace(/^/gm, ' * ').replace(/ +$/gm, '')}\n */\n`;
}

/** What modules of each platform export. */
const platform = {
  '#platform/base/runtime.js': ['Buffer'],
  '#platform/base/stream-types.js': ['Duplex', 'TransformStream'],
  '#platform/engines/parts.js': ['provideCiphers', 'providePasswords'],
  '#platform/streams/files.js': ['FileSource'],
  '#platform/streams/sealed.js': ['passphrases', 'sealedDuplexes', 'sealedParts', 'sealedStreams'],
};

/**
 * Returns the modules of src that export something by itself, by its name, and its kind. `readers`
 * are the texts of generated modules, by their paths.
 */
function exportsOfSource(readers) {
  const found = new Map();
  for (const [module, names] of Object.entries(platform))
    for (const name of names) found.set(name, [{ module, type: /^[A-Z]/.test(name) }]);
  const generated = new Set([...Object.keys(groups).flatMap(filesOf), ...readers.keys()]);
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => /^src\/(?!portable|compat|age).*(?<!\.browser|\.node)\.ts$/.test(file))
    .filter((file) => !generated.has(file));
  const texts = files.map((file) => [file, readFileSync(join(root, file), 'utf8')]);
  for (const [module, text] of [...texts, ...readers]) {
    const exported =
      /^export (?:declare )?(type|interface|const enum|const|class|(?:async )?function\*?) (\w+)/gm;
    for (const [, kind, name] of text.matchAll(exported))
      found.set(name, [
        ...(found.get(name) ?? []),
        { module, type: /^(type|interface)$/.test(kind) },
      ]);
  }
  return found;
}

/** The files of a group: for `millrace`, and for `millrace/promises`. */
const filesOf = (group) =>
  ['functions', 'functions/promises'].map((folder) => `src/${folder}/${dashed(group)}.ts`);

/** Returns the import declarations of what a text mentions. */
function importsOf(text, file, known) {
  const modules = new Map();
  const code = text.replace(/\/\*\*[^]*?\*\/|'[^'\n]*'/g, '');
  // Its own functions, constants and parameters.
  const named = code.matchAll(/(?:function|const) (\w+)|(\w+)\??:/g);
  const own = new Set([...named].map(([, name, parameter]) => name ?? parameter));
  for (const [name] of code.matchAll(/(?<![.\w'])[A-Za-z]\w+/g)) {
    const found = known.get(name);
    // The names that it exports itself are none to import.
    if (found === undefined || own.has(name) || found[0].module === file) continue;
    const near = found.filter(({ module }) => posix.dirname(module) === posix.dirname(file));
    const [one, ...others] = near.length > 0 ? near : found;
    if (others.length > 0) throw new Error(`${file}: ${name} is exported by several modules`);
    const { module, type } = one;
    const path = module.startsWith('#')
      ? module
      : posix
          .relative(posix.dirname(file), module)
          .replace(/^(?!\.)/, './')
          .replace(/ts$/, 'js');
    if (!modules.has(path)) modules.set(path, new Map());
    modules.get(path).set(name, type);
  }
  const ranked = [...modules].sort(([left], [right]) => (left < right ? -1 : 1));
  return ranked
    .map(([path, names]) => {
      const types = [...names.values()].every(Boolean);
      const each = [...names]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, type]) => (type && !types ? `type ${name}` : name));
      return `import ${types ? 'type ' : ''}{ ${each.join(', ')} } from '${path}';\n`;
    })
    .join('');
}

/** Returns the text of a call in an entry point: its overloads and the function. */
function callText(name, call, comments, entry) {
  const unknown = Object.keys(call).find((property) => !properties.has(property));
  if (unknown !== undefined) throw new Error(`tools/calls: ${name}.${unknown} is no property`);
  if (call.form === 'sealed') return callText(name, sealedCall(name, call), comments, entry);
  const { runs, first = {}, fast = {}, given = {}, more = {}, most } = call;
  if (runs[entry] === undefined) return '';
  if (call.form === 'plain') return plainText(name, call, comments, entry);
  if (call.form === 'parts') return partsText(name, call, comments, entry);
  const described = [...forms[call.form](call)[entry], ...(more[entry] ?? [])];
  const overloads = described.map(([section, types, parameters, result]) => {
    const generic = types.length === 0 ? '' : `<${types.join(', ')}>`;
    const comment = commentText(comments.get(section) ?? usual[section]);
    return `${comment}export function ${name}${generic}(${parameters.join(', ')}): ${result};\n`;
  });
  const longest = Math.max(...described.map(([, , parameters]) => parameters.length));
  const whole = described.find(([, , parameters]) => parameters.length === longest)[2];
  const returns = entry === 'promises' && call.promise !== false ? 'Promise<unknown>' : 'unknown';
  const statements = [
    most &&
      `if (arguments.length > ${most}) ` +
        `refuseSurplus(arguments, ${most}, '${formText(name, whole)}');`,
    first[entry] && `${first[entry]};`,
    fast[entry],
    `return ${runs[entry]};`,
  ];
  const body = statements.filter(Boolean).join('\n');
  const head = `export function ${name}(${given[entry] ?? ''}): ${returns}`;
  return `${overloads.join('')}${head} {\n${body}\n}\n\n`;
}

/** Returns the path of a file and its text with imports. */
const importing = (known, file, about, text) =>
  /** @type {const} */ ([file, `${about}${importsOf(text, file, known)}\n${text}`]);

/** Returns the texts of all generated files, by their paths. */
export function generated() {
  const readers = [cipherReaders(), derivationReaders(), ...digestReaders()];
  const known = exportsOfSource(new Map(readers.map(([file, , text]) => [file, text])));
  return new Map(
    Object.entries(groups)
      .flatMap(([group, module]) => {
        const description = `tools/calls/${dashed(group)}.mjs`;
        const comments = commentsOf(description);
        const { default: about, ...calls } = module;
        return filesOf(group).flatMap((file, index) => {
          const entry = index === 0 ? 'millrace' : 'promises';
          const text = [...comments]
            .map(([name, sections]) => callText(name, calls[name], sections, entry))
            .join('');
          if (text === '') return [];
          const place = index === 0 ? '`millrace`' : '`millrace/promises`';
          const head =
            `/**\n * ${about} of ${place}.\n *\n` +
            ` * Generated by tools/calls.mjs from ${description}. Do not edit.\n */\n`;
          return [importing(known, file, head, text)];
        });
      })
      .concat(
        [optionNames()],
        readers.map((each) => importing(known, ...each)),
      ),
  );
}

/** Returns the files that are not as they would be written. */
export const staleFiles = () => staleOf(generated());

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  for (const [file, text] of generated()) writeFormatted(file, text);
