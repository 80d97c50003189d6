// Generates src/operations/cipher.ts: the parsers of seal, open and cipher, the tables of their
// options, and the functions that read them and fill a request, from the rows `reader` of
// tools/calls/ciphers.mjs. A row names first what is read, in this order, then what goes into the
// request. They are straight-line code: a function for each step takes longer than a short message.

import * as calls from './calls/ciphers.mjs';
import { capitalized } from './format.mjs';
import { namesOfType } from './option-names.mjs';

const file = 'src/operations/cipher.ts';

/** The statements that read an argument, by its kind. All getters run before any memory is read. */
const reads = {
  aead: "const facts = aeadFacts('$name', algorithm);",
  options: `
    type Name = Words<typeof $list | typeof targetOptionNames | typeof routeOptionNames>;
    let own: Record<Name, unknown>;
    if (!isOptions(given)) throw wrongType('options', 'an object', given);
    try {
      own = (slowBare ? bare({ ...given }) : { ...given, __proto__: null }) as never;
    } catch (error) {
      throw unreadable(given, 'options', error);
    }
    checkNames(own, 'options', accepted);
    const { $names } = own;`,
  positional: `
    const tag = count === 7 ? given[6] : undefined;
    const { 1: encrypt, 2: key, 3: iv, 4: source } = given;
    const target = undefined;`,
  // Seven arguments have an aad, which must not be undefined.
  seven: `
    const aad = count === 7 ? data(given[5], 'aad') : undefined;`,
  commit: `
    if (commits(commit)) {
      fillCommitted$own(facts, own);
      return;
    }`,
  engine: 'const preference = readEnginePreference(engine);',
  direction: 'const operation = direction(encrypt);',
  tagSize: 'const tagSize = appendedTagSize(authTagLength, facts);',
  text: `
    const text = messageBytes(source, target);
    const size = sizeOfFound(text, 'source');
    limitSource(size, facts);`,
  sealed: `
    const text = findBytes(source, 'source');
    const prefix = nonce === undefined ? facts.ivSize : 0;
    const whole = sizeOfFound(text, 'source');
    const size = whole - prefix - tagSize;
    if (size < 0) throw shortSource(prefix, tagSize, whole);
    limitSource(size, facts);`,
  iv: "const first = readIv(iv, facts, 'iv');",
  nonce: "const first = nonce === undefined ? undefined : readIv(nonce, facts, 'nonce');",
  aad: 'const extra = readAad(aad, facts);',
  tag: 'const code = readTag(tag, facts);',
  room: 'const room = (first === undefined ? facts.ivSize : 0) + size + tagSize;',
  place: 'const place = readTarget(target, targetOffset, $room);',
  route: 'const wanted = readRoute(route);',
  key: 'const secret = readCipherKey(key, facts, preference);',
  // Reading the key may have run other calls, which use the scratch memory too.
  again: 'if (mayHaveRunCode(secret)) messageBytes(source, target);',
  // Last, because the nonce is valid until the next call only.
  random:
    'const random = first === undefined ? randomNonce(facts.ivSize, usesOf(secret)) : undefined;',
};

/** The statements that put it into the request. */
const sets = {
  Seal: 'beginRequest(Operation.Seal, facts.id, text, 0, size);',
  Open: 'beginRequest(Operation.Open, facts.id, text, prefix, size + tagSize);',
  direction: 'beginRequest(operation, facts.id, text, 0, size);',
  tagSize: 'frame[At.TagSize] = tagSize;',
  key: 'setKeyInput(secret);',
  iv: 'setIv(first, 0, sizeOf(first));',
  nonceOrRandom: `
    if (first !== undefined) setIv(first, 0, sizeOf(first));
    else setIv(random!.memory, random!.offset, facts.ivSize);`,
  nonceBefore: `
    if (first === undefined) setIv(text, 0, prefix);
    else setIv(first, 0, sizeOf(first));`,
  aad: 'if (extra !== NO_BYTES) setAad(extra, 0, sizeOf(extra));',
  tag: 'if (code !== undefined) setTag(code, 0, sizeOf(code));',
  place: `
    if (place === undefined) setResult($room, Form.Buffer);
    else setTarget(place.target, place.offset, $room);`,
  result: 'setResult(size, Form.Buffer);',
  prefix: 'if (first === undefined) setPrefix(facts.ivSize);',
  asked: `
    if (preference !== undefined) setEngines(preference);
    if (wanted !== undefined) setRoute(wanted);`,
};

