// Installs the competitors' packages into bench/node_modules, on first use and when the list has
// changed. Scripts are allowed here: crypto-async, bigint-hash and bigint-buffer are compiled on
// the spot. All of them are optional; the bench continues without one that cannot be installed, and
// says so.

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { npm } from './install.mjs';
import { Stop, root, skipped, step } from './steps.mjs';

const folder = join(root, 'bench');

export async function installCompetitors() {
  if (tried()) return;
  const env = { ...process.env };
  // node-gyp would download Node's headers; most installations have them beside the executable.
  const prefix = headersPrefix(env);
  if (prefix !== undefined) env.npm_config_nodedir = prefix;
  const [command, args, options] = npm(['ci', '--no-audit', '--no-fund', '--include=optional']);
  try {
    await step('install competitors', command, args, { ...options, cwd: folder, env });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    skipped('competitors', 'their packages could not be installed; measuring against Node alone');
  }
}

// Each package may be missing for good reason, so that only the time of npm's own account tells.
function tried() {
  const account = join(folder, 'node_modules', '.package-lock.json');
  return (
    existsSync(account) &&
    statSync(account).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs
  );
}

function headersPrefix(env) {
  const candidates = [
    env.npm_config_nodedir,
    dirname(dirname(process.execPath)),
    dirname(process.execPath),
  ];
  return candidates.find(
    (prefix) => prefix && existsSync(join(prefix, 'include', 'node', 'node_api.h')),
  );
}
