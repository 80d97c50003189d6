// Empty projects in which a rehearsal installs Millrace as a user does, and the programs it runs
// there: the quick start of README.md and `millrace sum`.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { findManagers } from '../managers.mjs';
import { probe, root } from '../steps.mjs';
import { place as rehearsal } from './fetch.mjs';

const place = join(rehearsal, 'projects');

/** This Node.js as a runtime. */
export const nodeHere = { command: process.execPath, args: [], env: {} };

/** How each package manager adds a package without running scripts. */
const adding = {
  npm: ['install', '--ignore-scripts', '--no-audit', '--no-fund'],
  pnpm: ['add', '--ignore-scripts'],
  'yarn 1': ['add', '--ignore-scripts', '--non-interactive'],
  'yarn 4': ['add'],
  bun: ['add', '--ignore-scripts'],
};

/** Makes an empty project that knows the registry. Returns its folder and environment. */
export function makeProject(name, url) {
  const folder = join(place, name.replaceAll(' ', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (file, text) => writeFileSync(join(folder, file), text);
  write('package.json', '{ "private": true, "type": "module" }\n');
  write('.npmrc', `registry=${url}\n`);
  write('.yarnrc', `registry "${url}"\n`);
  const yarn = {
    npmRegistryServer: url,
    unsafeHttpWhitelist: ['127.0.0.1'],
    nodeLinker: 'node-modules',
    enableScripts: false,
    enableTelemetry: false,
    enableGlobalCache: false,
    npmMinimalAgeGate: 0,
  };
  if (name.startsWith('yarn 4')) {
    write('.yarnrc.yml', JSON.stringify(yarn));
    write('yarn.lock', '');
  }
  const examples = quickStart();
  for (const [i, code] of examples.entries()) write(`example-${i + 1}.mjs`, code);
  const imports = examples.map((_, i) => `await import('./example-${i + 1}.mjs');\n`).join('');
  write('quick-start.mjs', `${imports}console.log('quick start done');\n`);
  write('abc.txt', 'abc');
  // Variables of the npm that runs this would reach the others.
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(npm_|yarn_|pnpm_|bun_|millrace_)/i.test(key),
  );
  const env = {
    ...Object.fromEntries(own),
    HOME: folder,
    npm_config_cache: join(folder, '.cache'),
    npm_config_registry: url,
    COREPACK_ENABLE_STRICT: '0',
  };
  return { folder, env };
}

/** Returns the blocks of JavaScript in README's quick start. */
function quickStart() {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const [, section] = /^## Quick start\n([^]*?)^## /m.exec(text);
  return [...section.matchAll(/^```js\n([^]*?)^```/gm)].map(([, code]) => code);
}

/** Installs Millrace in a project with a manager; resolves to undefined or to what went wrong. */
export async function add({ folder, env }, name, manager, { version = 'latest', more = [] } = {}) {
  const args = [...manager.args, ...adding[name], ...more, `millrace@${version}`];
  const answer = await probe(manager.command, args, { cwd: folder, env });
  return answer?.code === 0 ? undefined : lastLines(answer);
}

/** Runs the quick start and the command in a project; resolves to what went wrong, if anything. */
export async function use({ folder, env }, run) {
  const { command, args, cwd = folder, pathOf = (name) => name } = run;
  const all = { cwd, env: { ...env, ...run.env, MILLRACE_ENGINE: 'native' } };
  const file = (...names) => pathOf(join(folder, ...names));
  const output = join(folder, 'out.txt');
  // Wine hangs when it is given pipes.
  const start = (...program) => {
    const shell = ['-c', 'exec "$@" </dev/null >"$0" 2>&1', output, command, ...args];
    return probe('sh', [...shell, ...program], all);
  };
  const said = () => readFileSync(output, 'utf8');
  const program = await start(file('quick-start.mjs'));
  if (program?.code !== 0 || !said().includes('quick start done'))
    return `quick start: ${said().trim().split('\n').slice(-4).join(' ')}`;
  const main = file('node_modules', 'millrace', 'cli', 'main.js');
  const sum = await start(main, 'sum', file('abc.txt'));
  const right = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
  return sum?.code === 0 && said().includes(right) ? undefined : `sum: ${said().slice(-300)}`;
}

/** @param {{ all: string } | undefined} answer */
export function lastLines(answer) {
  return answer === undefined
    ? 'could not be started'
    : answer.all.trim().split('\n').slice(-3).join(' ');
}

/**
 * Returns a function that prints a line for each part of the rehearsal: ok, or what went wrong;
 * `skip` says why it is not run.
 */
export function makeReport() {
  const failed = [];
  const report = (title, fault) => {
    if (fault !== undefined) failed.push(title);
    console.log(
      `${fault === undefined ? 'ok     ' : 'FAILED '} ${title}${fault ? `: ${fault}` : ''}`,
    );
  };
  const skip = (title, reason) => console.log(`not run ${title}: ${reason}`);
  return Object.assign(report, { failed, skip });
}

/** Installs a version, or what a tag names, by every package manager; runs it in this Node.js. */
export async function installEverywhere(url, report, version = 'latest') {
  for (const [name, manager] of Object.entries(findManagers())) {
    if (manager.missing !== undefined) {
      report.skip(name, manager.missing);
      continue;
    }
    const project = makeProject(name, url);
    const fault =
      (await add(project, name, manager, { version })) ?? (await use(project, nodeHere));
    report(`${name}, ${process.version}`, fault);
  }
}

/** Returns the environment in which npm publishes to a registry that looks at no token. */
export function registryVariables(url) {
  const config = join(rehearsal, 'npmrc');
  writeFileSync(config, `registry=${url}\n//${new URL(url).host}/:_authToken=rehearsal\n`);
  return { npm_config_userconfig: config, npm_config_registry: url };
}
