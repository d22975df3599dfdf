/** The documentation as files, made once per build: pages, their Markdown, the feed of changes, and what the search needs. */

import { renderToString } from 'preact-render-to-string';
import { changelogFeed, FEED_ADDRESS } from './changelog-feed.ts';
import { DocsPageView } from './docs-page.tsx';
import { DOCS_HOME, type DocsSource, docsSite } from './docs-site.ts';
import { llmsFullText, llmsText } from './language-model-pages.ts';
import { searchIndex } from './search/search-index.ts';
import { searchSections } from './search/search-sections.ts';

export interface DocsFile {
  /** `/docs/errors` */
  readonly address: string;
  readonly title: string;
  /** A sentence, for who finds the page elsewhere. */
  readonly lead: string;
  readonly html: string;
}

export interface DocsBuild {
  readonly files: readonly DocsFile[];
  /** What is served as it is, by its address. */
  readonly texts: ReadonlyMap<string, string>;
  /** JSON that the search loads: what finds, and what is shown of what was found. */
  readonly searchIndex: string;
  readonly searchTexts: string;
}

export interface DocsInput {
  readonly sources: readonly DocsSource[];
  /** When the changelog was changed last. */
  readonly changedAt: Date;
}

export function prerenderDocs({ sources, changedAt }: DocsInput): DocsBuild {
  const groups = docsSite(sources);
  const pages = groups.flatMap((group) => group.pages);
  const home = {
    address: DOCS_HOME,
    title: 'Documentation',
    lead: 'How to get a key, read the stream and the past, and what every number means.',
    html: renderToString(<DocsPageView groups={groups} page={null} />),
  };
  const files = pages.map((page) => ({
    address: page.address,
    title: page.title,
    lead: page.lead,
    html: renderToString(<DocsPageView groups={groups} page={page} />),
  }));
  const changelog = pages.find(({ address }) => FEED_ADDRESS === `${address}.atom`);
  const list = llmsText(groups);
  const sections = searchSections(groups);
  return {
    files: [home, ...files],
    texts: new Map([
      ...pages.map(({ address, raw }) => [`${address}.md`, raw] as const),
      [`${DOCS_HOME}.md`, list],
      ['/llms.txt', list],
      ['/llms-full.txt', llmsFullText(groups)],
      ...(changelog === undefined
        ? []
        : [[FEED_ADDRESS, changelogFeed(changelog, changedAt)] as const]),
    ]),
    searchIndex: searchIndex(sections),
    searchTexts: JSON.stringify(sections.map(({ text }) => text)),
  };
}
