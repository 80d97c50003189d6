// The documentation site. The Markdown files of the repository are copied into docs/.site/pages,
// TypeDoc adds the API reference, VitePress builds docs/.site/dist, and every link is checked.
//
//   npm run docs                builds
//   npm run docs -- --serve     builds, then serves on http://127.0.0.1:4173

import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, posix, relative } from 'node:path';

import { home } from '../docs/.vitepress/about.mjs';
import { installed, npm } from './install.mjs';
import { deadPageLinks, withoutCode } from './links.mjs';
import { serve } from './serve.mjs';
import { Stop, probe, root, skipped, step } from './steps.mjs';

const folder = join(root, 'docs');
const staging = join(folder, '.site');
const pages = join(staging, 'pages');
/** The built site. */
export const site = join(staging, 'dist');

/** Pages that come from files outside docs/. */
const outside = {
  'README.md': 'index.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
  'ARCHITECTURE.md': 'internals/architecture.md',
  'CONTRIBUTING.md': 'internals/contributing.md',
  'crates/pool/README.md': 'internals/pool.md',
};

/** The errors of npm if it cannot reach its registry, or a package is not there. */
const unreachable =
  /\bcode (E(?:AI_AGAIN|NOTFOUND|CONN\w+|TIMEDOUT|NET\w+|SOCKETTIMEOUT|[45]\d\d))\b/;

/**
 * Builds the site. Needs the built package: TypeDoc reads its declarations, the live page runs its
 * browser files. With `required: false` it reports instead that the packages cannot be fetched.
 */
export async function buildSite({ required = true } = {}) {
  if (!installed(folder)) {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=1'];
    const [command, args, options] = npm(['ci', ...flags]);
    const answer = await probe(command, args, { ...options, cwd: folder });
    if (answer?.code !== 0) {
      const [, reason] = unreachable.exec(answer?.all ?? '') ?? [];
      if (!required && reason !== undefined)
        return skipped('documentation site', `its packages cannot be fetched (${reason})`);
      throw new Stop(`millrace: npm ci in docs failed: ${answer?.all ?? 'npm was not found'}`);
    }
  }
  rmSync(staging, { recursive: true, force: true });
  copyPages();
  await writeReference();
  const vitepress = join(folder, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  await step('build the site', process.execPath, [vitepress, 'build', folder]);
  const dead = deadPageLinks(site);
  if (dead.length > 0) throw new Stop(`millrace: dead links in the site:\n${dead.join('\n')}`);
}

export async function docs(args) {
  await buildSite();
  console.log(`The site is in ${relative(process.cwd(), site) || '.'}.`);
  if (!args.includes('--serve')) return 0;
  const { url } = await serve({ port: 4173, folder: site });
  console.log(`Serving it on ${url}. Press Ctrl-C to stop.`);
  return new Promise(() => {});
}

function copyPages() {
  const staged = new Map(Object.entries(outside).filter(([file]) => existsSync(join(root, file))));
  for (const name of readdirSync(join(folder, 'recipes')))
    staged.set(`docs/recipes/${name}`, `recipes/${name}`);
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.md')) staged.set(`docs/${name}`, name);
  }
  for (const [file, page] of staged) {
    const text = readFileSync(join(root, file), 'utf8');
    const moved = moveLinks(text, file, page, staged);
    write(join(pages, page), page === 'index.md' ? homePage(moved) : moved);
  }
  // The page imports ../../dist/browser; both keep their places below the root of the site.
  cpSync(join(folder, 'page'), join(pages, 'public', 'live', 'page'), { recursive: true });
  cpSync(join(root, 'dist', 'browser'), join(pages, 'public', 'dist', 'browser'), {
    recursive: true,
    filter: (path) => !/\.d\.[cm]?ts$|\.cjs$/.test(path),
  });
}

