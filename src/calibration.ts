/**
 * Measures on this machine what the planner goes by, and keeps it for later processes.
 *
 * Three things differ from one machine to another: what each algorithm costs; what it costs the event loop to send a
 * job away, below which the job is cheaper done during its call; and up to which size, if any, a digest in plain JavaScript
 * takes less time than the way into native code.
 */
import { options as optionsObject } from './arguments.js';
import { native } from './binding.js';
import { runCallback } from './call.js';
import { hashFacts, hashList, type HashFacts } from './catalog.js';
import { portableBinding, setPortableLimit } from './crossover.js';
import { base } from './engines.js';
import { wrongType } from './errors.js';
import { At, frame, WHOLE, type Native } from './frame.js';
import { hashParser } from './hash.js';
import { cachedText, cacheText, machineName } from './platform/node-cache.js';
import { nextTurn } from './platform/node.js';
import { refreshPrices } from './prices.js';

/** What was measured, or read from where it is kept. */
export interface Calibration {
  /** The machine and versions it holds for; anywhere else it is not used. */
  readonly machine: string;
  /** When, as an ISO 8601 date. */
  readonly measured: string;
  /** The file it is kept in; undefined if it is not kept. */
  readonly file: string | undefined;
  /** Nanoseconds of work that an asynchronous call does at once, while others are in flight: more is cheaper sent away. */
  readonly inline: number;
  /** The most bytes of a message whose digest the portable engine gives sooner than native code, by hash. Hashes of which there is none are left out. */
  readonly portableTo: Readonly<Record<string, number>>;
}

/** Options of {@link calibrate}. */
export interface CalibrateOptions {
  /** Whether it is kept for later processes. Default: true. */
  readonly store?: boolean | undefined;
}

/** What is kept: changed whenever it is read or measured in another way. */
interface Kept extends Omit<Calibration, 'file'> {
  readonly format: number;
  /** Fixed nanoseconds, those per byte, and what one of many messages takes of them: of hashes and ciphers, by number. */
  readonly prices: readonly (readonly number[][])[];
}

const FORMAT = 1;
const FILE = 'calibration.json';

/**
 * Measures, which takes a second or two, and goes by it from now on in this whole process.
 *
 * @throws MillraceError ERR_ARGUMENT_TYPE
 */
export async function calibrateNow(given: unknown): Promise<Calibration> {
  const { store = true } = optionsObject<CalibrateOptions>(given, 'options');
  if (typeof store !== 'boolean') throw wrongType('options.store', 'a boolean', store);
  native.calibrate(1);
  const inline = await measureInline();
  const portableTo = await measurePortable();
  const kept: Kept = { format: FORMAT, machine: machineName(), measured: new Date().toISOString(), inline, portableTo, prices: prices() };
  apply(kept);
  const file = store ? cacheText(FILE, `${JSON.stringify(kept)}\n`) : undefined;
  current = publicPart(kept, file);
  return current;
}

let current: Calibration | undefined;

/** What is gone by, if anything was measured for this machine. */
export function calibration(): Calibration | undefined {
  return current;
}

/** Goes by what an earlier process has measured on this machine; called once, when the library is loaded. What is damaged, stale or of another machine is not there. */
export function restoreCalibration(): void {
  const { text, file } = cachedText(FILE) ?? {};
  if (text === undefined) return;
  const kept = parse(text);
  if (kept === undefined || kept.machine !== machineName()) return;
  apply(kept);
  current = publicPart(kept, file);
}

function publicPart({ machine, measured, inline, portableTo }: Kept, file: string | undefined): Calibration {
  return { machine, measured, file, inline, portableTo };
}

function apply({ inline, portableTo, prices }: Kept): void {
  // Native code believes none of it beyond reason.
  prices.forEach((table, cipher) => {
    table.forEach(([fixed, perByte, together], id) => native.restorePrice(cipher, id, fixed!, perByte!, together!));
  });
  native.setInlineLimit(inline);
  for (const name of hashList()) setPortableLimit(hashFacts(name).id, portableTo[name] ?? -1);
  refreshPrices();
}

function prices(): number[][][] {
  const table = (cipher: number): number[][] => {
    const rows: number[][] = [];
    for (let id = 0; native.price(cipher, id, 0) === native.price(cipher, id, 0); id++) {
      rows.push([0, 1, 2].map((which) => Number(native.price(cipher, id, which).toPrecision(4))));
    }
    return rows;
  };
  return [table(0), table(1)];
}

