// The least that can be taken.

import { sha256 } from 'millrace/portable';

console.log(sha256('abc', 'hex'));
