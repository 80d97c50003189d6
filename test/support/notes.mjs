// Notes of a test file besides pass and fail.

/** Writes one line in the report of the file, such as the seed. */
export function diagnostic(line) {
  console.log(`# ${line}`);
}
