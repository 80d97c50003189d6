// In the page: draws the line charts with uPlot, again when the width or the colour scheme changes.

/* global uPlot, document, window, getComputedStyle, matchMedia, ResizeObserver */

(() => {
  'use strict';

  const charts = JSON.parse(document.getElementById('data').textContent);
  const drawn = new Map();

  const scaled = (value, step, units) => {
    let unit = 0;
    while (value >= step && unit < units.length - 1) {
      value /= step;
      unit++;
    }
    return `${+value.toPrecision(3)} ${units[unit]}`;
  };
  const bytes = (value) => scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB']);
  const formats = {
    throughput: (value) => scaled(value / 1e6, 1000, ['MB/s', 'GB/s', 'TB/s']),
    time: (value) => scaled(value * 1e9, 1000, ['ns', '\u00b5s', 'ms', 's']),
  };
  /** uPlot filters the ticks that have no room. */
  const each = (format) => (_self, values) =>
    values.map((value) => (typeof value === 'number' ? format(value) : ''));

  function draw({ id, y, series, marks = [] }) {
    const box = document.getElementById(id);
    const scheme = getComputedStyle(document.documentElement);
    const colour = (name) => scheme.getPropertyValue(`--${name}`).trim();
    const points = series.map((line) => new Map(line.points.map((point) => [point.x, point])));
    const xs = [...new Set(points.flatMap((line) => [...line.keys()]))].sort((a, b) => a - b);
    const columns = points.map((line) => xs.map((x) => line.get(x)?.y ?? null));
    const format = formats[y];
    const axis = {
      stroke: colour('soft'),
      font: '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif',
      grid: { stroke: colour('grid'), width: 1 },
      ticks: { show: false },
    };
    const lines = series.map(({ name, colour: index, dash }) => ({
      label: name,
      stroke: colour(`c${index}`),
      width: index === 0 ? 3 : 1.8,
      dash,
      spanGaps: true,
      points: { show: true, size: 7, width: 1.5, fill: colour(index === 0 ? 'c0' : 'card') },
      value: (_self, value) => (value === null ? '-' : format(value)),
    }));
    // @ts-expect-error: the page contains uPlot as a script.
    const plot = new uPlot(
      {
        width: box.clientWidth,
        height: 300,
        padding: [10, 18, 0, 0],
        cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 9 } },
        scales: { x: { time: false, distr: 3, log: 2 }, y: { distr: 3, log: 10 } },
        axes: [
          { ...axis, size: 28, gap: 6, values: each(bytes) },
          { ...axis, size: 76, values: each(format) },
        ],
        series: [
          { label: 'size', value: (_self, value) => (value === null ? '-' : bytes(value)) },
          ...lines,
        ],
        hooks: {
          // Where one line overtakes another; the list below the chart names them.
          drawClear: [
            (self) => {
              for (const { x } of marks) upright(self, x, colour('soft'), [2, 4]);
            },
          ],
          // The noise of each point.
          draw: [
            (self) =>
              points.forEach((line, index) => {
                if (!self.series[index + 1].show) return;
                for (const { x, y: value, spread = 0 } of line.values())
                  upright(
                    self,
                    x,
                    lines[index].stroke,
                    [],
                    value * (1 + spread),
                    value / (1 + spread),
                  );
              }),
          ],
        },
      },
      [xs, ...columns],
      box,
    );
    drawn.set(id, plot);
  }

  /** Draws a thin line between two values, by default through the whole chart. */
  function upright({ ctx, bbox, valToPos }, x, colour, dash, high, low) {
    const left = valToPos(x, 'x', true);
    const place = (value, edge) => (value === undefined ? edge : valToPos(value, 'y', true));
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash(dash.map((part) => part * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(left, Math.max(bbox.top, place(high, bbox.top)));
    ctx.lineTo(left, Math.min(bbox.top + bbox.height, place(low, bbox.top + bbox.height)));
    ctx.stroke();
    ctx.restore();
  }

  function drawAll() {
    for (const chart of charts) {
      drawn.get(chart.id)?.destroy();
      draw(chart);
    }
  }

  drawAll();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  const watch = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) {
      const plot = drawn.get(target.id);
      if (plot !== undefined && Math.abs(plot.width - contentRect.width) >= 1)
        plot.setSize({ width: contentRect.width, height: plot.height });
    }
  });
  for (const { id } of charts) watch.observe(document.getElementById(id));
  // @ts-expect-error: for tests.
  window.millraceCharts = drawn;
})();
