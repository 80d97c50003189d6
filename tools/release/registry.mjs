// Verdaccio, a registry on this machine: what npm publishes to in a rehearsal. It has no upstream,
// so that nothing else can be installed from it, and it keeps nothing.
// staging.mjs stands before it.

import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { Stop } from '../steps.mjs';
import { fetchPrograms, fetchedFile, place as rehearsal } from './fetch.mjs';
import { stagingServer } from './staging.mjs';

const place = join(rehearsal, 'registry');

/** Starts the registry, empty. Resolves to its URL and `close`. */
export async function startRegistry() {
  await fetchPrograms();
  mkdirSync(place, { recursive: true });
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
  const program = fetchedFile('verdaccio', 'bin', 'verdaccio');
  const args = [program, '--config', join(place, 'config.yaml'), '--listen', listen];
  const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: place });
  const behind = `http://${listen}/`;
  const server = stagingServer(port);
  const close = () => {
    child.kill();
    server.close();
    server.closeAllConnections();
  };
  for (let left = 300; left > 0; left--) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${behind}-/ping`).catch(() => undefined);
    if (answer?.ok) return { url: await listening(server), close };
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  close();
  throw new Stop('millrace: Verdaccio does not answer');
}

/** Resolves to the URL of a server that listens on the loopback address. */
function listening(server) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${portOf(server)}/`));
  });
}

const portOf = (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

async function freePort() {
  const server = createServer();
  await listening(server);
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
