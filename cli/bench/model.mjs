// Two models of what more cores would bring. Pure functions; scaling.mjs measures what they are
// fitted to.
//
// Many jobs in flight: each costs the event loop S (the call and its settling; measured) and a
// worker W (fitted). With n workers on c cores the slowest of three is what one job takes:
//
//   T(n) = max(S, W(n) / n, (S + W(n)) / c)      W(n) = W (1 + k (n - 1))
//
// the loop, which is one; the workers; and all the cores together, which both must share. k is what
// each further worker makes every job dearer (memory, locks): the contention of the universal
// scalability law. With fewer than three counts of threads W and k cannot be told apart; k is 0
// then, and any contention there is shows as residual, not in the prediction, which is optimistic
// by as much.
//
// One job cut over n workers, T(1) being measured for every size:
//
//   T(n) = F + (T(1) - F) (f + (1 - f) / n)
//
// F is what every job costs before and after (sending it, waking workers, joining), f the part of
// the rest that is not cut: Amdahl's law. F and f are fitted together to all sizes and counts above
// one. T(1) is measured, as it depends on the caches.
//
// Neither knows of other machines' memory, caches, clock or simultaneous threads: a prediction is
// for more of the same cores.

/** Returns the seconds a job, with enough jobs in flight. */
export function concurrentTime({ loop, work, contention = 0 }, threads, cores) {
  const dear = work * (1 + contention * (threads - 1));
  return Math.max(loop, dear / threads, (loop + dear) / cores);
}

/**
 * Fits work (and contention, from three counts of threads on) to points [{ threads, seconds }],
 * seconds being a job's share of the elapsed time. Returns { loop, work, contention, residual }:
 * the root mean square of the relative errors.
 */
export function fitConcurrent(points, loop, cores) {
  const error = (work, contention) =>
    Math.sqrt(
      mean(
        points.map(
          ({ threads, seconds }) =>
            Math.log(concurrentTime({ loop, work, contention }, threads, cores) / seconds) ** 2,
        ),
      ),
    );
  // More than all cores could do is no work, and nothing bounds a job that never left the loop from
  // below.
  const most = Math.log(Math.max(...points.map(({ threads, seconds }) => threads * seconds)) * 4);
  const best = (contention) => {
    const work = Math.exp(lowest((log) => error(Math.exp(log), contention), most - 16, most));
    return { loop, work, contention, residual: error(work, contention) };
  };
  if (new Set(points.map(({ threads }) => threads)).size < 3) return best(0);
  return best(lowest((contention) => best(contention).residual, 0, 1));
}

/** From how many cores on the event loop has no time left. */
export function fullLoop({ loop, work }) {
  return (loop + work) / loop;
}

/** What one job takes that is cut over `threads` and takes `alone` on one. */
export function splitTime({ fixed, serial }, alone, threads) {
  return fixed + (alone - fixed) * (serial + (1 - serial) / threads);
}

/**
 * Fits points [{ threads, size, seconds }], one thread among them for every size: { fixed, serial,
 * residual }.
 */
export function fitSplit(points) {
  const alone = new Map(
    points.filter(({ threads }) => threads === 1).map(({ size, seconds }) => [size, seconds]),
  );
  const several = points.filter(({ threads }) => threads > 1);
  if (several.length === 0) return { fixed: 0, serial: 1, residual: Number.NaN };
  // T(n) - T(1) / n = (1 - 1 / n) (f T(1) + F (1 - f)): linear in f and F (1 - f), relative to what
  // was measured.
  const rows = several.map(({ threads, size, seconds }) =>
    [alone.get(size), 1].map((each) => (each * (1 - 1 / threads)) / seconds),
  );
  const wanted = several.map(
    ({ threads, size, seconds }) => (seconds - alone.get(size) / threads) / seconds,
  );
  const [part, rest] = leastSquares(rows, wanted);
  const fit = part >= 1 ? { fixed: 0, serial: 1 } : { fixed: rest / (1 - part), serial: part };
  const errors = several.map(
    ({ threads, size, seconds }) => (splitTime(fit, alone.get(size), threads) / seconds - 1) ** 2,
  );
  return { ...fit, residual: Math.sqrt(mean(errors)) };
}

/** Amdahl's, of a job that takes `alone` on one thread. */
export function serialFraction({ fixed, serial }, alone) {
  return Math.min(1, (fixed + (alone - fixed) * serial) / alone);
}

/**
 * The smallest |rows x - wanted| with no x below 0: few columns, so every choice of those that are
 * not 0 is tried.
 */
export function leastSquares(rows, wanted) {
  const width = rows[0].length;
  let best = { error: Number.POSITIVE_INFINITY, x: new Array(width).fill(0) };
  for (let chosen = 1; chosen < 1 << width; chosen++) {
    const columns = Array.from({ length: width }, (_, index) => index).filter(
      (index) => chosen & (1 << index),
    );
    // Columns of very different size: scaled, or the elimination would lose the small ones.
    const scale = columns.map((column) => Math.hypot(...rows.map((row) => row[column])) || 1);
    const at = (row, index) => row[columns[index]] / scale[index];
    const matrix = columns.map((_, i) => [
      ...columns.map((_, j) => sum(rows.map((row) => at(row, i) * at(row, j)))),
      sum(rows.map((row, k) => at(row, i) * wanted[k])),
    ]);
    const solution = solve(matrix);
    if (solution === undefined || solution.some((value) => value < 0)) continue;
    const x = new Array(width).fill(0);
    for (const [index, column] of columns.entries()) x[column] = solution[index] / scale[index];
    const error = sum(
      rows.map((row, k) => (sum(row.map((value, index) => value * x[index])) - wanted[k]) ** 2),
    );
    if (error < best.error) best = { error, x };
  }
  return best.x;
}

/** By elimination; undefined where the equations say the same twice. */
function solve(matrix) {
  const size = matrix.length;
  for (let column = 0; column < size; column++) {
    const pivot = matrix
      .slice(column)
      .reduce(
        (best, row, index) =>
          Math.abs(row[column]) > Math.abs(matrix[best][column]) ? column + index : best,
        column,
      );
    [matrix[column], matrix[pivot]] = [matrix[pivot], matrix[column]];
    if (Math.abs(matrix[column][column]) < 1e-12) return undefined;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = matrix[row][column] / matrix[column][column];
      for (let k = column; k <= size; k++) matrix[row][k] -= factor * matrix[column][k];
    }
  }
  return matrix.map((row, index) => row[size] / row[index]);
}

/**
 * Where f is lowest between two bounds: a coarse look everywhere, then ever closer around the best,
 * the lowest of equals.
 */
function lowest(f, from, to) {
  const steps = 40;
  let [left, right] = [from, to];
  let best = from;
  for (let pass = 0; pass < 6; pass++) {
    const step = (right - left) / steps;
    best = left;
    let value = f(left);
    for (let index = 1; index <= steps; index++) {
      const here = f(left + index * step);
      if (here < value - 1e-12) [best, value] = [left + index * step, here];
    }
    [left, right] = [Math.max(from, best - step), Math.min(to, best + step)];
  }
  return best;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values) {
  return sum(values) / values.length;
}
