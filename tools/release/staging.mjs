// What `npm stage` of npm 12 asks of a registry, before one that stages nothing: it keeps the body
// of a publication, and sends it on when a maintainer approves. It asks for no second factor.

import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';

/** Returns a server before the registry at this port of the loopback address. */
export function stagingServer(port) {
  /**
   * @type {Map<string, {
   *   name: string, version: string, tag: string, body: Buffer, headers: object
   * }>}
   */
  const staged = new Map();
  const routes = [
    { verb: 'POST', path: /^\/-\/stage\/package\/(.+)$/, answer: stage },
    { verb: 'GET', path: /^\/-\/stage$/, answer: list },
    { verb: 'POST', path: /^\/-\/stage\/([\w-]+)\/approve$/, answer: approve },
    { verb: 'DELETE', path: /^\/-\/stage\/([\w-]+)$/, answer: reject },
  ];

  /**
   * @param {string[]} names
   * @param {Buffer} body
   * @param {import('node:http').IncomingMessage} incoming
   * @returns {any}
   */
  function stage([name], body, incoming) {
    const { versions, 'dist-tags': tags } = JSON.parse(body.toString());
    const [version] = Object.keys(versions);
    const known = [...staged.values()].some((one) => one.name === name && one.version === version);
    if (known) return [409, { error: `${name} ${version} is staged already` }];
    const id = randomUUID();
    const { authorization = '' } = incoming.headers;
    staged.set(id, { name, version, tag: Object.keys(tags)[0], body, headers: { authorization } });
    return [201, { stageId: id }];
  }

  function list() {
    const items = [...staged].map(([id, { name, version, tag }]) => ({
      id,
      packageName: name,
      version,
      tag,
    }));
    return [200, { items, total: items.length }];
  }

  /** @param {string[]} names */
  async function approve([id]) {
    const found = staged.get(id);
    if (found === undefined) return [404, { error: 'there is no such stage' }];
    const { name, body, headers } = found;
    const path = `/${name.replace('/', '%2f')}`;
    const { status, text } = await ask('PUT', path, { ...headers, ...json(body) }, body);
    if (status < 300) staged.delete(id);
    return [status, { message: text }];
  }

  /** @param {string[]} names */
  function reject([id]) {
    return staged.delete(id) ? [200, {}] : [404, { error: 'there is no such stage' }];
  }

  /** Sends a request to the registry; resolves to its status and text. */
  const ask = (method, path, headers, body) =>
    new Promise((resolve, fail) => {
      const asked = request({ host: '127.0.0.1', port, method, path, headers }, async (answer) => {
        let text = '';
        for await (const part of answer.setEncoding('utf8')) text += part;
        resolve({ status: answer.statusCode, text });
      });
      asked.once('error', fail);
      asked.end(body);
    });

  return createServer(async (incoming, response) => {
    const { method, url = '/', headers } = incoming;
    const [path] = url.split('?');
    const route = routes.find((each) => each.verb === method && each.path.test(path));
    if (route === undefined) {
      const options = { host: '127.0.0.1', port, method, path: url, headers };
      const onward = request(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.once('error', () => response.writeHead(502).end());
      incoming.pipe(onward);
      return;
    }
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const names = route.path.exec(path).slice(1).map(decodeURIComponent);
    const [status, value] = await route.answer(names, Buffer.concat(chunks), incoming);
    const body = JSON.stringify(value);
    response.writeHead(status, json(body)).end(body);
  });
}

const json = (body) => ({
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
});
