// What `npm test` runs only for changes that it is about: it takes long, and other tests fail
// first where anything else breaks. `npm run test:all`, nightly and before a release, has it.

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

/** Returns the titles that no change is about, and what it would be. */
export async function leftOut() {
  const changed = await changedPaths();
  if (changed === undefined) return new Map();
  return new Map(
    long
      .filter(({ about }) => !changed.some((path) => new RegExp(`^(${about})`).test(path)))
      .flatMap(({ titles, about }) => titles.map((title) => [title, `no change of ${about}`])),
  );
}

/** The paths that the last commit and the working tree changed; undefined if it cannot be told. */
async function changedPaths() {
  const git = async (...args) => {
    const answer = await probe('git', args, { cwd: root });
    return answer?.code === 0 ? answer.stdout.split('\n').filter(Boolean) : undefined;
  };
  const committed = await git('diff', '--name-only', 'HEAD~1');
  const untracked = await git('ls-files', '--others', '--exclude-standard');
  return committed && untracked && [...committed, ...untracked];
}
