// The reporter for `node --test`: one line with counts and duration for each test file, details of
// failures, the output of tests (random seeds among it) and the slowest files. Node's own reporters
// print one line for each of the thousands of subtests.

import { relative } from 'node:path';
import { inspect } from 'node:util';

import { root } from './steps.mjs';

const SLOWEST_FILES = 10;

export default async function* report(events) {
  const total = { passed: 0, failed: 0, skipped: [] };
  const files = [];
  let current; // files report one after the other
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      yield indent(data.message);
    } else if (type === 'test:diagnostic') {
      if (!isCount(data.message)) yield indent(data.message);
    } else if (data?.details?.type === 'suite' && data.nesting === 0) {
      if (current?.path === data.file) current.seconds += data.details.duration_ms / 1000;
    } else if ((type === 'test:pass' || type === 'test:fail') && !isWhole(data)) {
      if (current?.path !== data.file) {
        if (current !== undefined) yield line(current);
        current = { path: data.file, passed: 0, failed: 0, skipped: 0, seconds: 0 };
        files.push(current);
      }
      // Nested tests are part of the test around them.
      if (data.nesting === 0) current.seconds += (data.details?.duration_ms ?? 0) / 1000;
      const skip = data.skip ?? data.todo;
      if (skip !== undefined && skip !== false) {
        current.skipped += 1;
        total.skipped.push(
          `${data.name}${typeof skip === 'string' && skip !== '' ? `: ${skip}` : ''}`,
        );
      } else if (type === 'test:pass') {
        current.passed += 1;
        total.passed += 1;
      } else {
        current.failed += 1;
        total.failed += 1;
        yield failure(data);
      }
    }
  }
  if (current !== undefined) yield line(current);
  for (const skip of total.skipped) yield `  skipped: ${skip}\n`;
  if (files.length > SLOWEST_FILES) {
    files.sort((left, right) => right.seconds - left.seconds);
    yield '  slowest files:\n';
    for (const { path, seconds } of files.slice(0, SLOWEST_FILES))
      yield `${`${seconds.toFixed(1)} s`.padStart(11)}  ${relative(root, path ?? root)}\n`;
  }
  const { passed, failed, skipped } = total;
  yield `  JavaScript tests: ${passed} passed, ${failed} failed, ${skipped.length} skipped\n`;
}

// A suite, or a test with failed subtests, only repeats its parts. Some versions of Node also
// report each file as a test.
function isWhole(data) {
  return (
    data.details?.type === 'suite' ||
    data.details?.error?.failureType === 'subtestsFailed' ||
    (data.nesting === 0 &&
      (data.file === undefined || data.file.endsWith(data.name)) &&
      data.details?.error === undefined)
  );
}

// Node's own final counts, which the summary repeats.
function isCount(message) {
  return /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);
}

function line({ path, passed, failed, skipped, seconds }) {
  const counts = [`${passed} passed`];
  if (failed > 0) counts.push(`${failed} FAILED`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  const time = `${seconds.toFixed(1)} s`.padStart(7);
  return `  ${relative(root, path ?? root).padEnd(48)} ${time}  ${counts.join(', ')}\n`;
}

function failure(data) {
  const error = data.details?.error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? inspect(cause)) : inspect(cause);
  const place = data.file === undefined ? '' : ` (${relative(root, data.file)}:${data.line ?? ''})`;
  const end = error?.exitCode ?? error?.signal; // of the process, when the whole file failed
  return `  FAILED ${data.name}${place}\n${indent(end == null ? text : `${text}, exit ${end}`)}`;
}

function indent(text) {
  return `${text.replace(/\n$/, '').replace(/^/gm, '    ')}\n`;
}
