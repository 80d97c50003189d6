/**
 * The portable engine's part of `engines()` and of the cost report, as JSON.
 */
import { ciphers, hashes } from '../catalog/catalog-table.js';
import { bytesFor, INLINE_NS, isMeasured, costOf } from './cost-model.js';
import { hashOf } from './digests.js';
import { refusal } from './module.js';
import { plain, simd } from './modules/all/reports.js';

/** Returns why no module can run; empty if one can. */
export function unavailableReason(): string {
  return refusal === undefined
    ? ''
    : `${refusal.message}. Allow it, or call useJavaScript of 'millrace/javascript' before the ` +
        'first call';
}

let reports: { readonly simd: string; readonly plain: string } | undefined;

/** Provides the reports on what computes each algorithm. */
export function provideReports(): void {
  reports = { simd, plain };
}

/**
 * Returns the report as JSON:
 * `{"portable":{"available":true,"runs":"wasm-simd","libraries":{..},"algorithms":{..},..}}`
 */
export function enginesReport(): string {
  let portable: object = { available: false, libraries: {}, algorithms: {}, derivations: {} };
  try {
    const module = hashOf(0).family.compile();
    const runs =
      typeof module === 'function' ? 'javascript' : refusal === undefined ? 'wasm-simd' : 'wasm';
    const reason = refusal && { reason: refusal.message };
    const text = reports?.[runs === 'wasm-simd' ? 'simd' : 'plain'] ?? '{}';
    portable = { available: true, runs, ...reason, ...JSON.parse(text) };
  } catch {
    portable = { ...portable, reason: unavailableReason() };
  }
  return JSON.stringify({ portable });
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
