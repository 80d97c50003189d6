/**
 * cSHAKE, KMAC and TupleHash (NIST SP 800-185): SHAKE after a block that names the function.
 *
 * The message of a TupleHash is the encoded tuple; see operations/tuple.ts.
 */
import { encodeItems, leftEncode, rightEncode } from '../../catalog/integers.js';
import { parameterIn } from '../../catalog/parameters.js';
import { wrongType } from '../../request/errors.js';
import { isRevoked } from '../../request/intrinsics.js';
import type { HashParams } from './contract.js';
import type { Duplex } from './duplex.js';
import { SHAKE, SpongeHash } from './keccak.js';

/** The final byte of cSHAKE, and of what is built of it. */
export const CSHAKE = 0x04;

const NONE = /* @__PURE__ */ new Uint8Array(0);

/** cSHAKE; without function name and customization it is SHAKE. */
export class CShake extends SpongeHash {
  constructor(rate: number) {
    super(rate, 24, true);
  }

  protected override begin({ parameters }: HashParams): void {
    this.root.begin();
    const name = parameterIn(parameters, 'functionName') ?? NONE;
    const customization = parameterIn(parameters, 'customization') ?? NONE;
    if (name.length + customization.length > 0) absorbPadded(this.root, [name, customization]);
  }

  protected override end({ parameters }: HashParams): void {
    const name = parameterIn(parameters, 'functionName') ?? NONE;
    const customization = parameterIn(parameters, 'customization') ?? NONE;
    this.root.pad(name.length + customization.length > 0 ? CSHAKE : SHAKE);
  }
}

/** A function over cSHAKE whose message ends with the length of the output. */
abstract class Derived extends SpongeHash {
  readonly #name: Uint8Array;

  constructor(name: string, rate: number, xof: boolean) {
    super(rate, 24, xof);
    this.#name = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
  }

  protected override begin(params: HashParams): void {
    this.root.begin();
    const customization = parameterIn(params.parameters, 'customization') ?? NONE;
    absorbPadded(this.root, [this.#name, customization]);
  }

  protected override end(_params: HashParams, bits: number): void {
    this.root.absorb(rightEncode(bits));
    this.root.pad(CSHAKE);
  }
}

export class Kmac extends Derived {
  constructor(rate: number, xof: boolean) {
    super('KMAC', rate, xof);
  }

  protected override begin(params: HashParams): void {
    super.begin(params);
    absorbPadded(this.root, [parameterIn(params.parameters, 'key') ?? NONE]);
  }
}

export class TupleHash extends Derived {
  constructor(rate: number, xof: boolean) {
    super('TupleHash', rate, xof);
  }

  encodeItems(given: unknown, read: (item: unknown, name: string) => Uint8Array): Uint8Array {
    if (isRevoked(given) || !Array.isArray(given))
      throw wrongType('data', 'an array of bytes and strings, the items of the tuple', given);
    return encodeItems(Array.from(given, (item, index) => read(item, `data[${index}]`)));
  }
}

/** Absorbs `bytepad` of the encoded strings, which fills whole blocks. */
export function absorbPadded(sponge: Duplex, strings: readonly Uint8Array[]): void {
  sponge.absorb(leftEncode(sponge.rate));
  for (const string of strings) {
    sponge.absorb(leftEncode(8 * string.length));
    sponge.absorb(string);
  }
  sponge.endBlock();
}
