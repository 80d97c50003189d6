// cargo, and AWS-LC, which is compiled once for all profiles, commands and clones.

import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { cacheFolder, cached, keep } from './cache.mjs';
import { prepareNativeBuild } from './prerequisites.mjs';
import { probe, root, step } from './steps.mjs';

/**
 * Runs a command of cargo as a step. Resolves to its output.
 *
 * @param {string} title
 * @param {readonly string[]} args
 * @param {Parameters<typeof step>[3]} options
 */
export async function cargo(title, args, options = {}) {
  const env = { ...(await prepareNativeBuild()), ...options.env };
  const [command, ...rest] = args;
  const cut = rest.includes('--') ? rest.indexOf('--') : rest.length;
  // In CI an outdated lockfile is an error.
  const locked = env.CI && command !== 'fmt' ? ['--locked'] : [];
  const all = [command, ...rest.slice(0, cut), ...locked, ...rest.slice(cut)];
  return step(title, 'cargo', [...(await awsLc(env)), ...all], { ...options, env });
}

/** Returns what the compilers say of themselves, and what the environment tells them. */
export async function compilers(env) {
  const answers = await Promise.all([
    probe('rustc', ['-vV'], { env }),
    probe(env.CC || 'cc', ['--version'], { env }),
  ]);
  const names = Object.keys(env).filter((name) =>
    /^(CC|CFLAGS|AR|RUSTFLAGS|CARGO_BUILD_|CARGO_PROFILE_|CARGO_TARGET_.|AWS_LC_)/.test(name),
  );
  return [answers.map((answer) => answer?.stdout), names.sort().map((name) => [name, env[name]])];
}

let awsLcArguments;

/**
 * Returns arguments of cargo by which it links the AWS-LC of the cache and does not compile one. It
 * is compiled if it is not there.
 */
function awsLc(env) {
  awsLcArguments ??= findAwsLc(env);
  return awsLcArguments;
}

async function findAwsLc(env) {
  // The compiler of Windows does not say its version to `cc`.
  if (cacheFolder() === undefined || process.platform === 'win32') return [];
  const [, version] = /^name = "aws-lc-sys"\nversion = "(.*)"/m.exec(
    readFileSync(join(root, 'Cargo.lock'), 'utf8'),
  );
  const inputs = [version, await compilers(env)];
  const place = cached('aws-lc', inputs) ?? (await buildAwsLc(env, inputs));
  const { links, libraries, names } = JSON.parse(readFileSync(join(place, 'link.json'), 'utf8'));
  const [, host] = /^host: (.*)$/m.exec((await probe('rustc', ['-vV'], { env })).stdout);
  const settings = {
    'rustc-link-search': [`native=${place}`],
    'rustc-link-lib': libraries,
    'rustc-cfg': names,
  };
  return Object.entries(settings).flatMap(([name, values]) => [
    '--config',
    `target.${host}.${links}.${name}=${JSON.stringify(values)}`,
  ]);
}

/** Builds AWS-LC into the cache. Returns its folder there. */
async function buildAwsLc(env, inputs) {
  const args = ['build', '--profile', 'development', '--package', 'aws-lc-sys'];
  const said = await step(
    'build AWS-LC (half a minute)',
    'cargo',
    [...args, '--message-format', 'json-render-diagnostics'],
    { env, errorOutput: 'stderr' },
  );
  const messages = said
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const { manifest_path: manifest } = messages.find(({ target }) => target?.name === 'aws_lc_sys');
  const { linked_libs, linked_paths, cfgs } = messages.find(
    ({ reason, package_id: id }) => reason === 'build-script-executed' && id.includes('aws-lc-sys'),
  );
  const [, links] = /^links = "(.*)"/m.exec(readFileSync(manifest, 'utf8'));
  return keep('aws-lc', inputs, (folder) => {
    for (const library of linked_libs) {
      const file = `lib${library.replace(/^\w+=/, '')}.a`;
      copyFileSync(join(linked_paths[0].replace(/^\w+=/, ''), file), join(folder, file));
    }
    const link = { links, libraries: linked_libs, names: cfgs };
    writeFileSync(join(folder, 'link.json'), JSON.stringify(link));
  });
}
