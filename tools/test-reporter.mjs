// For `node --test`: one line a test file, everything about a failure, and what a test prints or
// notes (seeds among them). The reporters Node has print one line a subtest, thousands here.

import { relative } from 'node:path';
import { inspect } from 'node:util';

import { root } from './steps.mjs';

export default async function* report(events) {
  const total = { passed: 0, failed: 0, skipped: [] };
  let current; // the file whose results are coming in; files report one after the other
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') {
      yield indent(data.message);
    } else if (type === 'test:diagnostic') {
      if (!isCount(data.message)) yield indent(data.message);
    } else if ((type === 'test:pass' || type === 'test:fail') && !isWhole(data)) {
      if (current?.path !== data.file) {
        if (current !== undefined) yield line(current);
        current = { path: data.file, passed: 0, failed: 0, skipped: 0 };
      }
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
  yield `  JavaScript tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped\n`;
}

// Neither a suite nor a test with failed subtests says anything its parts have not said, and some
// versions of Node report each file as a test as well.
function isWhole(data) {
  return (
    data.details?.type === 'suite' ||
    data.details?.error?.failureType === 'subtestsFailed' ||
    (data.nesting === 0 &&
      (data.file === undefined || data.file.endsWith(data.name)) &&
      data.details?.error === undefined)
  );
}

// The closing counts of Node's own; the summary has them.
function isCount(message) {
  return /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);
}

function line({ path, passed, failed, skipped }) {
  const counts = [`${passed} passed`];
  if (failed > 0) counts.push(`${failed} FAILED`);
  if (skipped > 0) counts.push(`${skipped} skipped`);
  return `  ${relative(root, path ?? root).padEnd(48)} ${counts.join(', ')}\n`;
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