/** Undefined for what this version has not written. */
function parse(text: string): Kept | undefined {
  let kept: Partial<Kept> | null;
  try {
    kept = JSON.parse(text) as Partial<Kept> | null;
  } catch {
    return undefined;
  }
  const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0;
  const { format, machine, measured, inline, portableTo, prices } = kept ?? {};
  const whole =
    format === FORMAT &&
    typeof machine === 'string' &&
    typeof measured === 'string' &&
    isNumber(inline) &&
    typeof portableTo === 'object' &&
    portableTo !== null &&
    Object.values(portableTo).every((size) => isNumber(size) && size <= PORTABLE_SIZES.at(-1)!) &&
    Array.isArray(prices) &&
    prices.every((table) => Array.isArray(table) && table.every((row) => Array.isArray(row) && row.length === 3 && row.every(isNumber)));
  return whole ? (kept as Kept) : undefined;
}

// ---- the event loop -----------------------------------------------------------------------

const CROWD = 512;
const RUNS = 15;

/** Nanoseconds of loop time (not time that passes: what workers do meanwhile does not count) that a job costs more by way of the pool than its work does inline. */
async function measureInline(): Promise<number> {
  // Where loop time cannot be read, the limit stays.
  if (typeof performance.eventLoopUtilization === 'function') {
    const source = new Uint8Array(64);
    const target = new Uint8Array(32);
    const once = (route: string) => new Promise<void>((resolve, reject) => {
      runCallback((error) => (error ? reject(error as Error) : resolve()), hashParser.describe, ['sha256', source, { target, route }], 3);
    });
    const least = { inline: Infinity, pool: Infinity };
    for (let run = 0; run < RUNS; run++) {
      for (const route of ['inline', 'pool'] as const) {
        const before = performance.eventLoopUtilization();
        await Promise.all(Array.from({ length: CROWD }, () => once(route)));
        // The first is for the compiler.
        if (run > 0) least[route] = Math.min(least[route], performance.eventLoopUtilization(before).active * 1e6);
      }
    }
    const work = native.predict(hashFacts('sha256').id, source.length, 1);
    native.setInlineLimit(Math.round(Math.max(0, (least.pool - least.inline) / CROWD + work)));
  }
  return native.inlineLimit();
}

// ---- tiny digests -------------------------------------------------------------------------

/** Where JavaScript can win at all, it wins by what the way into native code takes: some 100 ns. */
const PORTABLE_SIZES = [0, 8, 16, 32, 64, 128];
/** It must win by so much, or it is noise. */
const PORTABLE_LEAD = 0.9;
const ROUNDS = 5;
const CALLS = 300;

async function measurePortable(): Promise<Record<string, number>> {
  const portable = portableBinding();
  const found: Record<string, number> = {};
  if (portable === undefined || base.name === 'portable') return found;
  for (const facts of hashList().map((name) => hashFacts(name))) {
    if (facts.digestSize === 0) continue;
    const wins = PORTABLE_SIZES.findIndex((size) => !isSooner(portable, facts, new Uint8Array(size)));
    const largest = wins < 0 ? PORTABLE_SIZES.length : wins;
    if (largest > 0) found[facts.name] = PORTABLE_SIZES[largest - 1]!;
    // Other events get their turns.
    await new Promise<void>((resolve) => nextTurn(resolve));
  }
  return found;
}

/** Whether the portable engine gives a digest sooner, as bytes and as hex. */
function isSooner(portable: Native, facts: HashFacts, source: Uint8Array): boolean {
  const target = new Uint8Array(facts.digestSize);
  const describe = (): void => {
    frame[At.Algorithm] = facts.id;
    frame[At.Key] = 0;
    frame[At.SourceOffset] = 0;
    frame[At.SourceSize] = WHOLE;
  };
  const time = (work: () => unknown): number => {
    const begin = performance.now();
    for (let call = 0; call < CALLS; call++) {
      describe();
      work();
    }
    return performance.now() - begin;
  };
  return [(binding: Native) => binding.hash(source, target), (binding: Native) => binding.hashHex(source)].every((work) => {
    let [here, there] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      here = Math.min(here, time(() => work(portable)));
      there = Math.min(there, time(() => work(native)));
      // Far behind though the compiler has seen it: the rest is not worth the time.
      if (round > 0 && here > 2 * there) return false;
    }
    return here < PORTABLE_LEAD * there;
  });
}
