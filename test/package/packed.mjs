// What would be published, as tarballs, and a registry on this machine that serves them: package
// managers install from it as from npm's, and nothing has to be published for that.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { npm } from '../../tools/install.mjs';
import { root } from '../support/child.mjs';

const exec = promisify(execFile);

/**
 * Writes the packages into `folder` and packs them. Resolves to `{ manifest, file, tarball }` of
 * each.
 */
export async function pack(folder) {
  await exec(
    process.execPath,
    [join(root, 'tools', 'platform-packages.mjs'), '--out', join(folder, 'npm')],
    { cwd: root },
  );
  return Promise.all(
    readdirSync(join(folder, 'npm')).map(async (name) => {
      const place = join(folder, 'npm', name);
      const [command, args, options] = npm([
        'pack',
        '--json',
        '--ignore-scripts',
        '--pack-destination',
        folder,
      ]);
      const { stdout } = await exec(command, args, { ...options, cwd: place });
      const [{ filename }] = Object.values(JSON.parse(stdout));
      const file = join(folder, filename);
      return {
        manifest: JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')),
        file,
        tarball: readFileSync(file),
      };
    }),
  );
}

/**
 * Serves packages as a registry does. Resolves to its URL, a list of the names that were asked for,
 * and `close`. What it does not have is not found there, as an unpublished package is.
 */
export async function serve(packages) {
  const asked = [];
  const server = createServer(({ url, headers: { host } }, response) => {
    const path = decodeURIComponent(url).replace(/^\/|\?.*$/g, '');
    const own = packages.find(
      ({ manifest: { name }, file }) =>
        path === name || path === `tarballs/${file.split(/[\\/]/).at(-1)}`,
    );
    if (own === undefined) {
      asked.push(path);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    const { manifest, file, tarball } = own;
    if (path !== manifest.name) {
      response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-length': tarball.length,
        })
        .end(tarball);
      return;
    }
    asked.push(path);
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const shasum = createHash('sha1').update(tarball).digest('hex');
    const dist = {
      tarball: `http://${host}/tarballs/${file.split(/[\\/]/).at(-1)}`,
      integrity,
      shasum,
    };
    const versions = { [manifest.version]: { ...manifest, dist } };
    // Long ago: some managers refuse what is younger than a day.
    const time = {
      [manifest.version]: '2020-01-01T00:00:00.000Z',
      created: '2020-01-01T00:00:00.000Z',
      modified: '2020-01-01T00:00:00.000Z',
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        name: manifest.name,
        'dist-tags': { latest: manifest.version },
        versions,
        time,
      }),
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    asked,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
