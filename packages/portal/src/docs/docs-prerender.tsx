/** Renders the documentation as files, once per build: pages, their Markdown, the changes feed, and the search data. */

import { renderToString } from 'preact-render-to-string';
import { AUDIENCES, type Audience, type AudienceId, DOCS_HOME } from './audiences.ts';
import { changelogFeed, FEED_ADDRESS } from './changelog-feed.ts';
import { DocsPageView } from './docs-page.tsx';
import { type DocsGroup, type DocsPage, type DocsSource, docsSite } from './docs-site.ts';
import { llmsFullText, llmsText } from './language-model-pages.ts';
import { WRITTEN_FOR } from './raw-markdown.ts';
import { searchIndex } from './search/search-index.ts';
import { searchSections } from './search/search-sections.ts';

export interface DocsFile {
  /** `/docs/errors` */
  readonly address: string;
  readonly title: string;
  /** A sentence for search results and link previews. */
  readonly lead: string;
  readonly html: string;
  readonly audience: AudienceId;
}

/** JSON that an audience's search loads: an index, and the texts of results. */
export interface DocsSearchFiles {
  readonly audience: AudienceId;
  readonly index: string;
  readonly texts: string;
}

export interface DocsBuild {
  readonly files: readonly DocsFile[];
  /** Further files to serve, by address. */
  readonly texts: ReadonlyMap<string, string>;
  readonly searches: readonly DocsSearchFiles[];
}

export interface DocsInput {
  readonly sources: readonly DocsSource[];
  /** When the changelog last changed. */
  readonly changedAt: Date;
}

/** Public pages of the portal, besides the first one. */
const PUBLIC_PAGES = ['/plans', '/status', '/imprint', '/privacy', '/terms'];

export function prerenderDocs({ sources, changedAt }: DocsInput): DocsBuild {
  const groups = docsSite(sources);
  const pages = groups.flatMap((group) => group.pages);
  const audiences = AUDIENCES.map(({ id }) => {
    const own = groups.filter(({ audience }) => audience === id);
    return { id, own, sections: searchSections(own) };
  });
  const changelog = pages.find(({ address }) => FEED_ADDRESS === `${address}.atom`);
  const files = AUDIENCES.flatMap((audience, index) => filesOf(audience, audiences[index]!.own));
  return {
    files,
    texts: new Map([
      ...pages.map(({ address, raw }) => [`${address}.md`, raw] as const),
      ...AUDIENCES.map(
        ({ address }, index) => [`${address}.md`, llmsText(audiences[index]!.own)] as const,
      ),
      [`${DOCS_HOME}.md`, llmsText(groups)],
      ['/llms.txt', llmsText(groups)],
      ['/llms-full.txt', llmsFullText(groups)],
      ['/sitemap.xml', sitemap(files)],
      ...(changelog === undefined
        ? []
        : [[FEED_ADDRESS, changelogFeed(changelog, changedAt)] as const]),
    ]),
    searches: audiences.map(({ id, sections }) => ({
      audience: id,
      index: searchIndex(sections),
      texts: JSON.stringify(sections.map(({ text }) => text)),
    })),
  };
}

function sitemap(files: readonly DocsFile[]): string {
  const addresses = ['/', ...PUBLIC_PAGES, ...files.map(({ address }) => address)];
  const entries = addresses.map((address) => `<url><loc>${WRITTEN_FOR}${address}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
}

/** An audience's first page, then its pages. */
function filesOf(audience: Audience, groups: readonly DocsGroup[]): readonly DocsFile[] {
  const view = (page: DocsPage | null) =>
    renderToString(<DocsPageView audience={audience} groups={groups} page={page} />);
  const { id, address, title, lead } = audience;
  const home = { address, title, lead, html: view(null), audience: id };
  const pages = groups.flatMap((group) => group.pages);
  return [
    home,
    ...pages.map((page) => ({
      address: page.address,
      title: page.title,
      lead: page.lead,
      html: view(page),
      audience: id,
    })),
  ];
}
