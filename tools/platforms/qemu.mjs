// QEMU of Debian 13. That of Debian 12, version 7.2, computes VAES wrongly.

import { join } from 'node:path';

import { Stop, probe } from '../steps.mjs';
import { fromTrixie } from './fetch.mjs';

/** Returns the emulator of a CPU, such as `aarch64`, and its name with the version. */
export async function qemu(machine) {
  const command = join(await fromTrixie('qemu-user'), 'usr', 'bin', `qemu-${machine}`);
  const answer = await probe(command, ['--version']);
  const version = /version (\S+)/.exec(answer?.stdout ?? '')?.[1];
  if (version === undefined) throw new Stop('QEMU of Debian 13 does not run here');
  return { command, name: `QEMU ${version}` };
}
