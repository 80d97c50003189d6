// What `npm test` runs only for changes that it is about: it takes long, and other tests fail
// first where anything else breaks. `npm run test:all`, nightly and before a release, has it.

import { keepVerdict, verdict } from './cache.mjs';
import { probe, root } from './steps.mjs';

/** The native code, and what builds it. */
const native = 'crates/|Cargo|rust-toolchain|\\.cargo/';

/** Titles of steps or files, and the beginnings of the paths that they are about. */
export const long = [
  {
    titles: ['documentation site', 'test/docs/site.test.mjs', 'test/docs/page.test.mjs'],
    about: 'docs/|[A-Z]+\\.md$|test/docs/|tools/(docs|links|serve)',
  },
  {
    titles: ['test/browser/conformance.test.mjs', 'test/conformance/edge.test.mjs'],
    about:
      'src/portable/|src/.*\\.browser\\.ts|crates/families/|tools/(bundle|wasm|browser)|' +
      'test/(browser|conformance)/',
  },
  {
    titles: ['test/conformance/runtimes.test.mjs'],
    about: 'src/(engines|base)/|crates/node/|tools/runtimes|test/conformance/|package.json',
  },
  {
    titles: ['test/package/published.test.mjs'],
    about:
      'package|tools/(build|bundle|platform|notices|sbom|noble|managers)|test/package/|' +
      'src/([^/]*|.*types)\\.ts',
  },
  {
    titles: ['test/kernel/kernel.test.mjs'],
    about: 'crates/(linux|node|request)/|src/engines/|tools/guest/|test/kernel/',
  },
  {
    titles: [
      'test/constant-time/constant-time.test.mjs',
      'test/engines/cpu-paths.test.mjs',
      'test/lifecycle/allocations.test.mjs',
      'test/lifecycle/garbage.test.mjs',
    ],
    about: `${native}|tools/cpu|test/(constant-time|engines|lifecycle)/`,
  },
  {
    titles: ['test/portable/big-endian.test.mjs'],
    about: `src/portable/|${native}|test/portable/`,
  },
];

/** What a passed step's commit is kept under. */
const LAST = ['commit of the last pass'];

/** Keeps that a title passed, if it is one of these: later changes are those since this commit. */
export async function keepCommit(title) {
  if (!long.some(({ titles }) => titles.includes(title))) return;
  const [commit] = (await git('rev-parse', 'HEAD')) ?? [];
  if (commit !== undefined) keepVerdict(title, LAST, { commit });
}

/**
 * Returns the titles that no change is about, and what it would be. Changes are those since the
 * commit at which the title passed last, as far as this machine knows.
 *
 * @param {(title: string) => string | undefined} passed
 */
export async function leftOut(passed = (title) => verdict(title, LAST)?.commit) {
  const out = new Map();
  for (const { titles, about } of long)
    for (const title of titles) {
      const changed = await changedPaths(passed(title));
      if (changed === undefined || changed.some((path) => new RegExp(`^(${about})`).test(path)))
        continue;
      out.set(title, `no change of ${about}`);
    }
  return out;
}

/**
 * The paths that differ from a commit: without one of this branch from what was published, or from
 * the one before the last. Undefined if it cannot be told.
 */
async function changedPaths(commit) {
  const ours =
    commit !== undefined &&
    (await git('merge-base', '--is-ancestor', commit, 'HEAD')) !== undefined;
  const [head] = (await git('rev-parse', 'HEAD')) ?? [];
  const [published = head] = (await git('merge-base', 'HEAD', '@{upstream}')) ?? [];
  const base = ours ? commit : published === head ? 'HEAD~1' : published;
  const committed = await git('diff', '--name-only', base);
  const untracked = await git('ls-files', '--others', '--exclude-standard');
  return committed && untracked && [...committed, ...untracked];
}

/** Returns the lines that git prints, or undefined if it fails. */
async function git(...args) {
  const answer = await probe('git', args, { cwd: root });
  return answer?.code === 0 ? answer.stdout.split('\n').filter(Boolean) : undefined;
}
