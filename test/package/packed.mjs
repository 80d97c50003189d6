// The packages that would be published, as tarballs, and a registry on this machine that serves
// them: package managers install from it as from npm's, and nothing has to be published for that.

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

/** Returns the name of a package's tarball. */
function nameOf({ file }) {
  return file.split(/[\\/]/).at(-1);
}

/**
 * Serves packages as a registry does. Resolves to its URL, a list of the names that were asked for,
 * and `close`. What it does not have is not found there, as an unpublished package is, unless there
 * is another registry to send managers to.
 */
export async function serve(packages, upstream) {
  const asked = [];
  const server = createServer(({ url, headers: { host } }, response) => {
    const path = decodeURIComponent(url).replace(/^\/|\?.*$/g, '');
    const file = packages.find((each) => path === `tarballs/${nameOf(each)}`);
    if (file !== undefined) {
      const { tarball } = file;
      response
        .writeHead(200, {
          'content-type': 'application/octet-stream',
          'content-length': tarball.length,
        })
        .end(tarball);
      return;
    }
    asked.push(path);
    const own = packages.filter(({ manifest: { name } }) => path === name);
    if (own.length === 0 && upstream !== undefined) {
      response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end();
      return;
    }
    if (own.length === 0) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      return;
    }
    // Long ago: some managers refuse what is younger than a day.
    const time = { created: '2020-01-01T00:00:00.000Z', modified: '2020-01-01T00:00:00.000Z' };
    const versions = {};
    for (const each of own) {
      const { manifest, tarball } = each;
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const shasum = createHash('sha1').update(tarball).digest('hex');
      const dist = { tarball: `http://${host}/tarballs/${nameOf(each)}`, integrity, shasum };
      versions[manifest.version] = { ...manifest, dist };
      time[manifest.version] = '2020-01-01T00:00:00.000Z';
    }
    const latest = own.at(-1).manifest.version;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name: path, 'dist-tags': { latest }, versions, time }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    asked,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
