// Runs the steps of the workflows on this machine: `npm run release -- --rehearse --workflows`.
//
// The commands of a step run as they are, in a clone of the last commit. In place of what GitHub
// has there are stand-ins: a clone for `checkout`, the Node.js of tools/runtimes.mjs for
// `setup-node`, folders for artifacts, a key of this machine for attestations, and a program
// `docker`, which runs the command of a container here. Steps that need another system, or that run
// for many minutes, are listed and not run.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

import { findRuntime, runtimes } from '../runtimes.mjs';
import { probe, root } from '../steps.mjs';
import { attestingKey } from './attestation.mjs';
import { fetchPrograms, fetched, fetchedFile, place as rehearsal } from './fetch.mjs';

const place = join(rehearsal, 'workflows');
const artifacts = join(place, 'artifacts');
const folder = join(root, '.github', 'workflows');

/** Commands that take many minutes; other jobs and verbs run them. */
const long =
  /\bnpm (test|start|run (test\S*|prove|soak|platforms|docs))\b|cargo install|reproducible\.mjs/;

/**
 * Runs workflows.
 *
 * @param {object} options
 * @param {string[]} options.names names of files, without `.yml`
 * @param {string} options.tag the tag that starts them
 * @param {NodeJS.ProcessEnv} options.env variables of the steps that have an identity
 * @param {(job: string) => boolean} [options.takes] whether a job takes part
 * @param {string} options.source the repository whose tag is checked out
 * @param {Record<string, string>} options.seeds folders of artifacts of jobs that cannot run here
 * @param {ReturnType<typeof import('./projects.mjs').makeReport>} options.report
 */
export async function runWorkflows({ names, tag, env, takes = () => true, source, seeds, report }) {
  await fetchPrograms();
  const { parse } = await fetched('yaml', 'dist', 'index.js');
  const expressions = await fetched('@actions', 'expressions', 'dist', 'index.js');
  const read = (name) => parse(readFileSync(join(folder, `${name}.yml`), 'utf8'));
  const key = attestingKey();
  const bundles = [];
  const github = {
    ref: `refs/tags/${tag}`,
    ref_name: tag,
    repository: 'rehearsal/millrace',
    server_url: 'https://github.com',
    workspace: '',
    token: '',
  };
  const programs = writePrograms();
  for (const [name, from] of Object.entries(seeds))
    cpSync(from, join(artifacts, name), { recursive: true });
  const context = { report, github, key, bundles, expressions, env, programs, source };
  const run = async (name, prefix) => {
    const workflow = read(name);
    const failed = new Set();
    for (const [id, job] of inOrder(workflow.jobs)) {
      const title = `${prefix}/${id}`;
      const before = report.failed.length;
      const missing = [job.needs ?? []].flat().find((needed) => failed.has(needed));
      if (!takes(title)) continue;
      if (missing !== undefined) report.skip(title, `${missing} failed`);
      else if (job.uses !== undefined) await run(basename(job.uses, '.yml'), title);
      else
        for (const matrix of matrixOf(job))
          await runJob(title, job, { ...context, matrix, workflow });
      if (missing !== undefined || report.failed.length > before) failed.add(id);
    }
  };
  for (const name of names) await run(name, name);
  return { bundles, verify: key.verify, artifacts };
}

/** Returns the jobs of a workflow, each after those that it needs. */
function inOrder(jobs) {
  const done = new Map();
  const add = (id) => {
    if (done.has(id)) return;
    for (const needed of [jobs[id].needs ?? []].flat()) add(needed);
    done.set(id, jobs[id]);
  };
  for (const id of Object.keys(jobs)) add(id);
  return done;
}

/** Returns the combinations of a job's matrix. */
function matrixOf({ strategy }) {
  const { include = [], ...lists } = strategy?.matrix ?? {};
  let all = [{}];
  for (const [name, values] of Object.entries(lists))
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  const own = Object.keys(lists).length === 0 ? [] : all;
  const result = [...own, ...include];
  return result.length === 0 ? [{}] : result;
}

