// The latency tables as text.

import { bytes, duration, rate } from './report.mjs';
import { held } from './latency.mjs';

export function latencyReport(
  { seconds, loop, held: calls, rest, foreign, wrong },
  { cpu, cores, system, node },
) {
  const rounds = Math.max(0, ...loop.map((each) => each.rounds.length));
  return [
    `latency: ${cpu}, ${cores} cores, ${system}, Node ${node}`,
    `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s in processes of their ` +
      `own, median of the rounds (lowest to highest); other processes used ` +
      `${foreign.toFixed(1)} cores`,
    '',
    `${'in flight'.padEnd(56)} ${'competitor'.padEnd(13)} ${'jobs'.padStart(10)}  ` +
      `${'probe'.padEnd(11)} ${'p50'.padStart(9)} ${'p99'.padStart(9)}`,
    ...loop.flatMap(situationLines),
    '',
    // Without them where the run was interrupted before.
    ...(calls.length === 0
      ? []
      : [
          'main thread held by one lent call: p50 / p99 (p50 cold)',
          `  ` +
            ''.padEnd(8) +
            calls
              .map(({ competitor, job }) => `${competitor} ${job.algorithm}`.padStart(32))
              .join(''),
          ...held.sizes.map((size) => heldLine(size, calls)).filter(Boolean),
          '',
        ]),
    ...(rest.length === 0
      ? []
      : [
          `CPU over ${rest[0].seconds} idle seconds after a burst: ` +
            `${rest.map(({ competitor, cpu }) => `${competitor} ${duration(cpu)}`).join(', ')}`,
          '',
        ]),
    ...wrong.map((text) => `WRONG: ${text}`),
    '',
  ].join('\n');
}

function situationLines({ name, competitor, jobsPerSecond, load, probes }) {
  return Object.entries(probes).map(([probe, { p50, p99 }], index) => {
    const what = { timer: 'timer late', stat: 'fs.stat' }[probe] ?? `hash ${bytes(Number(probe))}`;
    const first = index === 0;
    const range = p99[1] === p99[2] ? '' : ` (${duration(p99[1])} to ${duration(p99[2])})`;
    const jobs = first && load.length > 0 ? rate(1 / jobsPerSecond) : '';
    return (
      `${(first ? name : '').padEnd(56)} ` +
      `${(first && load.length > 0 ? competitor : '').padEnd(13)} ${jobs.padStart(10)}  ` +
      `${what.padEnd(11)} ${duration(p50[0]).padStart(9)} ` +
      `${duration(p99[0]).padStart(9)}${range}`
    );
  });
}

function heldLine(size, calls) {
  const cells = calls.map(({ sizes }) => {
    const found = sizes.find((each) => each.size === size);
    return (
      found === undefined
        ? '-'
        : `${duration(found.p50)} / ${duration(found.p99)} (${duration(found.cold.p50)})`
    ).padStart(32);
  });
  return cells.every((cell) => cell.trim() === '-')
    ? undefined
    : `  ${bytes(size).padEnd(8)}${cells.join('')}`;
}
