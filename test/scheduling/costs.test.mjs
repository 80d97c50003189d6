// The predicted cost of work: shown by engines(), measured by workers, kept to the table on
// request.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { run } from '../support/child.mjs';
import { portable } from '../support/portable-bundle.mjs';

async function costsAfter(program, env = {}) {
  const { stdout, stderr, code } = await run(
    `
      (async () => {
        const wait = (ready) =>
          new Promise((resolve) => {
            const look = () => (ready() ? resolve() : setTimeout(look, 2));
            look();
          });
        const costs = () => millrace.engines().costs;
        ${program};
        console.log(JSON.stringify(costs()));
      })();`,
    { env },
  );
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test('every algorithm has a cost, and the thresholds follow from it', () => {
  const { costs } = millrace.engines();
  assert.deepEqual(
    Object.keys(costs).sort(),
    [...millrace.getHashes(), ...millrace.getCiphers()].sort(),
  );
  for (const [name, cost] of Object.entries(costs)) {
    assert.ok(cost.fixed > 0 && cost.perByte > 0 && typeof cost.measured === 'boolean', name);
    assert.ok(
      Number.isInteger(cost.inlineTo) &&
        cost.inlineTo >= 0 &&
        cost.fixed + cost.inlineTo * cost.perByte < 1100,
      name,
    );
    assert.equal('batchFactor' in cost, millrace.getHashes().includes(name), name);
    if (cost.splitFrom !== undefined)
      assert.ok(cost.splitFrom * cost.perByte > 10 * (cost.inlineTo * cost.perByte), name);
  }
});

test('a route is chosen by the cost of the algorithm itself', async () => {
  const { predict, refreshCosts } = await portable('src/scheduling/cost-model.ts');
  const { ciphers, hashes } = await portable('src/catalog/catalog-table.ts');
  const { Operation } = await portable('src/base/protocol.ts');
  refreshCosts();
  const shares = (facts, operation) =>
    facts.map(({ id, portableCost: [fixed] }) => predict(operation, id, 0) / fixed);
  const all = [...shares(hashes, Operation.Hash), ...shares(ciphers, Operation.Encrypt)];
  assert.deepEqual([...new Set(all)], [all[0]]);
});

test('MILLRACE_COST=table: costs stay as they are', async () => {
  const work =
    "for (let index = 0; index < 5; index++) await promises.hash('sha256', " +
    'Buffer.alloc(1 << 20)); await new Promise((resolve) => setTimeout(resolve, 50));';
  const [fresh, used] = await Promise.all([
    costsAfter('', { MILLRACE_COST: 'table' }),
    costsAfter(work, { MILLRACE_COST: ' Table ' }),
  ]);
  assert.deepEqual(used, fresh);
  assert.ok(Object.values(used).every(({ measured }) => !measured));
});

test(
  'a cost is measured by the first worker that has done such a job, within reason of the ' +
    'table',
  async () => {
    const table = await costsAfter('', { MILLRACE_COST: 'table' });
    const work = {
      sha256: "promises.hash('sha256', Buffer.alloc(1 << 20));",
      'aes-256-gcm':
        "promises.seal('aes-256-gcm', { key: Buffer.alloc(32), nonce: Buffer.alloc(12), " +
        "source: '', route: 'pool' });",
      md5: "promises.hmac('md5', 'key', 'text', { route: 'pool' });",
      'xxh3-64': "promises.hashMany('xxh3-64', ['a', 'b'], { route: 'pool' });",
    };
    for (const [name, call] of Object.entries(work)) {
      const costs = await costsAfter(
        `await ${call} await wait(() => costs()['${name}'].measured);`,
      );
      const others = Object.entries(costs).filter(
        ([other, { measured }]) => measured && other !== name,
      );
      assert.deepEqual(others, []);
      const [found, prior] = [costs[name], table[name]];
      // A factor of 8 at most, of numbers that are rounded: 45 ns and 5.6.
      for (const part of ['fixed', 'perByte'])
        assert.ok(
          found[part] >= prior[part] / 8.2 && found[part] <= prior[part] * 8.2,
          `${name}: ${part} ${found[part]}`,
        );
      if (found.batchFactor !== undefined)
        assert.ok(found.batchFactor >= 0.1 && found.batchFactor <= 1);
    }
  },
);

test('a call of 10 us and more does not run inline before its cost is measured', async () => {
  const costs = await costsAfter(`
    const source = Buffer.alloc(20_000 / costs().sha256.perByte);
    await promises.hash('sha256', source, { target: Buffer.alloc(32) });
    await wait(() => costs().sha256.measured);
    await promises.hash('sha512', Buffer.alloc(20_000 / costs().sha512.perByte));
    await wait(() => costs().sha512.measured);
  `);
  assert.ok(costs.sha256.measured && costs.sha512.measured);
});

test('algorithms with short messages only are measured too', async () => {
  const costs = await costsAfter(`
    const end = Date.now() + 20_000;
    while (!costs().sha256.measured && Date.now() < end)
      await Promise.all(Array.from({ length: 10 }, () => promises.hash('sha256', 'short')));
    while (!costs()['aes-256-ctr'].measured && Date.now() < end)
      await promises.cipher('aes-256-ctr', 1, Buffer.alloc(32), Buffer.alloc(16), 'short');
  `);
  assert.ok(costs.sha256.measured && costs['aes-256-ctr'].measured);
});
