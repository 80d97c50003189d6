// Forced garbage collection, also when the process was started without --expose-gc.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const collectGarbage = globalThis.gc ?? exposed();

function exposed() {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
