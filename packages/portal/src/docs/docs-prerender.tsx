/** The documentation as HTML, made once per build. */

import { renderToString } from 'preact-render-to-string';
import { DocsPageView } from './docs-page.tsx';
import { DOCS_HOME, type DocsSource, docsSite } from './docs-site.ts';

export interface DocsFile {
  /** `/docs/errors` */
  readonly address: string;
  readonly title: string;
  readonly html: string;
}

export function prerenderDocs(sources: readonly DocsSource[]): readonly DocsFile[] {
  const groups = docsSite(sources);
  const pages = groups.flatMap((group) => group.pages);
  return [
    {
      address: DOCS_HOME,
      title: 'Documentation',
      html: renderToString(<DocsPageView groups={groups} page={null} />),
    },
    ...pages.map((page) => ({
      address: page.address,
      title: page.title,
      html: renderToString(<DocsPageView groups={groups} page={page} />),
    })),
  ];
}