/** Returns README.md below a first screen, which has its title, first sentence and chart. */
function homePage(text) {
  const rest = text.replace(/^# .+\n+.+\n+/, '').replace(/^!\[.*\]\(\S*sealing\.svg\)\n+/m, '');
  return `---\n${JSON.stringify(home)}\n---\n\n${rest}`;
}

/** Links to files that are pages point to those; links to other files become plain text. */
function moveLinks(text, file, page, staged) {
  return withoutCode(text, (prose) =>
    prose.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, image, label, target) => {
      if (/^[a-z]+:|^#/.test(target)) return link;
      const [path, anchor] = target.split('#');
      const named = posix.join(posix.dirname(file), path);
      const to =
        named === 'docs/page/index.html' ? 'try.md' : (staged.get(named) ?? picture(named));
      if (to === undefined) return existsSync(join(root, named)) ? label : link;
      const moved = posix.relative(posix.dirname(page), to);
      const url = moved.startsWith('.') ? moved : `./${moved}`;
      return `${image}[${label}](${url}${anchor === undefined ? '' : `#${anchor}`})`;
    }),
  );
}

function picture(path) {
  return extname(path) === '.svg' ? basename(path) : undefined;
}

/** Writes the API reference: one page for each export of each entry point. */
async function writeReference() {
  const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const modules = Object.entries(entries)
    // The modules of a pattern are those of the entry point before it.
    .filter(([name]) => !/^\.\/(package\.json|.+\/dist\/)|\*/.test(name))
    .map(([name, conditions]) => [posix.join('millrace', name), declarations(conditions)]);
  const tsconfig = join(staging, 'tsconfig.json');
  const options = join(staging, 'typedoc.json');
  const prettier = join(staging, 'prettier.json');
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    module: 'node20',
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    skipLibCheck: true,
    noEmit: true,
  };
  write(prettier, JSON.stringify({ printWidth: 46, singleQuote: true }));
  write(tsconfig, JSON.stringify({ compilerOptions, files: modules.map(([, file]) => file) }));
  write(
    options,
    JSON.stringify({
      tsconfig,
      entryPoints: modules.map(([, file]) => file),
      modules: Object.fromEntries(modules.map(([name, file]) => [file, name])),
      plugin: [
        join(folder, '.vitepress', 'typedoc.mjs'),
        'typedoc-plugin-markdown',
        'typedoc-vitepress-theme',
      ],
      theme: 'millrace',
      // Signatures and examples fit a phone.
      formatWithPrettier: true,
      prettierConfigFile: prettier,
      pageTitleTemplates: { index: '{projectName}', module: '{name}', member: '{name}' },
      out: join(pages, 'api'),
      docsRoot: pages,
      name: 'API reference',
      readme: 'none',
      entryFileName: 'index',
      hideBreadcrumbs: true,
      hidePageHeader: true,
      disableSources: true,
      excludeInternal: true,
      excludeExternals: true,
      externalSymbolLinkMappings: {
        '@types/node': {
          '__global.Buffer': 'https://nodejs.org/api/buffer.html#class-buffer',
          '__global.BufferEncoding':
            'https://nodejs.org/api/buffer.html#buffers-and-character-encodings',
          '"crypto".KeyObject': 'https://nodejs.org/api/crypto.html#class-keyobject',
          '"crypto".webcrypto.CryptoKey': 'https://nodejs.org/api/webcrypto.html#class-cryptokey',
          '*': 'https://nodejs.org/api/stream.html',
        },
      },
      excludePrivate: true,
      sortEntryPoints: false,
      groupOrder: ['Functions', 'Classes', 'Variables', 'Interfaces', 'Type Aliases', '*'],
      useCodeBlocks: true,
      expandParameters: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      typeDeclarationFormat: 'table',
      validation: { invalidLink: true, notExported: false, notDocumented: false },
      treatValidationWarningsAsErrors: true,
      logLevel: 'Warn',
    }),
  );
  const typedoc = join(folder, 'node_modules', 'typedoc', 'bin', 'typedoc');
  await step('write the API reference', process.execPath, [typedoc, '--options', options], {
    cwd: folder,
  });
}

/** Returns the declarations that `require` resolves to. */
function declarations(conditions) {
  if (typeof conditions === 'string')
    return join(root, conditions.replace(/(?<!\.d)\.([cm]?)js$/, '.d.$1ts'));
  const known = ['node', 'require', 'types', 'default'];
  const first = Object.keys(conditions).find((name) => known.includes(name));
  return declarations(conditions[first]);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
