// What tests and steps may skip for want of a tool although it runs in CI, and which job has it.
// Any other tool that is missing there fails the run: nothing would test what needs it.

import { existsSync } from 'node:fs';

/** Reasons of skips that name a missing tool, a package or a module of the kernel. */
const missing = /not installed|there is no (?!user|\/)|could not be installed|run modprobe/;

/** Reasons that are accepted in CI. */
const accepted = [
  // Jobs of the nightly workflow install these.
  /npm run (test:(aws|bundlers|noble|package)|prove)\b/,
  // So does its job of test:all.
  /cargo install --locked bao_bin/,
  // Guests with kernels of their own load them (test:kernel).
  /run modprobe/,
  // Jobs of their own check arm64, the crates' licences and the workflows.
  /rustup target add aarch64-unknown-linux-gnu|cargo install --locked cargo-deny/,
  /go install \S*actionlint|pip install zizmor/,
  // A job of its own, test:browser, installs Firefox and opens the pages in it.
  /there is no Firefox/,
  // Debian 12 has older versions of these, or none.
  /there is no (cksum|b3sum)/,
];

/**
 * Returns true if what a test was skipped for may be there the next time, without a difference in
 * what a verdict depends on: packages and modules of the kernel, but none of these programs.
 *
 * @param {string} text
 * @param {readonly string[]} programs
 */
export const mayAppear = (text, programs) =>
  missing.test(text) && !programs.some((name) => text.includes(`there is no ${name} `));

/**
 * Returns the reasons of skips that fail the run in CI on Debian and Ubuntu, where packages are
 * installed by name (tools/prerequisites.mjs); on other systems and outside of CI none does.
 *
 * @param {readonly string[]} skips
 */
export function unexpectedSkips(skips, { CI } = process.env, debian = isDebian()) {
  if (!CI || !debian) return [];
  return skips.filter((text) => missing.test(text) && !accepted.some((one) => one.test(text)));
}

const isDebian = () => existsSync('/etc/debian_version');
