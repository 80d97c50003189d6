// The script of the page that `npm run bench -- portable --browser` opens for each group.

import * as millrace from '../../dist/browser/index.mjs';
import * as portable from '../../dist/browser/portable.mjs';
import * as promises from '../../dist/browser/promises.mjs';
import { measureGroup } from './groups.mjs';

globalThis.measureGroup = (index, settings) =>
  measureGroup(index, { millrace, portable, promises }, settings);
