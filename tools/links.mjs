// Dead links: of the Markdown files of the repository, and of the built site.

import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const link = /!?\[(?:[^\][]|\[[^\]]*\])*\]\(([^)\s]+)\)/g;
const elsewhere = /^([a-z]+:|\/\/)/i;

/** Applies `change` to the text between fenced code blocks. */
export function withoutCode(text, change) {
  return text
    .split(/(^ *```[^]*?^ *```)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** Returns the anchor of a heading, as GitHub writes it. */
export function slugify(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** Returns the relative links of Markdown files to a missing file or heading, as `file: link`. */
export function deadMarkdownLinks(root) {
  const files = markdownFiles(root);
  const anchors = new Map(files.map((file) => [file, anchorsOf(readFileSync(file, 'utf8'))]));
  return files.flatMap((file) => {
    const dead = [];
    withoutCode(readFileSync(file, 'utf8'), (prose) => {
      for (const [, target] of prose.matchAll(link)) {
        if (elsewhere.test(target)) continue;
        const [path, anchor] = target.split('#');
        const to = path === '' ? file : join(dirname(file), path);
        const found =
          anchor === undefined
            ? existsSync(to)
            : (anchors.get(to)?.has(decodeURIComponent(anchor)) ?? false);
        if (!found) dead.push(`${relative(root, file)}: ${target}`);
      }
      return prose;
    });
    return dead;
  });
}

/** Returns the Markdown files that git would keep. */
function markdownFiles(folder) {
  const ignored = ['node_modules', 'target', 'dist', 'native', 'npm', '.git', '.site'];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignored.includes(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

function anchorsOf(text) {
  const counts = new Map();
  const anchors = new Set();
  withoutCode(text, (prose) => {
    for (const [, heading] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
      const slug = slugify(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      anchors.add(count === 0 ? slug : `${slug}-${count}`);
    }
    return prose;
  });
  return anchors;
}

/** Returns the links in a folder of HTML pages to a missing file or element, as `page: link`. */
export function deadPageLinks(folder) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => join(folder, name));
  const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]));
  const ids = new Map(
    [...texts].map(([page, text]) => [
      page,
      new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)),
    ]),
  );
  return [...texts].flatMap(([page, text]) => {
    const targets = new Set(
      [...text.matchAll(/<[^>]+\s(?:href|src)="([^"]*)"/g)].map(([, target]) => target),
    );
    return [...targets]
      .filter((target) => !elsewhere.test(target) && target !== '')
      .filter((target) => {
        const [path, anchor] = target.replaceAll('&amp;', '&').split('#').map(decodeURIComponent);
        let to = path === '' ? page : join(path.startsWith('/') ? folder : dirname(page), path);
        if (statSync(to, { throwIfNoEntry: false })?.isDirectory()) to = join(to, 'index.html');
        if (!existsSync(to)) return true;
        return anchor !== undefined && anchor !== '' && ids.get(to)?.has(anchor) === false;
      })
      .map((target) => `${relative(folder, page)}: ${target}`);
  });
}
