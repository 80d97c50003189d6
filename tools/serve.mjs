// Serves pages that use the built package: files of this repository, with no header but their type.
//
//   node tools/serve.mjs [--port 8080]        serves docs/page and what it imports

import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const types = {
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain',
};

/** The folders that are served. */
const served = ['dist', 'docs', 'test'];

/**
 * Serves on 127.0.0.1; `headers(path)` may add some. With `folder` it serves all of that folder.
 * Resolves to `{ url, close }`.
 *
 * @param {{ port?: number, headers?: (path: string) => object, folder?: string }} options
 */
export function serve({ port = 0, headers = () => ({}), folder } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://127.0.0.1');
    if (pathname === '/' && folder === undefined) {
      response.writeHead(302, { location: '/docs/page/' }).end();
      return;
    }
    const path = normalize(decodeURIComponent(pathname));
    const file = join(folder ?? root, path.endsWith(sep) ? `${path}index.html` : path);
    const allowed = folder !== undefined || served.includes(path.split(sep)[1]);
    const size = allowed ? sizeOf(file) : undefined;
    if (size === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': size,
      'cache-control': 'no-store',
      ...headers(pathname),
    });
    createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${portOf(server)}`,
        close: () =>
          new Promise((closed) => {
            server.closeAllConnections();
            server.close(closed);
          }),
      }),
    );
  });
}

function sizeOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : undefined;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const at = process.argv.indexOf('--port');
  const { url } = await serve({ port: at < 0 ? 8080 : Number(process.argv[at + 1]) });
  console.log(url);
}

/** Returns the port of a listening TCP server. */
function portOf(server) {
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}
