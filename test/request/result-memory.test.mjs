// Where large results come from: pages found rather than asked for, huge pages, bounded memory.
// Page faults are counted by the system, in processes of their own.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import millrace from 'millrace';

import { run } from '../support/child.mjs';

const glibc =
  process.platform === 'linux' &&
  process.report.getReport().header.glibcVersionRuntime !== undefined;
const hugePages = huge();
const slow = { timeout: 300_000 };

/**
 * Code that programs share: `results(size, count, again)` makes results, drops them, and tells the
 * page faults of one.
 */
const faults = `
  const options = (size) => ({
    key: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(12, 2),
    source: Buffer.alloc(size, 3),
  });
  const settle = async () => {
    for (let turn = 0; turn < 3; turn++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  async function results(seal, size, count, rounds) {
    const given = options(size);
    const counted = [];
    for (let round = 0; round < rounds; round++) {
      const made = [];
      const before = process.resourceUsage().minorPageFault;
      for (let index = 0; index < count; index++) made.push(await seal('aes-256-gcm', given));
      counted.push((process.resourceUsage().minorPageFault - before) / count);
      made.length = 0;
      await settle();
    }
    return counted;
  }`;

async function counted(program, env = {}) {
  const { code, stdout, stderr } = await run(
    `${faults}\n(async () => { ${program} })().then((value) => ` +
      'console.log(JSON.stringify(value)));',
    { flags: ['--expose-gc'], env, timeout: 300_000 },
  );
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

for (const way of ['millrace', 'promises']) {
  // 256 pages each, unless the machine has larger ones.
  test(
    `${way}: the second batch of results of 1 MiB finds the pages of the first`,
    { skip: !glibc && 'glibc only' },
    async () => {
      const rounds = (env, first) =>
        counted(`${first} return results(${way}.seal, 2 ** 20, 16, 5);`, env);
      const kept = await rounds({}, '');
      const asked = await rounds({}, 'millrace.configure({ recycle: false });');
      const off = await rounds({ MILLRACE_PAGES: 'off' }, '');
      assert.ok(kept[0] > 128, `${kept}: the first results are new`);
      assert.ok(Math.max(...kept.slice(1)) < 64, `${kept}`);
      // Without, the second batch pays again. Later ones may be lucky: something small that is in
      // use at the end of the heap keeps glibc from giving it back.
      assert.ok(asked[1] > 128, `${asked} without`);
      assert.ok(off[1] > 128, `${off} without`);
    },
  );

  test(
    `${way}: a result of 64 MiB is in huge pages`,
    { skip: !hugePages && 'no huge pages on request' },
    async () => {
      const [small, large] = await Promise.all([
        counted(`return results(${way}.seal, 2 ** 26, 1, 3);`, { MILLRACE_PAGES: 'off' }),
        counted(`return results(${way}.seal, 2 ** 26, 1, 3);`),
      ]);
      // Memory may be too scattered for some of them.
      assert.ok(Math.min(...large) < Math.min(...small) / 2, `${large} with, ${small} without`);
    },
  );
}

test('any number of results of 64 MiB takes the memory of a few', slow, async () => {
  // Without a turn of the event loop, then with.
  const program = (count) => `
    const given = options(2 ** 26);
    for (let index = 0; index < ${count}; index++) millrace.seal('aes-256-gcm', given);
    for (let index = 0; index < ${count / 4}; index++) await promises.seal('aes-256-gcm', given);
    await settle();
    return [
      process.resourceUsage().maxRSS / 1024,
      process.memoryUsage().rss / 2 ** 20,
      process.memoryUsage().external / 2 ** 20,
    ];`;
  const [most, left, external] = await counted(program(Number(process.env.MILLRACE_RESULTS || 40)));
  // The source, the results that V8 lets stand before it collects (two here), and the process
  // itself.
  assert.ok(most < 700, `${most} MiB at most`);
  assert.ok(left < 64 + 64 + 150, `${left} MiB at the end`);
  assert.ok(external < 64 + 20, `${external} MiB external`);
});

test('results of mixed sizes leave about as much as without recycling', slow, async () => {
  const rss = (first) =>
    counted(`
    ${first};
    const given = [...Array(12).keys()].map((index) => options((index + 1) * 2_000_003));
    const after = [];
    for (let round = 0; round < 20; round++) {
      const kept = [];
      for (const each of given) {
        kept.push(await promises.seal('aes-256-gcm', each));
        millrace.seal('aes-256-gcm', each);
      }
      if (round % 5 === 4) await settle();
      if (round >= 10) after.push(process.memoryUsage().rss / 2 ** 20);
    }
    return [process.resourceUsage().maxRSS / 1024, Math.min(...after)];`);
  const [most, left] = await rss('');
  const [mostBefore, leftBefore] = await rss('millrace.configure({ recycle: false });');
  // 64 MiB may be kept at the top of the heap, and there are holes.
  assert.ok(most < mostBefore + 150, `${most} MiB at most, ${mostBefore} without`);
  assert.ok(left < leftBefore + 150, `${left} MiB at the end, ${leftBefore} without`);
});

test('recycle is a switch, and a no in time is heeded', async () => {
  const before = millrace.configure();
  assert.equal(before.recycle, true);
  for (const recycle of [null, 0, 1, 'false', {}])
    assert.throws(() => millrace.configure({ recycle }), {
      code: 'ERR_ARGUMENT_TYPE',
      message: /recycle/,
    });
  const said = await counted(`
    const said = [
      millrace.configure({ recycle: false }),
      millrace.configure({ recycle: undefined }),
      millrace.configure({ recycle: true }),
      millrace.configure({ recycle: false }),
    ].map(({ recycle }) => recycle);
    millrace.seal('aes-256-gcm', options(2 ** 20));
    said.push(millrace.configure({ recycle: true }).recycle);
    millrace.seal('aes-256-gcm', options(2 ** 20));
    // Too late: what is asked is what is reported.
    said.push(millrace.configure({ recycle: false }).recycle);
    return said;`);
  assert.deepEqual(said, [false, false, true, false, true, true]);
});

function huge() {
  const file = '/sys/kernel/mm/transparent_hugepage/enabled';
  return existsSync(file) && /\[(always|madvise)\]/.test(readFileSync(file, 'utf8'));
}
