// What a test file has to tell besides pass and fail.

/** One line in the report of the file, such as the seed. */
export function diagnostic(line) {
  console.log(`# ${line}`);
}
