// Installs the contestants' packages into bench/node_modules, on first use. Scripts are allowed
// here: crypto-async is compiled on the spot. All of them are optional; the bench goes on without
// one that cannot be installed, and says so.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { installed, npm } from '../tools/install.mjs';
import { Stop, root, skipped, step } from '../tools/steps.mjs';

const folder = join(root, 'bench');

export async function installContestants() {
  if (installed(folder)) return;
  const env = { ...process.env };
  // node-gyp would download Node's headers; most installations have them beside the executable.
  const prefix = headersPrefix(env);
  if (prefix !== undefined) env.npm_config_nodedir = prefix;
  const [command, args, options] = npm(['ci', '--no-audit', '--no-fund', '--include=optional']);
  try {
    await step('install contestants', command, args, { ...options, cwd: folder, env });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped('contestants', 'their packages could not be installed; measuring against Node alone');
  }
}

function headersPrefix(env) {
  const candidates = [env.npm_config_nodedir, dirname(dirname(process.execPath)), dirname(process.execPath)];
  return candidates.find((prefix) => prefix && existsSync(join(prefix, 'include', 'node', 'node_api.h')));
}
