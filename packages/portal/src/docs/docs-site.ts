/**
 * The documentation as a site: every page of `docs/` has an address, one audience, and a position in that audience's
 * contents. A page that the contents do not name goes to the last group, so none is lost; a named page that is missing
 * is skipped. `docs/guides/write-docs.md` explains how to add a page.
 */

import type { AudienceId } from './audiences.ts';
import { type MarkdownPage, renderMarkdown } from './markdown.ts';
import { rawMarkdown } from './raw-markdown.ts';
import { joined } from './site-links.ts';

export interface DocsSource {
  /** Relative to the documentation folder; paths elsewhere begin with `../`. */
  readonly path: string;
  readonly text: string;
}

export interface DocsPage extends MarkdownPage {
  /** `/docs/errors` */
  readonly address: string;
  /** The name in the contents. */
  readonly name: string;
  /** Its Markdown, with absolute addresses. */
  readonly raw: string;
}

export interface DocsGroup {
  readonly name: string;
  readonly audience: AudienceId;
  /** Collapsed in the contents until the reader opens it or one of its pages. */
  readonly isFolded: boolean;
  readonly pages: readonly DocsPage[];
}

export const VECTORS = '/docs/vectors/';
/** Pages served from outside the folder. */
export const OUTSIDE_PAGES: readonly string[] = ['../CHANGELOG.md', '../packages/client/README.md'];
/** Addresses that do not follow from the path. */
const ADDRESSES: Readonly<Record<string, string>> = {
  '../CHANGELOG.md': '/docs/changelog',
  '../packages/client/README.md': '/docs/client',
  'client/README.md': '/docs/client/reference',
  'client/index.md': '/docs/client/api',
};

/**
 * A page by its path, or the remaining pages of a folder (`concepts/`): its `README.md`, the pages it links to in that
 * order, then the others by title. The name is short, for a narrow column; null is the page's own title.
 */
type Place = readonly [path: string, name: string | null];

interface PlannedGroup {
  readonly name: string;
  readonly places: readonly Place[];
  /** Default: customers. */
  readonly audience?: AudienceId;
  readonly isFolded?: boolean;
}

/** The contents, in order. */
const GROUPS: readonly PlannedGroup[] = [
  {
    name: 'Start',
    places: [
      ['quick-start.md', 'Quick start'],
      ['workspace.md', 'Charts'],
    ],
  },
  {
    name: 'Concepts',
    places: [
      ['concepts/', null],
      ['semantics.md', 'Words and indicators'],
    ],
  },
  { name: 'Indicators', places: [['indicators/', null]], isFolded: true },
  {
    name: 'Use it',
    places: [
      ['../packages/client/README.md', 'Client library'],
      ['component.md', 'Charts on your page'],
      ['history.md', 'History and exports'],
      ['cli.md', 'Command line'],
      ['mcp.md', 'Assistants (MCP)'],
    ],
  },
  {
    name: 'Your account',
    places: [
      ['account.md', 'Sign-in and passkeys'],
      ['keys.md', 'Keys'],
      ['billing.md', 'Plans and billing'],
    ],
  },
  { name: 'Recipes', places: [['recipes/', null]] },
  {
    name: 'Reference',
    places: [
      ['reference/', null],
      ['protocol.md', 'Stream protocol'],
      ['compatibility.md', 'Compatibility'],
      ['errors.md', 'Errors'],
      ['limits.md', 'Limits'],
      ['client/README.md', 'Client: all entries'],
      ['client/index.md', '@tapeloom/client'],
      ['client/stream.md', '…/stream'],
      ['client/node.md', '…/node'],
    ],
  },
  { name: 'Changes', places: [['../CHANGELOG.md', 'Changelog']] },
  {
    name: 'Run it',
    places: [
      ['operating.md', 'Operating'],
      ['operating/', null],
      ['scale.md', 'What scale would take'],
    ],
    audience: 'operators',
  },
  {
    name: 'Sell it',
    places: [
      ['payments.md', 'Payments'],
      ['law.md', 'The law'],
    ],
    audience: 'operators',
  },
  {
    name: 'Work on it',
    places: [
      ['guides/', null],
      ['walk.md', "A stranger's walk"],
    ],
    audience: 'contributors',
  },
  { name: 'Decisions', places: [['decisions/', null]], audience: 'contributors' },
];
const OTHERS = 'More';

export function docsSite(sources: readonly DocsSource[]): readonly DocsGroup[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const addressOf = (path: string) => (texts.has(path) ? addressOfPage(path) : addressOfFile(path));
  const render = ([path, name]: Place): DocsPage => {
    const text = texts.get(path)!;
    const page = renderMarkdown(text, { path, addressOf });
    const raw = rawMarkdown(text, { path, addressOf });
    return { ...page, address: addressOfPage(path), name: name ?? page.title, raw };
  };
  const named = new Set(GROUPS.flatMap(({ places }) => places.map(([path]) => path)));
  const placesOf = (place: Place): readonly Place[] => {
    const [path] = place;
    if (!path.endsWith('/')) return texts.has(path) ? [place] : [];
    return folderOrder(path, texts)
      .filter((inside) => !named.has(inside))
      .map((inside) => [inside, null]);
  };
  const planned = GROUPS.map((group) => ({ ...group, places: group.places.flatMap(placesOf) }));
  const placed = new Set(planned.flatMap(({ places }) => places.map(([path]) => path)));
  const rest = [...texts.keys()].filter((path) => !placed.has(path)).sort();
  const others = { name: OTHERS, places: rest.map((path): Place => [path, null]) };
  const groups: readonly PlannedGroup[] = [...planned, others];
  return groups
    .filter(({ places }) => places.length > 0)
    .map(({ name, places, audience = 'customers', isFolded = false }) => ({
      name,
      audience,
      isFolded,
      pages: places.map(render),
    }));
}

/** The pages of a folder, in the order of its `README.md`. */
function folderOrder(folder: string, texts: ReadonlyMap<string, string>): readonly string[] {
  const inside = [...texts.keys()].filter((path) => path.startsWith(folder));
  const index = `${folder}README.md`;
  const links = [...(texts.get(index) ?? '').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)];
  const listed = [index, ...links.map(([, target]) => joined(index, target!))];
  const titleOf = (path: string) => /^# +(.+)$/m.exec(texts.get(path)!)?.[1] ?? path;
  const rankOf = (path: string) => {
    const place = listed.indexOf(path);
    return place === -1 ? listed.length : place;
  };
  return inside.sort(
    (a, b) =>
      rankOf(a) - rankOf(b) || titleOf(a).localeCompare(titleOf(b), 'en') || (a < b ? -1 : 1),
  );
}

/** Addresses of the golden vectors, which are served beside the pages. */
function addressOfFile(path: string): string | null {
  const name = /^\.\.\/contract\/vectors\/([\w-]+\.v\d+\.jsonl)$/.exec(path)?.[1];
  return name === undefined ? null : `${VECTORS}${name}`;
}

function addressOfPage(path: string): string {
  return ADDRESSES[path] ?? `/docs/${path.replace(/(?:\/README)?\.md$/, '')}`;
}
