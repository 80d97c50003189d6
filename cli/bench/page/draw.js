// In the page: draws the line charts with uPlot, again when the width or the colour scheme changes.

/* global uPlot, document, window, getComputedStyle, matchMedia, ResizeObserver */

(() => {
  'use strict';

  const charts = JSON.parse(document.getElementById('data').textContent);
  const drawn = new Map();
  const hidden = new Map(charts.map(({ id }) => [id, new Set()]));

  // Numbers as people read them

  const scaled = (value, step, units) => {
    let unit = 0;
    while (value >= step && unit < units.length - 1) {
      value /= step;
      unit++;
    }
    return `${+value.toPrecision(3)} ${units[unit]}`;
  };
  const bytes = (value) => scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB']);
  const throughput = (value) =>
    value < 1e6
      ? `${+(value / 1e6).toPrecision(3)} MB/s`
      : scaled(value / 1e6, 1000, ['MB/s', 'GB/s', 'TB/s']);
  const time = (value) =>
    value >= 1
      ? `${+value.toPrecision(3)} s`
      : scaled(value * 1e9, 1000, ['ns', '\u00b5s', 'ms', 's']);
  const rate = (value) => scaled(value, 1000, ['/s', 'k/s', 'M/s']);
  const percent = (part) => `${+(part * 100).toFixed(1)} %`;
  const valueText = { throughput, time, rate };
  const xText = {
    bytes,
    threads: (value) => `${value} ${value === 1 ? 'thread' : 'threads'}`,
    percent,
  };

  // The place of a percentile is the number of events of which one is worse: 90 % at 10.
  const place = { bytes: (x) => x, threads: (x) => x, percent: (x) => 1 / (1 - x) };
  const unplace = { bytes: (x) => x, threads: (x) => x, percent: (x) => 1 - 1 / x };

  /** Returns true for 50, 90, 99, 99.9 %. */
  const isRound = (worse) => [2, 10, 100, 1000].some((round) => Math.abs(worse / round - 1) < 1e-6);

  /** Returns as many of the values as have room, the first and, if it fits, the last among them. */
  function roomy(values, position, gap) {
    const kept = [];
    for (const value of values)
      if (kept.length === 0 || Math.abs(position(value) - position(kept.at(-1))) >= gap)
        kept.push(value);
    return kept;
  }

  /** Returns 1, 2, 5 times powers of ten, fewer where they would touch. */
  function decades(low, high, pixels) {
    // The lowest must not stand beside the first size.
    const least = low * (high / low) ** 0.04;
    for (const steps of [[1, 2, 5], [1], [1, 0], [1, 0, 0]]) {
      const found = [];
      const every = steps.length > 1 && steps[1] === 0 ? steps.length : 1;
      for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
        if (power % every !== 0) continue;
        for (const step of steps)
          if (step > 0 && step * 10 ** power >= least && step * 10 ** power <= high * 1.001)
            found.push(step * 10 ** power);
      }
      const distances = found
        .slice(1)
        .map((value, index) => (Math.log(value / found[index]) / Math.log(high / low)) * pixels);
      if (distances.every((distance) => distance >= 24)) return found;
    }
    return [low, high];
  }

  function draw(chart) {
    const { id, x, y, series, marks = [] } = chart;
    const box = document.getElementById(id);
    const scheme = getComputedStyle(document.documentElement);
    const colour = (name) => scheme.getPropertyValue(`--${name}`).trim();
    const off = hidden.get(id);
    const xs = [
      ...new Set(series.flatMap(({ points }) => points.map((point) => place[x](point.x)))),
    ].sort((left, right) => left - right);
    const at = series.map(
      ({ points }) => new Map(points.map((point) => [place[x](point.x), point])),
    );
    const columns = at.map((points) => xs.map((value) => points.get(value)?.y ?? null));
    const all = columns.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const range = [low / 1.4, high * 1.4];
    const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
    const axis = {
      stroke: colour('soft'),
      font,
      grid: { stroke: colour('grid'), width: 1 },
      ticks: { show: false },
    };
    const ground = colour('card');
    const { width, height } = box.getBoundingClientRect();

    // @ts-expect-error: the page contains uPlot as a script.
    const plot = new uPlot(
      {
        width,
        height,
        padding: [10, 18, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 9 } },
        scales: {
          x: {
            time: false,
            distr: 3,
            log: x === 'percent' ? 10 : 2,
            range: [xs[0] / 1.12, xs.at(-1) * 1.12],
          },
          y: { distr: 3, log: 10, range },
        },
        axes: [
          {
            ...axis,
            size: 28,
            gap: 6,
            splits: (self) =>
              roomy(
                x === 'percent' ? xs.filter(isRound) : xs,
                (value) => self.valToPos(value, 'x'),
                52,
              ),
            values: (_self, splits) =>
              splits.map((value) => (x === 'threads' ? `${value}` : xText[x](unplace[x](value)))),
            filter: (_self, splits) => splits,
          },
          {
            ...axis,
            size: 76,
            splits: (self) => decades(...range, self.bbox.height / devicePixelRatio || height),
            values: (_self, splits) => splits.map(valueText[y]),
            filter: (_self, splits) => splits,
          },
        ],
        series: [
          {},
          ...series.map(({ name, colour: index, dash }, number) => ({
            label: name,
            show: !off.has(number),
            stroke: colour(`c${index}`),
            width: index === 0 ? 3 : 1.8,
            dash,
            spanGaps: true,
            points: {
              show: true,
              size: 7,
              width: 1.5,
              fill: index === 0 ? colour('c0') : ground,
              dash: [],
            },
          })),
        ],
        hooks: {
          drawClear: [(self) => drawMarks(self, marks, colour('soft'))],
          draw: [(self) => drawSpread(self, at, series, colour)],
          setCursor: [(self) => tip(self, box, chart, xs, at)],
        },
      },
      [xs, ...columns],
      box,
    );
    drawn.set(id, plot);
  }

  /** Draws the noise as thin lines through points. */
  function drawSpread(self, at, series, colour) {
    const { ctx } = self;
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    ctx.globalAlpha = 0.55;
    at.forEach((points, index) => {
      if (!self.series[index + 1].show) return;
      ctx.strokeStyle = colour(`c${series[index].colour}`);
      for (const [x, { y, spread }] of points) {
        if (!(spread > 0)) continue;
        const left = self.valToPos(x, 'x', true);
        ctx.beginPath();
        ctx.moveTo(
          left,
          Math.min(
            self.bbox.top + self.bbox.height,
            self.valToPos(y * Math.max(0.02, 1 - spread), 'y', true),
          ),
        );
        ctx.lineTo(left, Math.max(self.bbox.top, self.valToPos(y * (1 + spread), 'y', true)));
        ctx.stroke();
      }
    });
    ctx.restore();
  }

  /** Draws where one line overtakes another. The list below the chart names them. */
  function drawMarks(self, marks, colour) {
    const { ctx, bbox } = self;
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.5;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const { x } of marks) {
      const left = Math.round(self.valToPos(x, 'x', true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(left, bbox.top);
      ctx.lineTo(left, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** Shows the figures under the pointer, the best first. */
  function tip(self, box, { x, y, series }, xs, at) {
    box.querySelector('.tip')?.remove();
    const { idx, left } = self.cursor;
    if (idx === null || idx === undefined || left < 0) return;
    const here = series
      .map(({ name, colour }, index) => ({
        name,
        colour,
        point: self.series[index + 1].show ? at[index].get(xs[idx]) : undefined,
      }))
      .filter(({ point }) => point !== undefined)
      .sort((one, other) =>
        y === 'time' ? one.point.y - other.point.y : other.point.y - one.point.y,
      );
    if (here.length === 0) return;
    const note = document.createElement('div');
    note.className = 'tip';
    const title = document.createElement('b');
    title.textContent = xText[x](unplace[x](xs[idx]));
    note.append(title);
    for (const { name, colour, point } of here) {
      const line = document.createElement('span');
      const words = document.createElement('em');
      line.style.color = `var(--c${colour})`;
      words.textContent = `${name}: ${valueText[y](point.y)}`;
      line.append(document.createElement('i'), words);
      note.append(line);
    }
    box.append(note);
    const over = self.over.offsetLeft + self.valToPos(xs[idx], 'x');
    const wide = note.offsetWidth;
    const beside = over + 14;
    const start = beside + wide > box.clientWidth ? Math.max(0, over - 14 - wide) : beside;
    note.style.left = `${start}px`;
    note.style.top = '8px';
  }

  function drawAll() {
    for (const chart of charts) {
      drawn.get(chart.id)?.destroy();
      draw(chart);
    }
  }

  for (const card of document.querySelectorAll('.card.lines')) {
    const id = card.getAttribute('data-chart');
    for (const button of card.querySelectorAll('[data-series]')) {
      button.addEventListener('click', () => {
        const index = Number(button.getAttribute('data-series'));
        const off = hidden.get(id);
        if (!off.delete(index)) off.add(index);
        button.setAttribute('aria-pressed', String(!off.has(index)));
        drawn.get(id).setSeries(index + 1, { show: !off.has(index) });
      });
    }
  }
  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  const watch = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const plot = drawn.get(target.id);
      if (plot !== undefined && Math.abs(plot.width - contentRect.width) >= 1)
        plot.setSize({ width: contentRect.width, height: contentRect.height });
    }
  });
  for (const { id } of charts) watch.observe(document.getElementById(id));
  // @ts-expect-error: for tests.
  window.millraceCharts = drawn;
})();
