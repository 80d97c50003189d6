/** Decides whether Millrace serves calls at all. */
import { nativeName } from '../../engines/binding.js';
import { callNode, original } from './original.js';

const { getFips, setFips } = original;

let serving = nativeName === 'native';

/**
 * Returns true if Millrace may serve calls: it has its native engine, and Node.js is not in FIPS
 * mode, which permits no other implementation than OpenSSL's.
 */
export function mayServe(): boolean {
  return serving && getFips() === 0;
}

/** Calls Node's setFips; FIPS mode ends the service of Millrace. */
export function setFipsMode(...given: unknown[]): void {
  callNode(setFips, given);
  if (getFips() !== 0) serving = false;
}

/** Returns false once {@link setFipsMode} switched FIPS mode on. */
export function isServing(): boolean {
  return serving;
}
