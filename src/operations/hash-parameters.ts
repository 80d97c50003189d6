/**
 * The options of hashes that only some of them take (catalog/parameters.ts), from options to the
 * block that travels in the place of a key.
 */
import { hashParameterOptionNames } from '../base/option-names.js';
import { data, unsigned } from '../base/arguments.js';
import { makeError, wrongType, type MillraceError } from '../base/errors.js';
import { keyEngines } from '../request/key.js';
import type { KeyMaterial } from '../request/key-input.js';
import type { Words } from '../base/options.js';
import { readSecret, SecretKinds } from '../base/secret-copy.js';
import { secretCopy } from '../base/secret-memory.js';
import { hashNamesWith } from '../catalog/catalog.js';
import type { HashFacts } from '../catalog/facts.js';
import type { EnginePreference } from '../engines/engines.js';
import {
  checkParameter,
  parameterBlock,
  takesNo,
  type Parameter,
  type ParameterName,
} from '../catalog/parameters.js';
import { takes, type Takes } from '../scheduling/routes.js';
import { givenKey } from './kept-keys.js';
import { checkKeySize, extendedKey, hashTarget, keyedBlock } from './key.js';
import type { HashOptions, HashParameterOptions } from '../calls/digests.js';

/** Parameters that are numbers, then those that are strings; the others are bytes or strings. */
const NUMBERS: readonly ParameterName[] = ['domain', 'blockSize'];
const TEXTS: readonly ParameterName[] = ['context'];

/** The options that every hash takes. */
export type PlainHashOptions = Omit<HashOptions, keyof HashParameterOptions>;

/** The option tables of a function for hashes with and without parameters. */
export interface HashTakes<Own extends PropertyKey> extends Takes<Own> {
  readonly parameters: Takes<Own | keyof HashParameterOptions>;
}

/** Makes the option tables of a function that hashes. */
export function takesHash<Text extends string>(
  signature: string,
  ...own: Text[]
): HashTakes<Words<Text>> {
  const { plain, promised } = takes(signature, ...own);
  return {
    plain: { ...plain, refuse: refuseParameter },
    promised: { ...promised, refuse: refuseParameter },
    parameters: takes<any>(signature, ...own, hashParameterOptionNames),
  };
}

/** Returns the error for an option that only other hashes take. */
export function refuseParameter(name: string, argument: string): MillraceError | undefined {
  if (!hashParameterOptionNames.split(' ').includes(name)) return undefined;
  return makeError(
    'ERR_ARGUMENT_VALUE',
    `${argument}.${name} is not an option of this algorithm; it takes no ${name}, as ` +
      `${hashNamesWith(name as ParameterName).join(', ')} do`,
  );
}

/** The parameters that a caller gives: the key, which is parsed last, and the others. */
export interface GivenParameters {
  readonly key: unknown;
  readonly values: readonly Parameter[];
}

/** Reads the parameters of a hash; undefined without any. `size` is the digest's. */
export function readParameters(
  given: HashParameterOptions,
  key: unknown,
  size: number,
  facts: HashFacts,
): GivenParameters | undefined {
  const ranges = facts.parameters;
  if (ranges === null) {
    if (key !== undefined) checkKeyed(facts);
    return undefined;
  }
  // Not in a loop: most calls pass a key only, and short ones take as long as this.
  const { salt, personalization, context, customization, functionName, domain, blockSize } = given;
  const values: Parameter[] = [];
  if (salt !== undefined) values.push(read('salt', salt, facts));
  if (personalization !== undefined) values.push(read('personalization', personalization, facts));
  if (context !== undefined) values.push(read('context', context, facts));
  if (customization !== undefined) values.push(read('customization', customization, facts));
  if (functionName !== undefined) values.push(read('functionName', functionName, facts));
  if (domain !== undefined) values.push(read('domain', domain, facts));
  if (blockSize !== undefined) values.push(read('blockSize', blockSize, facts));
  if (ranges.outputLength !== undefined && size !== facts.digestSize)
    values.push(['outputLength', size]);
  if (key === undefined) {
    checkKeyGiven(facts);
    return values.length === 0 ? undefined : { key, values };
  }
  checkKeyed(facts);
  if (context !== undefined)
    throw makeError('ERR_ARGUMENT_VALUE', 'options.key and options.context exclude each other');
  return { key, values };
}

function read(name: keyof HashParameterOptions, value: unknown, facts: HashFacts): Parameter {
  const range = facts.parameters?.[name];
  if (range === undefined) throw takesNo(name, facts.name);
  const option = `options.${name}`;
  if (TEXTS.includes(name) && typeof value !== 'string') throw wrongType(option, 'a string', value);
  // Copied: getters of later options may change the caller's memory.
  const parsed = NUMBERS.includes(name) ? unsigned(value, option) : secretCopy(data(value, option));
  checkParameter(name, parsed, range, facts.name);
  return [name, parsed];
}

/** Throws for a hash that needs a key: there is none. */
export function checkKeyGiven({ keyRequired, name }: HashFacts): void {
  if (keyRequired)
    throw makeError('ERR_MISSING_ARGUMENT', `options.key must be given: ${name} is a MAC`);
}

/** Checks that a hash takes a key. */
function checkKeyed(facts: HashFacts): void {
  if (facts.parameters?.key !== undefined) return;
  const hint = facts.hmac ? `; hmac('${facts.name}', key, data) does` : '';
  throw makeError('ERR_ARGUMENT_VALUE', `options.key: ${facts.name} takes no key${hint}`);
}

/**
 * Returns what travels in the place of the key: a raw or prepared key, or a block. Call it after
 * all other arguments are read (secret-copy.ts). `asked` are the engines that the call asks for.
 */
export function hashKey(
  given: GivenParameters | undefined,
  facts: HashFacts,
  asked: EnginePreference | undefined,
): Exclude<KeyMaterial, string> | undefined {
  if (given === undefined) return undefined;
  const { key, values } = given;
  if (key === undefined) return parameterBlock(values);
  const target = hashTarget(facts);
  const prepared = givenKey(key, target, asked);
  if (prepared !== undefined) return keyEngines(extendedKey(prepared, facts, values), facts.name);
  const secret = readSecret(key, 'options.key', SecretKinds.Prepared);
  checkKeySize(target, secret, 'options.key');
  return target.block ? keyedBlock(secret, values) : secret;
}
