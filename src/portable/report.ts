/**
 * The portable engine's part of `engines()` and of the cost report, as JSON.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { bytesFor, INLINE_NS, isMeasured, costOf } from './cost-model.js';
import { engineKind, unavailableReason, type Instance } from './instance.js';

/**
 * Returns the report as JSON:
 * `{"portable":{"available":true,"runs":"wasm-simd","libraries":{..},"algorithms":{..},..}}`
 */
export function enginesReport(open: () => Instance): string {
  const kind = engineKind();
  let instance: Instance;
  try {
    instance = open();
  } catch {
    const reason = unavailableReason();
    return JSON.stringify({
      portable: { available: false, reason, libraries: {}, algorithms: {}, derivations: {} },
    });
  }
  const text = instance.takeOutput(instance.calls.report(), (memory, start, end) =>
    new TextDecoder().decode(memory.slice(start, end)),
  );
  const { native } = JSON.parse(text) as { native: Record<string, unknown> };
  const { libraries, algorithms, derivations } = native;
  return JSON.stringify({
    portable: { available: true, ...kind, libraries, algorithms, derivations },
  });
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
