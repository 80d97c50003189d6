// The predicted cost of work: shown by engines(), measured by workers, kept to the table on
// request.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

import { output } from '../support/child.mjs';
import { portable } from '../support/portable-bundle.mjs';

async function costsAfter(program, env = {}) {
  const source = `(async () => {
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const costs = () => millrace.engines().costs;
    const measured = async (name) => {
      while (!costs()[name].measured) await sleep(2);
    };
    ${program};
    console.log(JSON.stringify(costs()));
  })();`;
  return JSON.parse(await output(source, { env }));
}

test('every algorithm has a cost, and the thresholds follow from it', () => {
  const { costs } = millrace.engines();
  const names = [...millrace.getHashes(), ...millrace.getCiphers()];
  assert.deepEqual(Object.keys(costs).sort(), names.sort());
  for (const [name, cost] of Object.entries(costs)) {
    const { fixed, perByte, inlineTo, splitFrom, measured } = cost;
    assert.ok(fixed > 0 && perByte > 0 && typeof measured === 'boolean', name);
    assert.ok(Number.isInteger(inlineTo) && inlineTo >= 0, name);
    assert.ok(fixed + inlineTo * perByte < 1100, name);
    assert.equal('batchFactor' in cost, millrace.getHashes().includes(name), name);
    if (splitFrom !== undefined) assert.ok(splitFrom > 10 * inlineTo, name);
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
  const work = `
    for (let index = 0; index < 5; index++) await promises.hash('sha256', Buffer.alloc(1 << 20));
    await sleep(50);`;
  const [fresh, used] = await Promise.all([
    costsAfter('', { MILLRACE_COST: 'table' }),
    costsAfter(work, { MILLRACE_COST: ' Table ' }),
  ]);
  assert.deepEqual(used, fresh);
  assert.ok(Object.values(used).every(({ measured }) => !measured));
});

test('a cost is measured by the first worker with such a job, within reason of the table', async () => {
  const table = await costsAfter('', { MILLRACE_COST: 'table' });
  const sealing = "key: Buffer.alloc(32), nonce: Buffer.alloc(12), source: '', route: 'pool'";
  for (const [name, call] of Object.entries({
    sha256: "promises.hash('sha256', Buffer.alloc(1 << 20))",
    'aes-256-gcm': `promises.seal('aes-256-gcm', { ${sealing} })`,
    md5: "promises.hmac('md5', 'key', 'text', { route: 'pool' })",
    'xxh3-64': "promises.hashMany('xxh3-64', ['a', 'b'], { route: 'pool' })",
  })) {
    const costs = await costsAfter(`await ${call}; await measured('${name}')`);
    const found = Object.keys(costs).filter((each) => costs[each].measured);
    assert.deepEqual(found, [name]);
    const { batchFactor } = costs[name];
    // A factor of 8 at most, of numbers that are rounded: 45 ns and 5.6.
    for (const part of ['fixed', 'perByte']) {
      const factor = costs[name][part] / table[name][part];
      assert.ok(factor >= 1 / 8.2 && factor <= 8.2, `${name}: ${part} ${costs[name][part]}`);
    }
    if (batchFactor !== undefined) assert.ok(batchFactor >= 0.1 && batchFactor <= 1);
  }
});

test('a call of 10 us and more does not run inline before its cost is measured', async () => {
  const costs = await costsAfter(`
    const source = Buffer.alloc(20_000 / costs().sha256.perByte);
    await promises.hash('sha256', source, { target: Buffer.alloc(32) });
    await measured('sha256');
    await promises.hash('sha512', Buffer.alloc(20_000 / costs().sha512.perByte));
    await measured('sha512');
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
