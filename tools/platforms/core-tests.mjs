// The Rust tests of crates/core for another CPU, under an emulator: they compare each set of
// instructions with the code that needs none, which the conformance suite cannot choose.

import { join } from 'node:path';

import { Stop, probe } from '../steps.mjs';
import { bootBochs, prepareBochs } from './bochs.mjs';
import { prepareArm64 } from './runners.mjs';

/** @typedef {{ modules: string, functions: string }} Programs of buildCoreTests */

/**
 * The tests that run under QEMU: those of code with instructions of this CPU, and of messages in
 * parts. The others take minutes under an emulator, and the CPU makes no difference to them.
 */
// prettier-ignore
const filters = [
  'aes::', 'chacha', 'crc::', 'gcm', 'hasher::random_pieces', 'hasher::states', 'keccak::', 'lanes::',
  'many::', 'pbkdf2::', 'poly1305::', 'sha2::', 'split::', 'xxh::',
];

/**
 * Those that run under Bochs, which executes 70 to 90 million instructions a second: all of the
 * modules but BLAKE2's, which have no kernel for AVX-512, and the shortest of public functions.
 */
// prettier-ignore
const bochsTests = {
  modules: ['--skip=blake2::', '--skip=at_large_costs'],
  functions: [
    'wycheproof::aes', 'wycheproof::chacha', 'chunks::', 'cipher::',
    'hash::', 'hmac::', 'many::every', 'argon2::another', 'scrypt::another',
  ],
};

/** Those of the quick form, of ten seconds or less each, and AES-GCM's at every size. */
// prettier-ignore
const bochsQuickTests = {
  modules: [
    'carries', 'chacha', 'crc::', 'gcm::tests::one_call', 'gcm::tests::p', 'gcm_siv', 'kdf::argon2',
    'kdf::pbkdf2', 'kdf::scrypt', 'lanes::tests::md', 'lanes::tests::sha_1',
    'all_compressions', 'poly1305::', 'xxh3::', '--skip=at_large_costs',
  ],
  functions: ['wycheproof::aes', 'wycheproof::chacha', 'cipher::'],
};

/**
 * Runs the tests on a CPU, without the features in `hide`.
 *
 * @param {Programs} programs
 * @param {{ cpu: string, hide?: string, emulator?: 'bochs' }} cpu
 * @param {{ quick: boolean, folder: string }} options where files of the run may be kept
 */
export async function runCoreTests(programs, { cpu, hide, emulator }, { quick, folder }) {
  const { title, ran } =
    emulator === 'bochs'
      ? await underBochs(programs, { cpu, quick, folder: join(folder, cpu) })
      : await underQemu(programs, { cpu, hide });
  let passed = 0;
  const missing = new Set();
  for (const { program, code, output } of ran) {
    const count = /test result: ok\. (\d+) passed/.exec(output)?.[1];
    if (code !== 0 || count === undefined) {
      const said = output
        .split('\n')
        .filter((line) => /FAILED|panicked|rror/.test(line) && !line.endsWith(' ok'));
      const end = code === undefined ? 'did not end' : `ended with ${code}`;
      throw new Stop(`millrace: ${program}: ${said.slice(0, 3).join('; ') || end}`);
    }
    if (count === '0') throw new Stop(`millrace: ${program}: no test ran`);
    passed += Number(count);
    for (const [, names] of output.matchAll(/skipped: .*: needs (.*)/g)) missing.add(names);
  }
  const without = hide === undefined ? '' : `, without ${hide}`;
  const skipped = missing.size === 0 ? '' : `; skipped what needs ${[...missing].join(', ')}`;
  // Bochs is there to have all instructions: a test that lacks some is a failure.
  const ok = emulator === undefined || missing.size === 0;
  return { ok, detail: `${title}${without}: ${passed} tests of the core${skipped}` };
}

/** @param {Programs} programs */
async function underQemu({ modules, functions }, { cpu, hide }) {
  const { command, args, title } = await prepareArm64(cpu);
  const env = {
    ...process.env,
    MILLRACE_CPU_HIDE: hide ?? '',
    // Emulated programs start no others: tests that start themselves again leave that out.
    MILLRACE_TEST_CHILD: '1',
  };
  const ran = [];
  // Those of public functions take the longest, and show no more without one kind of instructions.
  for (const program of hide === undefined ? [modules, functions] : [modules]) {
    const answer = await probe(command, [...args, program, '--nocapture', ...filters], { env });
    ran.push({ program, code: answer?.code, output: `${answer?.stdout}\n${answer?.stderr}` });
  }
  return { title, ran };
}

/** @param {Programs} programs */
async function underBochs({ modules, functions }, { cpu, quick, folder }) {
  const machine = await prepareBochs(cpu);
  const chosen = quick ? bochsQuickTests : bochsTests;
  const args = ['--nocapture', '--test-threads=1'];
  const runs = [
    { program: modules, args: [...args, ...chosen.modules] },
    { program: functions, args: [...args, ...chosen.functions] },
  ];
  return { title: machine.title, ran: await bootBochs(machine, runs, { folder, minutes: 60 }) };
}
