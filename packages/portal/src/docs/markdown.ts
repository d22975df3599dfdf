/**
 * One page of the documentation as HTML. Headings have the anchors that GitHub gives them, links between pages lead to
 * their addresses on the site, and what stands outside of the documentation is named but not linked. No script, no
 * `style=` and no foreign address comes out of it, so it may stand under our Content-Security-Policy.
 */

import { Marked, type Tokens } from 'marked';

export interface DocsHeading {
  readonly depth: number;
  readonly anchor: string;
  /** Plain text. */
  readonly text: string;
}

export interface MarkdownPage {
  /** Plain text of the first heading. */
  readonly title: string;
  /** Plain text of the first paragraph. */
  readonly lead: string;
  /** Without the first heading. */
  readonly html: string;
  readonly headings: readonly DocsHeading[];
}

export interface MarkdownPlace {
  /** Below the folder of the documentation: `client/README.md`. */
  readonly path: string;
  /** The address of a page by its path, or null if it is not on the site. */
  addressOf(path: string): string | null;
}

const FENCE_NAMES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  sh: 'Shell',
  bash: 'Shell',
  python: 'Python',
  html: 'HTML',
};

export function renderMarkdown(text: string, place: MarkdownPlace): MarkdownPage {
  const headings: DocsHeading[] = [];
  const anchors = new Map<string, number>();
  let title = '';
  let tables = 0;
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const plain = plainText(this.parser.parseInline(tokens, this.parser.textRenderer));
        const anchor = uniqueAnchor(plain, anchors);
        if (depth === 1 && title === '') {
          title = plain;
          return '';
        }
        headings.push({ depth, anchor, text: plain });
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens);
        const target = linkTarget(href, place);
        return target === null ? inner : `<a href="${escapeText(target)}">${inner}</a>`;
      },
      image({ href, text: alt }: Tokens.Image): string {
        const source = `/docs/${joined(place.path, href)}`;
        const image = `<img src="${escapeText(source)}" alt="${escapeText(alt)}" loading="lazy">`;
        const small = source.replace(/^(\/docs\/charts\/[\w-]+(?<!-small))\.svg$/, '$1-small.svg');
        if (small === source) return image;
        return `<picture><source media="(max-width: 560px)" srcset="${small}">${image}</picture>`;
      },
      code({ text: code, lang }: Tokens.Code): string {
        const name = FENCE_NAMES[lang ?? ''] ?? 'Code';
        const inner = escapeText(code);
        return `<div class="docs-code"><pre tabindex="0" role="group" aria-label="${name}"><code>${inner}\n</code></pre></div>\n`;
      },
      table(token: Tokens.Table): string {
        tables += 1;
        const cell = (it: Tokens.TableCell, tag: string, more = '') => {
          const side = it.align === 'right' ? ' class="right"' : '';
          return `<${tag}${more}${side}>${this.parser.parseInline(it.tokens)}</${tag}>`;
        };
        // A corner without words is the heading of nothing.
        const head = token.header.map((it) =>
          it.text === '' ? '<td></td>' : cell(it, 'th', ' scope="col"'),
        );
        const rows = token.rows.map(
          (row) => `<tr>${row.map((it) => cell(it, 'td')).join('')}</tr>`,
        );
        return `<div class="docs-table" tabindex="0" role="group" aria-label="Table ${tables}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
      html({ text: raw }: Tokens.HTML | Tokens.Tag): string {
        // Marks of generators say nothing to a reader; places to link to are kept.
        const live = /^\s*<!-- live ([\w-]+) -->\s*$/.exec(raw);
        if (live !== null)
          return `<div class="docs-live" data-indicator="${live[1]}" hidden></div>\n`;
        if (/^\s*<!--[\s\S]*-->\s*$/.test(raw)) return '';
        const place = /^\s*<a id="([\w-]+)"><\/a>\s*$/.exec(raw) ?? /^<a id="([\w-]+)">$/.exec(raw);
        if (place !== null)
          return raw.includes('</a>') ? `<a id="${place[1]}"></a>\n` : `<a id="${place[1]}">`;
        return raw === '</a>' ? raw : escapeText(raw);
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return { title, lead: leadOf(text), html, headings };
}

/** The anchor of a heading, as on GitHub; equal ones are numbered. */
function uniqueAnchor(heading: string, taken: Map<string, number>): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
  const count = taken.get(name) ?? 0;
  taken.set(name, count + 1);
  return count === 0 ? name : `${name}-${count}`;
}

function linkTarget(href: string, place: MarkdownPlace): string | null {
  if (/^(?:https?|mailto):/.test(href)) return href;
  if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('//')) return null;
  const [target, anchor] = href.split('#') as [string, string?];
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target === '') return hash;
  const address = place.addressOf(joined(place.path, target));
  return address === null ? null : `${address}${hash}`;
}

/** A path that is written relative to a page's. */
export function joined(page: string, target: string): string {
  const parts = page.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

function leadOf(text: string): string {
  const paragraph = text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[A-Z“"`]/.test(part));
  return (paragraph ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/^(.*?[.:])(?: .*)?$/, '$1')
    .replace(/:$/, '.');
}

/** What an HTML fragment reads as. */
function plainText(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
