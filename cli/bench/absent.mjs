/** What was to be measured is not in this build of the package. */
export class Absent extends Error {}
