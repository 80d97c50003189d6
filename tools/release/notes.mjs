// Prints the section of CHANGELOG.md for a tag: the notes of its release on GitHub. A version
// before a release has those of the version that it precedes.
//
//   node tools/release/notes.mjs v1.2.3

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../steps.mjs';

const version = process.argv[2]?.replace(/^v/, '');
const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const sections = text.split(/^## /m).slice(1);
const of = (each) => sections.find((section) => section.startsWith(`${each} - `));
const section = version && (of(version) ?? (version.includes('-') && of(version.split('-')[0])));
if (!section) {
  console.error(`millrace: CHANGELOG.md has no section ${version}`);
  process.exitCode = 1;
} else console.log(section.slice(section.indexOf('\n')).trim());