/** Returns the text of a function with this name and head that reads and sets what a row names. */
function functionText(name, head, [read, set], values) {
  const steps = [
    ...read.split(' ').map((step) => reads[step]),
    ...set.split(' ').map((step) => sets[step]),
  ];
  const statements = steps
    .map((step) => step.trim())
    .join('\n')
    .replace(/\$(\w+)/g, (_, key) => values[key]);
  return `function ${name}(\n${head}): void {\n${statements}\n}\n\n`;
}

/** Returns the text of the table of a call's options. */
const tableText = (name, options, list) => `
const ${name}Table: Takes<keyof (${options} & TextTargetOptions)> = takes(
  '${name}(algorithm)',
  ${list},
  targetOptionNames,
);

`;

/** Returns the text of a call with options only, and of its synchronous form. */
function optionsText(name, options, reader, values) {
  const own = capitalized(name);
  const head = 'algorithm: unknown,\ngiven: unknown,\naccepted: Accepted<any>,\n';
  return `/** \`(algorithm, options)\` of ${name}. */
export const ${name}Parser: Parser = { fill: fill${own}, counts: [2], options: 1 };
${tableText(name, options, values.list)}
function fill${own}(given: ArrayLike<unknown>, count: number, promised?: boolean): void {
  if (count < 2 || given[1] === undefined)
    throw makeError('ERR_MISSING_ARGUMENT', '${name} needs an algorithm and an options object');
  if (count > 2)
    throw wrongCount('${name}(algorithm, options[, callback])', given, count, promised);
  read${own}(given[0], given[1], promised ? ${name}Table.promised : ${name}Table.plain);
}

/** Runs \`${name}(algorithm, options)\` on the calling thread. */
export function ${name}Sync(algorithm: unknown, given: object): unknown {
  try {
    read${own}(algorithm, given, ${name}Table.plain);
    if (request.routed) throw routedSync();
  } catch (error) {
    clearRequest();
    throw error;
  }
  return runFilled();
}

${functionText(`read${own}`, head, reader, values)}`;
}

/** Returns the text of a call with options, or 5 arguments, or 7 with aad and tag. */
function positionalText(name, options, reader, positional, values) {
  const own = capitalized(name);
  const head = 'facts: CipherFacts,\ngiven: unknown,\naccepted: Accepted<any>,\n';
  const listed =
    'facts: CipherFacts,\ngiven: ArrayLike<unknown>,\ncount: number,\n' +
    'preference: EnginePreference | undefined,\n';
  return `/** \`(algorithm, options)\` of ${name}, or 5 arguments, or 7 with aad and tag. */
export const ${name}Parser: Parser = { fill: fill${own}, counts: [2, 5, 7], options: 1 };
${tableText(name, options, values.list)}
function fill${own}(
  given: ArrayLike<unknown>,
  count: number,
  promised?: boolean,
  asked?: EnginePreference,
): void {
  if (count < 2)
    throw makeError('ERR_MISSING_ARGUMENT', '${name} needs an algorithm and an options object');
  const facts = cipherFacts(given[0]);
  if (count === 2) {
    if (given[1] === undefined)
      throw makeError('ERR_MISSING_ARGUMENT', '${name} needs an options object');
    read${own}(facts, given[1], promised ? ${name}Table.promised : ${name}Table.plain);
  } else if (count === 5 || count === 7) read${own}Positional(facts, given, count, asked);
  // A boolean is the direction of a call by position.
  else if (count === 3 && typeof given[1] !== 'boolean')
    throw wrongCount('${name}(algorithm, options[, callback])', given, count, promised);
  else throw surplusArguments('${name} takes 2, 5 or 7 arguments', count);
}

${functionText(`read${own}`, head, reader, values)}
${functionText(`read${own}Positional`, listed, positional, values)}`;
}

/** Returns the text of a call. */
function callText(name, { options, reader, positional }) {
  const values = {
    name,
    own: capitalized(name),
    list: `${options[0].toLowerCase()}${options.slice(1, -1)}Names`,
    names: [...namesOfType(`${options} & TextTargetOptions`), 'route'].join(', '),
    room: reader[0].includes('room') ? 'room' : 'size',
  };
  return positional === undefined
    ? optionsText(name, options, reader, values)
    : positionalText(name, options, reader, positional, values);
}

/** Returns the path of the file, its comment and its text without imports. */
export function cipherReaders() {
  const about =
    '/**\n * seal, open and cipher: from arguments to a request.\n *\n' +
    ' * Generated by tools/cipher-readers.mjs from tools/calls/ciphers.mjs. Do not edit.\n */\n';
  const text = Object.entries(/** @type {Record<string, any>} */ (calls))
    .filter(([, { reader }]) => reader !== undefined)
    .map(([name, call]) => callText(name, call))
    .join('');
  return /** @type {const} */ ([file, about, `provideCiphers();\n\n${text}`]);
}
