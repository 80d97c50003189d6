// Fetches the programs of a rehearsal once, below target/: an npm that stages, Verdaccio, GitHub's
// evaluator of expressions, a parser of YAML, and Sigstore's verifier.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { npm } from '../install.mjs';
import { root, step } from '../steps.mjs';

/** The folder of everything that a rehearsal writes. */
export const place = join(root, 'target', 'rehearsal');

const folder = join(place, 'programs');

const wanted = [
  'npm@11.21.2',
  'verdaccio@6.8.0',
  '@actions/expressions@0.3.61',
  'yaml@2.9.1',
  '@sigstore/verify@3.1.1',
  '@sigstore/bundle@4.0.0',
];

/** Fetches what is missing; no script of the packages runs. */
export async function fetchPrograms() {
  const manifest = JSON.stringify({
    private: true,
    // Verdaccio asks for a tag of node-fetch that some mirrors do not have.
    overrides: { 'node-fetch': '2.6.7' },
  });
  const done = join(folder, wanted.join(' ').replaceAll('/', '-'));
  if (existsSync(done)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts'];
  const [command, args, options] = npm(['install', ...flags, ...wanted]);
  await step('fetch the programs of a rehearsal', command, args, { ...options, cwd: folder });
  writeFileSync(done, '');
}

/** Returns the path of a file of a fetched package. */
export const fetchedFile = (...names) => join(folder, 'node_modules', ...names);

/** Imports the fetched package that has this entry point. */
export const fetched = (...names) => import(pathToFileURL(fetchedFile(...names)).href);
