/**
 * The documentation as a site: every page of `docs/` has an address, a place in the contents, and links to the others.
 * A page that the contents do not name stands in the last group, so none is ever left out.
 */

import { type MarkdownPage, renderMarkdown } from './markdown.ts';

export interface DocsSource {
  /** Below the folder of the documentation; what stands elsewhere begins with `../`. */
  readonly path: string;
  readonly text: string;
}

export interface DocsPage extends MarkdownPage {
  /** `/docs/errors` */
  readonly address: string;
  /** As the contents call it. */
  readonly name: string;
}

export interface DocsGroup {
  readonly name: string;
  readonly pages: readonly DocsPage[];
}

export const DOCS_HOME = '/docs';
/** What is served though it stands elsewhere. */
export const OUTSIDE_PAGES: readonly string[] = ['../packages/client/README.md'];
/** Addresses that do not follow from the path. */
const ADDRESSES: Readonly<Record<string, string>> = {
  '../packages/client/README.md': '/docs/client',
  'client/README.md': '/docs/client/reference',
  'client/index.md': '/docs/client/api',
};

/** The contents. Names are short, for a narrow column; null is the page's own title. */
const GROUPS: readonly {
  readonly name: string;
  readonly pages: readonly [string, string | null][];
}[] = [
  {
    name: 'Use it',
    pages: [
      ['../packages/client/README.md', 'Client library'],
      ['keys.md', 'Keys'],
      ['protocol.md', 'Stream'],
      ['history.md', 'History and exports'],
      ['errors.md', 'Errors'],
      ['cli.md', 'Command line'],
      ['mcp.md', 'Assistants (MCP)'],
    ],
  },
  { name: 'What it means', pages: [['semantics.md', 'Words and indicators']] },
  {
    name: 'Client reference',
    pages: [
      ['client/README.md', 'All entries'],
      ['client/index.md', '@tapeloom/client'],
      ['client/stream.md', '…/stream'],
      ['client/node.md', '…/node'],
    ],
  },
  {
    name: 'Run it',
    pages: [
      ['operating.md', 'Operating'],
      ['guides/add-an-indicator.md', 'Add an indicator'],
      ['guides/add-a-command.md', 'Add a command'],
    ],
  },
];
/** What few look for: folded in the contents, and not on the first page. */
export const FOLDED_GROUP = 'Decisions';

export function docsSite(sources: readonly DocsSource[]): readonly DocsGroup[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const addressOf = (path: string) => (texts.has(path) ? addressOfPage(path) : null);
  const render = (path: string, name: string | null): DocsPage => {
    const page = renderMarkdown(texts.get(path)!, { path, addressOf });
    // Of a generated page only its address tells what it is of.
    const title = name !== null && page.title === 'index' ? name : page.title;
    return { ...page, title, address: addressOfPage(path), name: name ?? page.title };
  };
  const groups = GROUPS.map(({ name, pages }) => ({
    name,
    pages: pages.filter(([path]) => texts.has(path)).map(([path, short]) => render(path, short)),
  }));
  const named = new Set(GROUPS.flatMap(({ pages }) => pages.map(([path]) => path)));
  const rest = [...texts.keys()].filter((path) => !named.has(path)).sort();
  const others = { name: FOLDED_GROUP, pages: rest.map((path) => render(path, null)) };
  return [...groups, others].filter(({ pages }) => pages.length > 0);
}

function addressOfPage(path: string): string {
  return ADDRESSES[path] ?? `/docs/${path.replace(/\.md$/, '')}`;
}