/** Runs the steps of a job, until one fails. */
async function runJob(name, job, context) {
  const { report, matrix, workflow } = context;
  const value = (text) => evaluated(text, context);
  const system = value(job['runs-on'] ?? '');
  const title = [name, ...Object.values(matrix).filter((each) => !/sha256/.test(each))].join(' ');
  const stop = otherSystem(system, matrix.image);
  if (stop !== undefined) return report.skip(title, stop);
  if (job.if !== undefined && !value(`\${{ ${job.if} }}`)) return report.skip(title, job.if);
  const workspace = join(place, title.replaceAll(/[^\w.-]+/g, '-'));
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true });
  const paths = [context.programs, join(root, 'target', 'tools', 'bin')];
  const identity = job.permissions?.['id-token'] === 'write' ? context.env : {};
  for (const [number, step] of job.steps.entries()) {
    const [line] = (step.name ?? step.uses ?? step.run).trim().split('\n');
    const told = `${title} ${number + 1}: ${line.replace(/@[\da-f]{40}.*/, '')}`;
    if (step.if !== undefined && !/^true$/.test(`${value(`\${{ ${step.if} }}`)}`)) continue;
    const settings = { ...workflow.env, ...job.env, ...step.env };
    const env = Object.fromEntries(
      Object.entries(settings).map(([variable, text]) => [variable, `${value(text)}`]),
    );
    const given = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([input, text]) => [input, value(text)]),
    );
    const here = join(workspace, step['working-directory'] ?? '');
    const fault =
      step.uses === undefined
        ? await runCommand(value(step.run), here, { ...identity, ...env }, paths)
        : await standIn(step.uses.split('@')[0], given, { workspace, paths, title, ...context });
    if (typeof fault === 'object') report.skip(told, fault.skip);
    else report(told, fault);
    if (typeof fault === 'string') return undefined;
  }
}

/** Returns why a job's system is not this one, or undefined. */
function otherSystem(system, image = '') {
  if (!system.startsWith('ubuntu')) return `it takes ${system}`;
  if (system.endsWith('-arm') !== (process.arch === 'arm64')) return `it takes ${system}`;
  return /alpine/.test(image) ? 'it takes a container with musl' : undefined;
}

/** Runs the commands of a step; resolves to what went wrong, or to why they were not run. */
async function runCommand(text, cwd, env, paths) {
  const [command] = long.exec(text) ?? [];
  if (command !== undefined) return { skip: `${command.trim()} runs for minutes` };
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|millrace_)/i.test(name));
  const all = { ...Object.fromEntries(own), CI: '1', ...env };
  all.PATH = [...paths, process.env.PATH].join(delimiter);
  const answer = await probe('bash', ['-e', '-o', 'pipefail', '-c', text], { cwd, env: all });
  if (answer?.code === 0) return undefined;
  return `${answer?.all.trim().split('\n').slice(-8).join('\n')}`;
}

/** Does what an action does, as far as this machine can. */
async function standIn(action, given, context) {
  const { workspace, paths, github, key, bundles, title, source } = context;
  const within = (path = '.') => join(workspace, path);
  switch (action) {
    case 'actions/checkout': {
      if (given.repository !== undefined) return { skip: `${given.repository} is not here` };
      const target = within(given.path);
      const quiet = ['-c', 'advice.detachedHead=false', 'clone', '--quiet'];
      execFileSync('git', [...quiet, '--branch', github.ref_name, source, target]);
      return undefined;
    }
    case 'actions/setup-node': {
      const [major] = `${given['node-version']}`.split('.');
      const runtime = runtimes.find(({ name }) => name === `Node ${major}`);
      const found = runtime && findRuntime(runtime);
      if (found?.command) paths.unshift(dirname(found.command));
      else if (process.versions.node.split('.')[0] !== major)
        return { skip: `Node.js ${major} is not here; ${process.version} takes its place` };
      return undefined;
    }
    case 'actions/cache':
      return undefined;
    case 'actions/upload-artifact': {
      const from = within(given.path);
      if (!existsSync(from)) return { skip: `${given.path} was not made` };
      const isFile = statSync(from).isFile();
      const to = join(artifacts, given.name);
      cpSync(from, isFile ? join(to, basename(from)) : to, { recursive: true });
      return undefined;
    }
    case 'actions/download-artifact': {
      const names = given.name === undefined ? readdirSync(artifacts) : [given.name];
      for (const name of names)
        if (existsSync(join(artifacts, name)))
          cpSync(join(artifacts, name), within(given.path), { recursive: true });
        else return `there is no artifact ${name}`;
      return undefined;
    }
    case 'actions/attest': {
      const subjects = subjectsOf(given, within);
      if (subjects.length === 0) return 'there is nothing to attest';
      const bill = given['sbom-path'];
      bundles.push(
        bill === undefined
          ? key.attest(subjects, 'https://slsa.dev/provenance/v1', {
              buildDefinition: { buildType: title, externalParameters: { ref: github.ref } },
              runDetails: { builder: { id: 'a rehearsal' } },
            })
          : key.attest(
              subjects,
              'https://cyclonedx.org/bom',
              JSON.parse(readFileSync(within(bill), 'utf8')),
            ),
      );
      return undefined;
    }
    default:
      return { skip: `${action} needs GitHub` };
  }
}

