// Verdaccio, a registry on this machine: what npm publishes to in a rehearsal. It has no upstream,
// so that nothing else can be installed from it, and it keeps nothing.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { npm } from '../install.mjs';
import { Stop, root, step } from '../steps.mjs';

const place = join(root, 'target', 'rehearsal', 'verdaccio');
const program = join(place, 'node_modules', 'verdaccio', 'bin', 'verdaccio');

/** Fetches Verdaccio once. It asks for a tag of node-fetch that some mirrors do not have. */
async function prepare() {
  if (existsSync(program)) return;
  mkdirSync(place, { recursive: true });
  const manifest = { private: true, overrides: { 'node-fetch': '2.6.7' } };
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest)}\n`);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const [command, args, options] = npm(['install', ...flags, 'verdaccio@6.8.0']);
  await step('fetch Verdaccio', command, args, { ...options, cwd: place });
}

/** Starts the registry, empty. Resolves to its URL and `close`. */
export async function startRegistry() {
  await prepare();
  const storage = join(place, 'storage');
  rmSync(storage, { recursive: true, force: true });
  const port = await freePort();
  const anyone = { access: '$all', publish: '$all', unpublish: '$all' };
  const config = {
    storage,
    auth: { htpasswd: { file: join(place, 'htpasswd'), max_users: -1 } },
    uplinks: {},
    packages: { '@millrace/*': anyone, millrace: anyone },
    max_body_size: '64mb',
    log: { type: 'stdout', format: 'pretty', level: 'error' },
    web: { enable: false },
  };
  // YAML has JSON in it.
  writeFileSync(join(place, 'config.yaml'), JSON.stringify(config));
  const listen = `127.0.0.1:${port}`;
  const args = [program, '--config', join(place, 'config.yaml'), '--listen', listen];
  const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: place });
  const url = `http://${listen}/`;
  const close = () => child.kill();
  for (let left = 300; left > 0; left--) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${url}-/ping`).catch(() => undefined);
    if (answer?.ok) return { url, close };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  close();
  throw new Stop('millrace: Verdaccio does not answer');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
