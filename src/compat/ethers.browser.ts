/** Browsers cannot load a package at a call: the program passes ethers. */
export function loadEthers(): object | undefined {
  return undefined;
}
