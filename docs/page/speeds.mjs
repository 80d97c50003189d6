// Measures the engines by message size and draws a chart.

import * as promises from '../../dist/browser/promises.mjs';
import * as millrace from '../../dist/browser/index.mjs';

const SIZES = [64, 1024, 16_384, 262_144, 4_194_304, 33_554_432];
/** The time for each figure, beside one warm-up call. */
const MILLISECONDS = 60;

const key = crypto.getRandomValues(new Uint8Array(32));
const nonce = new Uint8Array(12);

/** Returns a function for each library, which processes one message. */
async function competitors(algorithm) {
  const hash = algorithm === 'sha256' || algorithm === 'blake3';
  const found = {
    JavaScript: (source) =>
      hash ? millrace.hash(algorithm, source) : millrace.seal(algorithm, { key, nonce, source }),
    Millrace: (source) =>
      hash ? promises.hash(algorithm, source) : promises.seal(algorithm, { key, nonce, source }),
  };
  // WebCrypto exists in secure contexts only.
  if (crypto.subtle === undefined) return found;
  if (algorithm === 'sha256') found.WebCrypto = (source) => crypto.subtle.digest('SHA-256', source);
  if (algorithm === 'aes-256-gcm') {
    const secret = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
    found.WebCrypto = (source) =>
      crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, secret, source);
  }
  return found;
}

/**
 * Returns `[{ name, points: [{ size, rate }] }]`, with the best rate of a few calls in bytes per
 * second.
 */
export async function measure(algorithm, { onProgress }) {
  const entries = Object.entries(await competitors(algorithm));
  const series = entries.map(([name]) => ({ name, points: [] }));
  const source = new Uint8Array(SIZES.at(-1)).map((_, index) => index * 31);
  for (const [step, size] of SIZES.entries()) {
    for (const [index, [, run]] of entries.entries()) {
      onProgress((step * entries.length + index) / (SIZES.length * entries.length), size);
      await new Promise((resolve) => setTimeout(resolve));
      series[index].points.push({ size, rate: size / (await best(run, source.subarray(0, size))) });
    }
  }
  return series;
}

/** Returns the seconds of one call; short calls are batched, because the clock is coarse. */
async function best(run, source) {
  await run(source);
  let least = Infinity;
  let batch = 1;
  for (const end = performance.now() + MILLISECONDS; performance.now() < end;) {
    const begin = performance.now();
    for (let index = 0; index < batch; index++) await run(source);
    const took = performance.now() - begin;
    if (took < 2) batch *= 2;
    else least = Math.min(least, took / batch);
  }
  return (least < Infinity ? least : MILLISECONDS) / 1000;
}

/** Draws a chart with logarithmic axes, a legend and a table of all figures. */
export function draw(series, chart, table) {
  // The full width, so that the text keeps its size on a phone.
  const [width, height, left, bottom, top] = [Math.max(240, chart.clientWidth), 300, 66, 34, 10];
  const rates = series.flatMap(({ points }) => points.map(({ rate }) => rate));
  const [low, high] = [
    10 ** Math.floor(Math.log10(Math.min(...rates))),
    10 ** Math.ceil(Math.log10(Math.max(...rates))),
  ];
  const x = (size) =>
    left + ((width - left - 12) * Math.log2(size / SIZES[0])) / Math.log2(SIZES.at(-1) / SIZES[0]);
  const y = (rate) =>
    height - bottom - ((height - bottom - top) * Math.log10(rate / low)) / Math.log10(high / low);
  const svg = make('svg', {
    viewBox: `0 0 ${width} ${height}`,
    role: 'img',
    'aria-label': 'Throughput by message size',
  });
  for (let rate = low; rate <= high * 1.01; rate *= 10) {
    svg.append(
      make('line', { class: 'grid', x1: left, x2: width - 12, y1: y(rate), y2: y(rate) }),
      label(throughput(rate), left - 8, y(rate) + 4, 'end'),
    );
  }
  let free = left - 20;
  for (const size of SIZES) {
    svg.append(
      make('line', { class: 'grid', x1: x(size), x2: x(size), y1: top, y2: height - bottom }),
    );
    // Labels that would overlap are left out; the table has all sizes.
    const [text, half] = [bytes(size), 3.5 * bytes(size).length];
    const middle = Math.min(x(size), width - half - 2);
    if (middle - half < free) continue;
    svg.append(label(text, middle, height - bottom + 18, 'middle'));
    free = middle + half + 6;
  }
  for (const [index, { name, points }] of series.entries()) {
    svg.append(
      make('polyline', {
        class: 'series',
        'data-name': name,
        points: points.map(({ size, rate }) => `${x(size)},${y(rate)}`).join(' '),
        style: `stroke: var(--series-${index})`,
      }),
    );
    for (const { size, rate } of points)
      svg.append(
        make('circle', { cx: x(size), cy: y(rate), r: 3.5, style: `fill: var(--series-${index})` }),
      );
  }
  const legend = document.createElement('ul');
  legend.className = 'legend';
  for (const [index, { name }] of series.entries()) {
    const entry = document.createElement('li');
    const mark = document.createElement('i');
    mark.style.background = `var(--series-${index})`;
    entry.append(mark, name);
    legend.append(entry);
  }
  chart.replaceChildren(svg, legend);
  const rows = SIZES.map((size, row) => {
    const cells = series.map(({ points }) => points[row].rate);
    return [
      bytes(size),
      ...cells.map((rate) => ({ text: throughput(rate), best: rate === Math.max(...cells) })),
    ];
  });
  table.replaceChildren(
    line('th', ['size', ...series.map(({ name }) => name)]),
    ...rows.map((row) => line('td', row)),
  );
}

function line(tag, cells) {
  const row = document.createElement('tr');
  for (const cell of cells) {
    const element = document.createElement(tag);
    element.textContent = cell.text ?? cell;
    if (cell.best) element.className = 'best';
    row.append(element);
  }
  return row;
}

function make(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) {
    // As a property: the page's policy allows no style attributes.
    if (name === 'style') element.style.setProperty(...value.split(': '));
    else element.setAttribute(name, value);
  }
  return element;
}

function label(text, x, y, anchor) {
  const element = make('text', { x, y, 'text-anchor': anchor });
  element.textContent = text;
  return element;
}

function throughput(rate) {
  const megabytes = rate / 1e6;
  return megabytes >= 1000
    ? `${(megabytes / 1000).toFixed(megabytes >= 10_000 ? 0 : 1)} GB/s`
    : `${Number(megabytes.toFixed(megabytes >= 100 ? 0 : megabytes >= 1 ? 1 : 2))} MB/s`;
}

export function bytes(size) {
  for (const [unit, power] of [
    ['GiB', 30],
    ['MiB', 20],
    ['KiB', 10],
  ])
    if (size >= 2 ** power) return `${Number((size / 2 ** power).toFixed(1))} ${unit}`;
  return `${size} B`;
}
