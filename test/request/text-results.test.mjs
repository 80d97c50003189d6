// Results as text are those of Buffer at every size: native code writes the short ones, Node.js the
// long ones.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import millrace from 'millrace';

const sizes = [...Array(200).keys(), 1559, 1560, 1561, 2079, 2080, 2081, 3119, 3120, 3121, 5000];

for (const encoding of ['hex', 'base64', 'base64url'])
  test(`${encoding} of each size`, () => {
    for (const outputLength of sizes.slice(1)) {
      const bytes = millrace.hash('shake256', 'x', { outputLength });
      const text = millrace.hash('shake256', 'x', { outputLength, encoding });
      assert.equal(text, bytes.toString(encoding), `${outputLength} bytes`);
      const hasher = millrace.createHash('shake256', { outputLength }).update('x');
      assert.equal(hasher.digest(encoding), text, `${outputLength} bytes`);
    }
  });
