/**
 * The portable engine's part of `engines()` and of the cost report, as JSON.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { bytesFor, INLINE_NS, isMeasured, costOf } from './cost-model.js';
import { libraries, libraryOf } from './libraries.js';

/** `{"portable":{"available":true,"libraries":{..},"algorithms":{..}}}` */
export function enginesReport(): string {
  const algorithms = Object.fromEntries(
    [...hashes, ...ciphers].map(({ name }) => [
      name,
      { library: libraryOf(name), instructions: [], hardware: false },
    ]),
  );
  return JSON.stringify({ portable: { available: true, libraries, algorithms } });
}

/** Returns all costs by algorithm. */
export function costsReport(): string {
  const of = (cipher: boolean) => (facts: { readonly id: number; readonly name: string }) => {
    const cost = costOf(cipher, facts.id)!;
    const shown = {
      fixed: round(cost.fixed, 1),
      perByte: round(cost.perByte, 5),
      measured: isMeasured(cipher, facts.id),
      inlineTo: bytesFor(cost, INLINE_NS),
    };
    return [facts.name, cipher ? shown : { ...shown, batchFactor: 1 }];
  };
  return JSON.stringify(Object.fromEntries([...hashes.map(of(false)), ...ciphers.map(of(true))]));
}

function round(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}
