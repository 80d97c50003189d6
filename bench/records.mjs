// Draws the timing records under bench/records over time:
//
//   npm run bench -- records --html FILE

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { parseCsv } from './csv.mjs';
import { timingsPage } from './timings/page.mjs';

const folder = fileURLToPath(new URL('records', import.meta.url));
const { values } = parseArgs({
  options: { html: { type: 'string' }, folder: { type: 'string', default: folder } },
});
if (values.html === undefined) throw new Error('--html FILE says where the page is written');
const lines = readdirSync(values.folder)
  .filter((file) => /^timings-.*\.csv$/.test(file))
  .flatMap((file) => parseCsv(readFileSync(join(values.folder, file), 'utf8')));
writeFileSync(values.html, timingsPage(lines));
const records = new Set(lines.map(({ date, machine }) => `${date} ${machine}`)).size;
console.log(`${values.html}: ${records} records`);
