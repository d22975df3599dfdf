/**
 * The operator's own pages: imprint, privacy notice, terms. They are read at the start, which an unreadable directory
 * or file stops, and again on SIGHUP. Their HTML has only tags from a short list: HTML in the Markdown is shown as
 * text, pictures by their text, and links lead to `http`, `https` and `mailto` only. So the portal may embed them.
 */

import { join } from 'node:path';
import type { Tokens } from 'marked';
import { ConfigError } from '../config/config.ts';
import { escapeHtml } from './page-document.ts';

const VARIABLE = 'TAPELOOM_PAGES';
const TEXT_LENGTH_MAX = 262_144;

/** By name: the title when the operator's text sets none, and the words for a missing page. */
const NAMES = {
  imprint: { title: 'Imprint', missing: 'an imprint' },
  privacy: { title: 'Privacy', missing: 'a privacy notice' },
  terms: { title: 'Terms', missing: 'terms' },
} as const;
export type OperatorPageName = keyof typeof NAMES;

export interface OperatorPage {
  readonly title: string;
  readonly html: string;
}

export class OperatorPages {
  readonly #texts: ReadonlyMap<OperatorPageName, string>;
  readonly #rendered = new Map<OperatorPageName, Promise<OperatorPage>>();

  /** Markdown by name; absent ones are not published. */
  constructor(texts: ReadonlyMap<OperatorPageName, string> = new Map()) {
    this.#texts = texts;
  }

  /** `readFile` throws an error with the code `ENOENT` where there is no such file. */
  static load(directory: string | null, readFile: (path: string) => string): OperatorPages {
    if (directory === null) return new OperatorPages();
    const texts = new Map<OperatorPageName, string>();
    const faults: string[] = [];
    for (const name of Object.keys(NAMES) as OperatorPageName[]) {
      const path = join(directory, `${name}.md`);
      try {
        const text = readFile(path);
        if (text.length > TEXT_LENGTH_MAX) {
          faults.push(`${VARIABLE}: ${path} is longer than ${TEXT_LENGTH_MAX} characters`);
        }
        texts.set(name, text);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        faults.push(`${VARIABLE}: cannot read ${path}: ${(error as Error).message}`);
      }
    }
    if (faults.length === 0 && texts.size === 0) {
      faults.push(`${VARIABLE}: ${directory} has no imprint.md, privacy.md or terms.md`);
    }
    if (faults.length > 0) throw new ConfigError(faults);
    return new OperatorPages(texts);
  }

  /** The names of pages whose text differs. */
  changedFrom(before: OperatorPages): readonly OperatorPageName[] {
    const names = Object.keys(NAMES) as OperatorPageName[];
    return names.filter((name) => this.#texts.get(name) !== before.#texts.get(name));
  }

  /** Null: there is no page of this name. */
  page(name: string): Promise<OperatorPage> | null {
    if (!Object.hasOwn(NAMES, name)) return null;
    const known = name as OperatorPageName;
    return this.#rendered.getOrInsertComputed(known, () => this.#render(known));
  }

  async #render(name: OperatorPageName): Promise<OperatorPage> {
    const text = this.#texts.get(name);
    const { title, missing } = NAMES[name];
    if (text === undefined) {
      const html = `<p>The operator of this service has not published ${missing}.</p>\n`;
      return { title, html };
    }
    return await renderOperatorPage(text, title);
  }
}

/** The first level-1 heading becomes the title, in place of `title`. */
export async function renderOperatorPage(text: string, title: string): Promise<OperatorPage> {
  // Loaded only when an operator has written a page.
  const { Marked } = await import('marked');
  let found: string | null = null;
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        if (depth === 1 && found === null) {
          found = this.parser.parseInline(tokens, this.parser.textRenderer);
          return '';
        }
        const tag = `h${Math.max(2, Math.min(depth, 4))}`;
        return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const inner = this.parser.parseInline(tokens);
        const isSafe = /^(?:https?:\/\/|mailto:)/i.test(href) && URL.canParse(href);
        return isSafe ? `<a href="${escapeHtml(href)}" rel="noopener">${inner}</a>` : inner;
      },
      image: ({ text: words }: Tokens.Image) => escapeHtml(words),
      html: ({ text: raw }: Tokens.HTML | Tokens.Tag) => escapeHtml(raw),
      code: ({ text: code }: Tokens.Code) => `<pre><code>${escapeHtml(code)}</code></pre>\n`,
      codespan: ({ text: code }: Tokens.Codespan) => `<code>${escapeHtml(code)}</code>`,
      checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '[x] ' : '[ ] '),
    },
  });
  const html = marked.parse(text, { async: false });
  return { title: found === null ? title : unescapeHtml(found), html };
}

/** The plain-text renderer escapes its output, but a title is text. */
function unescapeHtml(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
