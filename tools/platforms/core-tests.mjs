// The Rust tests of crates/core for another CPU, under QEMU: they compare each set of instructions
// with the code that needs none, which the conformance suite cannot choose.

import { Stop, probe } from '../steps.mjs';
import { prepareArm64 } from './runners.mjs';

/**
 * The tests that run: those of code with instructions of this CPU, and of messages in parts. The
 * others take minutes under an emulator, and the CPU makes no difference to them.
 */
// prettier-ignore
const filters = [
  'aes::', 'chacha', 'crc::', 'gcm', 'keccak::', 'lanes::', 'many::', 'pbkdf2::', 'poly1305::',
  'sha2::', 'split::', 'xxh::',
];

/**
 * Runs the tests on a CPU, without the features in `hide`.
 *
 * @param {{ modules: string, functions: string }} programs of buildCoreTests
 * @param {{ cpu: string, hide?: string }} cpu
 */
export async function runCoreTests({ modules, functions }, { cpu, hide }) {
  const { command, args, title } = await prepareArm64(cpu);
  const env = {
    ...process.env,
    MILLRACE_CPU_HIDE: hide ?? '',
    // Emulated programs start no others: tests that start themselves again leave that out.
    MILLRACE_TEST_CHILD: '1',
  };
  let passed = 0;
  const missing = new Set();
  // Those of public functions take the longest, and show no more without one kind of instructions.
  for (const program of hide === undefined ? [modules, functions] : [modules]) {
    const answer = await probe(command, [...args, program, '--nocapture', ...filters], {
      env,
    });
    const output = `${answer?.stdout}\n${answer?.stderr}`;
    const count = /test result: ok\. (\d+) passed/.exec(output)?.[1];
    if (answer?.code !== 0 || count === undefined) {
      const said = output.split('\n').filter((line) => /FAILED|panicked|rror/.test(line));
      throw new Stop(`millrace: ${program}: ${said.slice(0, 3).join('; ')}`);
    }
    passed += Number(count);
    for (const [, names] of output.matchAll(/skipped: .*: needs (.*)/g)) missing.add(names);
  }
  const without = hide === undefined ? '' : `, without ${hide}`;
  const skipped = missing.size === 0 ? '' : `; skipped what needs ${[...missing].join(', ')}`;
  return { ok: passed > 0, detail: `${title}${without}: ${passed} tests of the core${skipped}` };
}
