// The reporter of a test file: writes counts, skipped tests, diagnostics (random seeds among them)
// and failures as JSON, which test-files.mjs prints. Node's own reporters print a line for each of
// the thousands of subtests.

import { inspect } from 'node:util';

export default async function* report(events) {
  const account = { passed: 0, skipped: [], diagnostics: [], failures: [] };
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic') {
      if (!isCount(data.message)) account.diagnostics.push(data.message);
    } else if ((type === 'test:pass' || type === 'test:fail') && !isWhole(data)) {
      const skip = data.skip ?? data.todo;
      if (skip !== undefined && skip !== false) {
        const reason = typeof skip === 'string' && skip !== '' ? `: ${skip}` : '';
        account.skipped.push(`${data.name}${reason}`);
      } else if (type === 'test:pass') account.passed += 1;
      else account.failures.push(failure(data));
    }
  }
  yield JSON.stringify(account);
}

// A suite, or a test with failed subtests, only repeats its parts.
function isWhole(data) {
  return data.details?.type === 'suite' || data.details?.error?.failureType === 'subtestsFailed';
}

// Node's own final counts, which the summary repeats.
function isCount(message) {
  return /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);
}

function failure(data) {
  const error = data.details?.error;
  const cause = error?.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? inspect(cause)) : inspect(cause);
  return `FAILED ${data.name}${data.line === undefined ? '' : ` (line ${data.line})`}\n${text}\n`;
}
