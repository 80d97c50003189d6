// Statistics of samples; helpers for lists.

export function median(values) {
  return quantile(values, 0.5);
}

/** Returns a quantile by linear interpolation between the neighbours; NaN of no values. */
export function quantile(values, part) {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  return (
    sorted[below] +
    (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]) * (place - below)
  );
}

/** Returns half the interquartile range, relative to the median. */
export function spread(values) {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}

/**
 * Adds the samples of the events that would have come every `interval` during a stall (Gil Tene's
 * correction of coordinated omission): a probe that waits for its answer before it asks again takes
 * one sample of a stall, however long it lasts.
 */
export function uncoordinated(samples, interval) {
  const all = [];
  for (const sample of samples) for (let each = sample; each > 0; each -= interval) all.push(each);
  // Events that took no time count too.
  for (const sample of samples) if (sample <= 0) all.push(sample);
  return all;
}

/** Returns `list` beginning with another element each round, so that no element is always first. */
export function rotated(list, by) {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** Groups as Map.groupBy does, which Node.js 20 lacks. */
export function groupBy(list, keyOf) {
  const groups = new Map();
  for (const each of list) groups.set(keyOf(each), [...(groups.get(keyOf(each)) ?? []), each]);
  return groups;
}
