/**
 * Renders one page of the documentation as HTML. Headings have GitHub's anchors, links between pages lead to their
 * addresses on the site, and a path outside the site is shown without a link. The output contains no script, no
 * `style=` and no foreign address, so our Content-Security-Policy allows it.
 */

import { Marked, type Token, type Tokens } from 'marked';
import { codeBlock, codeTabs, tabOf } from './code-blocks.ts';
import { escapeText, plainText } from './escaped-text.ts';
import { joined, linkTarget, type MarkdownPlace } from './site-links.ts';

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

/** Adjacent code blocks that form tabs. */
const TABS = 'docs-tabs';

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
        // A heading that contains a link cannot be wrapped in another.
        const text = inner.includes('<a ')
          ? inner
          : `<a class="anchor" href="#${anchor}">${inner}</a>`;
        return `<h${depth} id="${anchor}">${text}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens);
        const target = linkTarget(href, place);
        if (target === null) return inner;
        return `<a href="${escapeText(`${target.address}${target.hash}`)}">${inner}</a>`;
      },
      image({ href, text: alt }: Tokens.Image): string {
        const source = `/docs/${joined(place.path, href)}`;
        const image = `<img src="${escapeText(source)}" alt="${escapeText(alt)}" loading="lazy">`;
        const small = source.replace(/^(\/docs\/charts\/[\w-]+(?<!-small))\.svg$/, '$1-small.svg');
        if (small === source) return image;
        return `<picture><source media="(max-width: 560px)" srcset="${small}">${image}</picture>`;
      },
      code({ text: code, lang }: Tokens.Code): string {
        return codeBlock({ code, info: lang ?? '' });
      },
      table(token: Tokens.Table): string {
        tables += 1;
        const cell = (it: Tokens.TableCell, tag: string, more = '') => {
          const side = it.align === 'right' ? ' class="right"' : '';
          return `<${tag}${more}${side}>${this.parser.parseInline(it.tokens)}</${tag}>`;
        };
        // An empty corner cell heads nothing.
        const head = token.header.map((it) =>
          it.text === '' ? '<td></td>' : cell(it, 'th', ' scope="col"'),
        );
        const rows = token.rows.map(
          (row) => `<tr>${row.map((it) => cell(it, 'td')).join('')}</tr>`,
        );
        return `<div class="docs-table" tabindex="0" role="group" aria-label="Table ${tables}"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>\n`;
      },
      html({ text: raw }: Tokens.HTML | Tokens.Tag): string {
        // Drops the marks of generators, and keeps link anchors.
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
  marked.use({ extensions: [{ name: TABS, renderer: (token) => codeTabs(token.blocks) }] });
  const html = marked.parser(withTabs(marked.lexer(text)));
  return { title, lead: leadOf(text), html, headings };
}

/** Joins adjacent blocks that are marked as tabs. */
function withTabs(tokens: readonly Token[]): Token[] {
  const joint: Token[] = [];
  for (const token of tokens) {
    const isTab = token.type === 'code' && tabOf(token.lang ?? '') !== null;
    const last = joint.at(-1);
    if (token.type === 'space' && last?.type === TABS) continue;
    if (!isTab) {
      joint.push(token);
      continue;
    }
    const block = { code: token.text, info: token.lang };
    if (last?.type === TABS) last.blocks.push(block);
    else joint.push({ type: TABS, raw: '', blocks: [block] });
  }
  return joint;
}

/** A heading's anchor, as on GitHub; equal ones are numbered. */
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

/** A shorter sentence that ends with a colon does not make sense alone. */
const LEAD_CHARACTERS_MIN = 40;

function leadOf(text: string): string {
  const paragraph = text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[A-Z“"`]/.test(part));
  const plain = (paragraph ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');
  const ends = [...plain.matchAll(/[.:](?= |$)/g)];
  const end = ends.find(([mark], at) => mark === '.' || ends[at]!.index >= LEAD_CHARACTERS_MIN);
  return end === undefined ? plain : `${plain.slice(0, end.index)}.`;
}
