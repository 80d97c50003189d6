// The machine code of the kernels that valgrind cannot execute, those with VAES, SHA-NI and IFMA of
// AVX-512: no branch and no address depends on what was in a vector register. disassembly.mjs says
// what that shows, and what it does not.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { hostPlatform } from '../../tools/platforms.mjs';
import { root } from '../support/child.mjs';
import { functionsWith, leaksOf } from './disassembly.mjs';

const installed = (name) => spawnSync(name, ['--version']).status === 0;
const skip =
  process.platform !== 'linux' || process.arch !== 'x64'
    ? 'the kernels are those of x64 Linux'
    : !installed('objdump') && 'objdump is not installed';

const folder = mkdtempSync(join(tmpdir(), 'millrace-kernels-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** AES and GCM on several blocks, the rounds of SHA, Poly1305. */
const kernels = /\bvaes(enc|dec).*%[yz]mm|\bsha(256rnds2|1rnds4)|\bvpmadd52/;

/**
 * Returns true for a leak of the counter. AWS-LC's GCM for AVX-512 branches on whether the last
 * byte of the counter begins again: with a nonce of 12 bytes the counter is not a secret (`counter`
 * in calls.mjs).
 */
function isCounter(code, leak) {
  const at = code.findIndex(({ text }) => leak === `branch: ${text}`);
  const { name, operands } = code[at - 1] ?? {};
  return name === 'cmp' && /^\$0xf[0-9a-f]$/.test(operands[0]) && /^%r15[bd]$/.test(operands[1]);
}

test('kernels that leak are found, those that do not are not', { skip }, async (t) => {
  const library = join(folder, 'kernels.so');
  const source = fileURLToPath(new URL('kernels.c', import.meta.url));
  const flags = ['-O2', '-mavx2', '-mvaes', '-shared', '-fPIC', source, '-o', library];
  const { status, stderr } = spawnSync(process.env.CC || 'cc', flags, { encoding: 'utf8' });
  if (status !== 0) return t.skip(`the compiler knows no VAES: ${stderr}`);
  const found = (await functionsWith(library, kernels)).map((code) => leaksOf(code).leaks);
  const kinds = found.map((leaks) => leaks.map((leak) => leak.split(':')[0]).join());
  assert.deepEqual(kinds.sort(), ['', '', 'address', 'address', 'address', 'branch']);
});

test('no branch and no address depends on a vector register', { skip }, async (t) => {
  const binary = join(root, 'native', `millrace.${hostPlatform()}.node`);
  const functions = await functionsWith(binary, kernels);
  assert.ok(functions.length > 20, `${functions.length} kernels`);
  const counts = {
    functions: functions.length,
    instructions: 0,
    branches: 0,
    loaded: 0,
    counter: 0,
  };
  for (const code of functions) {
    const { leaks, branches, loaded, reached } = leaksOf(code);
    const unknown = leaks.filter((leak) => !isCounter(code, leak));
    assert.deepEqual(unknown, [], `the function at ${code[0].address.toString(16)}`);
    counts.instructions += reached;
    counts.branches += branches;
    counts.loaded += loaded;
    counts.counter += leaks.length;
  }
  t.diagnostic(
    `${counts.functions} functions, ${counts.instructions} instructions: of ${counts.branches} ` +
      `branches ${counts.loaded} depend on numbers loaded from memory, ${counts.counter} on the ` +
      `counter of AWS-LC's GCM, the others on arguments`,
  );
});
