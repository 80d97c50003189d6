#!/usr/bin/env node
// scrypt-promisify-benchmark, as it has always been called: node scrypt-bench.mjs [--iterations=N]
// ... See docs/cli.md.

import scryptBench from './cli/bench/scrypt/command.js';

scryptBench.standalone(process.argv.slice(2));
