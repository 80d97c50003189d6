// Generates src/base/option-names.ts: the names of options, from the interfaces that declare them.
// A constant `sealOptionNames` has those of `SealOptions`, with what it inherits. `bare` has the
// names that the calls for short messages take.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './steps.mjs';

const file = 'src/base/option-names.ts';

/** Returns the files of src that may use the names; millrace/portable has options of its own. */
function sources() {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!portable|compat).*(?<!\.browser)\.ts$/.test(path.replaceAll('\\', '/')))
    .map((path) => readFileSync(join(root, 'src', path), 'utf8'));
}

/** Returns the parts of a list of types, separated by `&` or `,` outside of brackets. */
function partsOf(types) {
  const parts = [''];
  let depth = 0;
  for (const character of types) {
    if ('<({['.includes(character)) depth += 1;
    if ('>)}]'.includes(character)) depth -= 1;
    if (depth === 0 && '&,'.includes(character)) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** Returns the declared interfaces and aliases: the types that they extend, and their own names. */
function declarationsOf(texts) {
  const found = new Map();
  for (const text of texts) {
    const code = text.replace(/\/\*[^]*?\*\//g, '');
    const interfaces =
      /^(?:export )?interface (\w+)(?:<[^{]*?>)?(?:\s+extends\s+([^{]*))? \{(\}|[^]*?\n\})/gm;
    for (const [whole, name, extended = '', body] of code.matchAll(interfaces))
      if (whole.startsWith('export') || !found.has(name))
        found.set(name, {
          parts: partsOf(extended),
          own: [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, own]) => own),
          required: [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, own]) => own),
        });
    for (const [, name, types] of code.matchAll(
      /^(?:export )?type (\w+Options)(?:<.*>)? =([^;]*);/gm,
    ))
      found.set(name, { parts: partsOf(types), own: [], required: [] });
  }
  return found;
}

/**
 * Returns the names of the properties of a type, or of those that are `required`.
 *
 * @param {'own' | 'required'} [kind]
 */
function namesOf(type, declared, kind = 'own') {
  const [, helper, inner] = /^(Omit|Pick|Partial|keyof)\b[<\s]([^]*?)>?$/.exec(type) ?? [];
  if (helper === 'Partial' && kind === 'required') return [];
  if (helper === 'Partial' || helper === 'keyof') return namesOf(inner, declared, kind);
  if (helper !== undefined) {
    const [of, chosen] = partsOf(inner);
    const names = chosen.startsWith('keyof')
      ? namesOf(chosen, declared)
      : [...chosen.matchAll(/'(\w+)'/g)].map(([, name]) => name);
    return namesOf(of, declared, kind).filter(
      (name) => names.includes(name) === (helper === 'Pick'),
    );
  }
  // Those of streams are of Node.js, if there are any.
  if (type === 'TransformOptions') return [];
  const found = declared.get(type.replace(/<[^]*$/, ''));
  if (found === undefined) throw new Error(`${file}: there is no ${type}`);
  const inherited = found.parts.flatMap((part) => namesOf(part, declared, kind));
  return [...new Set([...found[kind], ...inherited])];
}

/**
 * Returns the names of the properties of a type that src declares, or of those that are `required`.
 *
 * @param {'own' | 'required'} [kind]
 */
export const namesOfType = (type, kind) =>
  partsOf(type).flatMap((part) => namesOf(part, declarationsOf(sources()), kind));

/** What the calls take that copy options with their prototype. */
const BARE =
  'SealOptions & OpenOptions & CipherOptions & TextTargetOptions & PlainHashOptions & ' +
  'HmacOptions & TargetOptions & RouteOptions';

/** Returns the text of the function that removes a prototype from a copy of such options. */
function bareText() {
  const names = [...new Set(namesOfType(BARE))].sort();
  const absent = names.map((name) => `${name} === undefined`).join(' && ');
  return `
/** An object literal, which inherits what others do. */
const literal: Readonly<Record<string, unknown>> = {};

/**
 * Returns a copy \`{ ...given }\` of the options of hash, hmac, seal, open and cipher, without a
 * prototype if the name of one is inherited. V8 folds the reads into constants.
 */
export function bare<T extends object>(own: T): T {
  const { ${names.join(', ')} } = literal;
  return ${absent} ? own : { ...own, __proto__: null };
}
`;
}

/** Returns the text of the file, with the names that some other file imports. */
export function optionNames() {
  const texts = sources();
  const declared = declarationsOf(texts);
  const imports = texts.flatMap((text) =>
    [...text.matchAll(/import \{([^}]*)\} from '[^']*option-names\.js'/g)].flatMap(([, names]) =>
      names.split(',').map((name) => name.trim()),
    ),
  );
  const constants = [...new Set(imports)].filter((name) => name.endsWith('Names')).sort();
  const lines = constants.map((constant) => {
    const stem = constant.replace(/Names$/, '').toLowerCase();
    const type = [...declared.keys()].find((name) => name.toLowerCase().replace(/s$/, '') === stem);
    if (type === undefined) throw new Error(`${file}: no interface has the names ${constant}`);
    return `export const ${constant} = '${namesOf(type, declared).join(' ')}';\n`;
  });
  const head = '/** Names of options. Generated by tools/option-names.mjs. Do not edit. */\n';
  return /** @type {const} */ ([file, `${head}${lines.join('')}${bareText()}`]);
}
