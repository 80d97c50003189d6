// What the site makes of Markdown that GitHub shows plainly: diagrams, charts and heat maps.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A cell of a heat map has the class of the first number that it reaches. */
const levels = [
  [1.05, 'good'],
  [0.95, 'even'],
  [0.85, 'low'],
  [0.6, 'bad'],
  [0, 'worst'],
];

export function extend(markdown) {
  const { fence, image } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info.trim() === 'mermaid'
      ? `<Diagram source="${encodeURIComponent(tokens[index].content)}" />`
      : fence(tokens, index, ...rest);
  markdown.renderer.rules.image = (tokens, index, ...rest) => {
    const name = tokens[index].attrGet('src');
    return name.endsWith('.svg')
      ? `<span class="chart">${chart(basename(name))}</span>`
      : image(tokens, index, ...rest);
  };
  // VitePress's own drops the classes.
  markdown.renderer.rules.table_open = (tokens, index, options, _env, self) => {
    tokens[index].attrSet('tabindex', '0');
    return self.renderToken(tokens, index, options);
  };
  markdown.core.ruler.push('heat map', ({ tokens }) => {
    tokens.forEach((token, index) => {
      if (token.type === 'html_block' && token.content.trim() === '<!-- heat map -->')
        colourCells(tokens, index);
    });
  });
}

/** Gives the cells of the next table their classes. */
function colourCells(tokens, from) {
  const start = tokens.findIndex(({ type }, index) => index > from && type === 'table_open');
  const end = tokens.findIndex(({ type }, index) => index > from && type === 'table_close');
  tokens[start].attrJoin('class', 'heat');
  for (let index = start; index < end; index++) {
    const ratio = Number(/^\d\.\d\d(?= |$)/.exec(tokens[index + 1].content)?.[0]);
    if (tokens[index].type === 'td_open' && ratio > 0)
      tokens[index].attrJoin('class', levels.find(([least]) => ratio >= least)[1]);
  }
}

/** A chart without its style: that of the site colours it. */
export function chart(name) {
  const svg = readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
  return svg.replace(/<style>[^]*?<\/style>\n/, '').trim();
}

/** Tells the style sheet how far a line of code is indented, so that its rest hangs below it. */
export const hangingIndent = {
  line(node) {
    const text = (part) => part.value ?? part.children.map(text).join('');
    const [blanks] = /^ */.exec(text(node));
    if (blanks !== '') node.properties.style = `--indent:${blanks.length}ch`;
  },
};
