// CPUs with less than this one: which features each tier lacks, and how they are hidden. The one
// table of them, for `npm run test:cpus` and test/engines/cpu-paths.test.mjs.
//
// Code of our own goes by MILLRACE_CPU_HIDE, names of crates/core/src/cpu/features.rs.
// AWS-LC goes by OPENSSL_ia32cap: two words of 64 bits, the first from cpuid 1 (EDX, then ECX), the
// second from cpuid 7 (EBX, then ECX). `~` clears bits, no prefix sets the word.
//
// Not hidden: the kernels of the crate blake3, which asks cpuid itself and offers no way at run
// time (its tests, and the oracles here, see the best kernel only), and what the C library and V8
// use.

import { createRequire } from 'node:module';

const avx512 = ['avx512f', 'avx512vl', 'avx512bw', 'avx512vbmi2', 'avx512ifma'];
const recent = [...avx512, 'sha-ni', 'vaes', 'vpclmulqdq'];
const vectors = [...recent, 'movbe', 'avx', 'avx2', 'bmi1', 'bmi2', 'aes-ni', 'pclmulqdq'];
const everything = [...vectors, 'ssse3', 'sse4.1'];

/** A CPU with nothing hidden that has all features. The letters are those of the benchmark. */
export const newest = {
  name: 'a CPU with AVX-512',
  short: 'avx512',
  letter: 'A',
  has: 'AVX-512, IFMA, VAES, VPCLMULQDQ, SHA-NI: Zen 4, Sapphire Rapids',
  hide: [],
  ia32cap: '',
  needs: ['avx512f', 'avx512vl', 'avx512bw', 'avx512ifma', 'vaes', 'vpclmulqdq'],
};

/**
 * From the most to the least: `needs` are features that this CPU must have to belong to the tier.
 */
export const tiers = [
  {
    // AVX512 F, DQ, IFMA, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ.
    name: 'Zen 3, Alder Lake',
    short: 'zen3',
    letter: 'B',
    has: 'AVX2, VAES, VPCLMULQDQ, SHA-NI; no AVX-512',
    hide: avx512,
    ia32cap: ':~0x5842d0230000',
    needs: ['avx2', 'vaes', 'vpclmulqdq', 'sha-ni'],
  },
  {
    // IFMA, SHA; VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ.
    name: 'Skylake-SP, Cascade Lake',
    short: 'skylake',
    letter: 'S',
    has: 'AVX-512, AES-NI, PCLMULQDQ; no IFMA, no VAES, no SHA-NI',
    hide: ['avx512vbmi2', 'avx512ifma', 'sha-ni', 'vaes', 'vpclmulqdq'],
    ia32cap: ':~0x5f4220200000',
    needs: ['avx512f', 'avx512vl', 'avx512bw', 'bmi2', 'aes-ni', 'pclmulqdq'],
  },
  {
    // Besides SHA, ADX, RDSEED; GFNI, VAES, VPCLMULQDQ.
    name: 'Haswell',
    short: 'haswell',
    letter: 'C',
    has: 'AVX2, BMI2, AES-NI, PCLMULQDQ; no VAES, no SHA-NI',
    hide: recent,
    ia32cap: ':~0x5f42f02f0000',
    needs: ['avx2', 'bmi2', 'aes-ni', 'pclmulqdq'],
  },
  {
    // PCLMULQDQ, FMA, MOVBE, AES, XSAVE, OSXSAVE, AVX, F16C, RDRAND; all of cpuid 7.
    name: 'Nehalem',
    short: 'nehalem',
    has: 'SSE4.2; no AES-NI, no PCLMULQDQ, no AVX',
    hide: vectors,
    ia32cap: '~0x7e40100200000000:0x0',
    needs: ['ssse3', 'sse4.1'],
  },
  {
    name: 'nothing',
    short: 'nothing',
    has: 'SSE2, which every x86-64 has',
    hide: everything,
    ia32cap: '0x0:0x0',
    needs: [],
  },
];

/** All names that MILLRACE_CPU_HIDE knows on x86-64. */
export { everything };

/** Returns the environment in which a program finds the features of a tier only. */
export function tierEnvironment({ hide, ia32cap }) {
  if (hide.length === 0) return {};
  return { MILLRACE_CPU_HIDE: hide.join(','), OPENSSL_ia32cap: ia32cap };
}

/**
 * Returns why this machine cannot be that tier; undefined if it can. `features` are what engines()
 * tells.
 */
export function whyNot({ needs }, features) {
  if (process.arch !== 'x64') return `features are hidden on x64 only, this is ${process.arch}`;
  const missing = needs.filter((name) => !features.includes(name));
  return missing.length > 0 ? `this CPU has no ${missing.join(', ')}` : undefined;
}

/** Returns the tier of a name or letter, undefined without one. Throws if it is not known. */
export function tierOf(name) {
  const all = [newest, ...tiers];
  const tier = all.find(({ short, letter }) => short === name || letter === name);
  if (name !== undefined && tier === undefined)
    throw new Error(`--tier: ${name} is none of ${all.map(({ short }) => short).join(', ')}`);
  return name === undefined ? undefined : tier;
}

/** Returns the tiers of names; of `all` those that have a letter, without a name only undefined. */
export function tiersOf(names) {
  if (names.includes('all')) return [newest, ...tiers].filter(({ letter }) => letter !== undefined);
  return names.length === 0 ? [undefined] : names.map(tierOf);
}

/** Returns the letter of a tier, else its short name. */
export function letterOf(tier) {
  return tier?.letter ?? tier?.short ?? 'all';
}

/** What this CPU has, hidden or not. */
export function featuresHere() {
  return createRequire(import.meta.url)('../dist/index.js').engines().native.cpu.features;
}

export const describeTier = (tier) =>
  tier === undefined ? 'all CPU features' : `as ${tier.name}: ${tier.has}`;