/** Returns the subjects of an attestation, `[file name, SHA-256]`. */
function subjectsOf(given, within) {
  const sums = given['subject-checksums'];
  if (sums !== undefined)
    return readFileSync(within(sums), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('  ').reverse());
  const [, parent, name] = /^(.*\/)([^/]+)$/.exec(given['subject-path']);
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return readdirSync(within(parent))
    .filter((file) => pattern.test(file))
    .map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(within(join(parent, file))))
        .digest('hex'),
    ]);
}

/** Returns a text of a workflow with the values of its expressions; the value of one alone. */
function evaluated(text, { expressions, github, matrix }) {
  if (typeof text !== 'string') return text;
  const { Lexer, Parser, Evaluator, data } = expressions;
  const dictionary = (values) =>
    new data.Dictionary(
      ...Object.entries(values).map(([key, value]) => ({
        key,
        value: typeof value === 'object' ? dictionary(value) : new data.StringData(`${value}`),
      })),
    );
  const contexts = { github, matrix, runner: { os: 'Linux' } };
  const one = (source) => {
    const { tokens } = new Lexer(source).lex();
    const parsed = new Parser(tokens, Object.keys(contexts), []).parse();
    return new Evaluator(parsed, dictionary(contexts)).evaluate();
  };
  const [, alone] = /^\s*\$\{\{([^]*)\}\}\s*$/.exec(text) ?? [];
  if (alone !== undefined && !alone.includes('${{')) {
    const result = one(alone);
    return result.kind === data.Kind.Boolean ? result.value : result.coerceString();
  }
  return text.replaceAll(/\$\{\{([^]*?)\}\}/g, (_, source) => one(source).coerceString());
}

/** Writes the programs that stand in for those of GitHub's machines; returns their folder. */
function writePrograms() {
  const bin = join(place, 'bin');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(bin, { recursive: true });
  mkdirSync(artifacts, { recursive: true });
  const programs = {
    sudo: '#!/bin/sh\nexec "$@"\n',
    // That of the pinned Node.js is not here: its version may differ.
    npm: `#!/bin/sh\nexec node "${fetchedFile('npm', 'bin', 'npm-cli.js')}" "$@"\n`,
    // The command of a container, in this folder.
    docker: `#!/bin/sh
shift
while :; do
  case "$1" in
    --rm) shift ;;
    --volume | --workdir) shift 2 ;;
    --env) export "$2"; shift 2 ;;
    *) break ;;
  esac
done
shift
exec "$@"
`,
    // The release that would be drafted, as a folder.
    gh: `#!/bin/sh
set -e
[ "$1 $2" = "release create" ]
mkdir -p "${join(place, 'release')}"
echo "$3" >"${join(place, 'release')}/tag"
while [ $# -gt 0 ]; do
  if [ -f "$1" ]; then cp "$1" "${join(place, 'release')}"; fi
  shift
done
`,
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
