// Refused calls, with their codes and messages (refusals.json), in all three ways: thrown, also
// where a callback is given, and as a rejection. A row has `browser` where browsers have another
// message.

import { decoded, pattern } from './bytes.mjs';
import { fail, ok, same, sameError, thrown } from './verdicts.mjs';

const resizable = (size = 32) => new Uint8Array(new ArrayBuffer(size, { maxByteLength: 64 }));

export async function refusals({ millrace, promises, add, load, place, refused }) {
  const rows = await load('conformance/refusals.json');
  for (const about of new Set(rows.map((row) => row.about)))
    add(
      'refusals',
      'every entry point',
      about,
      async ({ method, args: given, code, message: inNode, browser = inNode }) => {
        const what = `${method}(${JSON.stringify(given)})`;
        const message = place === 'browser' ? browser : inNode;
        const check = (error, how) => {
          sameError(error, code, millrace, `${what}, ${how}`);
          ok(error.message === message, `${what}, ${how}: "${error.message}", not "${message}"`);
        };
        const args = decoded(given);
        check(
          thrown(() => millrace[method](...args)),
          'synchronous',
        );
        const called = () => fail(`${what}: called back`);
        if (args.length > 1)
          check(
            thrown(() => millrace[method](...args, called)),
            'callback',
          );
        const settled = promises[method](...args).then(
          () => undefined,
          (error) => error,
        );
        check(await settled, 'promise');
      },
      rows.filter((row) => row.about === about),
    );
  const given = { key: pattern(32), nonce: pattern(12), source: resizable(16) };
  add('refusals', 'every entry point', 'resizable buffers are not lent', async () => {
    if (!('resizable' in ArrayBuffer.prototype)) return;
    const lent = promises.seal('aes-256-gcm', { ...given, target: resizable() });
    await refused(lent, 'ERR_RESIZABLE', 'target');
    same((await promises.seal('aes-256-gcm', given)).length, 32, 'a source is copied');
    const written = millrace.seal('aes-256-gcm', { ...given, target: resizable() });
    same(written, 32, 'a synchronous call takes a resizable target');
  });
  add('refusals', 'every entry point', 'errors tell nothing they were given', () => {
    const source = 'correct horse battery';
    const key = new TextEncoder().encode(source);
    for (const call of [
      () => millrace.hash(source.slice(0, 7), ''),
      () => millrace.seal('aes-256-gcm', { ...given, key, source }),
    ])
      ok(!/battery/.test(String(thrown(call)?.stack)), 'the message was told');
  });
}
