/** The searchable sections: every page split at its headings, each part with its own address. */

import type { DocsGroup, DocsPage } from '../docs-site.ts';
import { plainText } from '../escaped-text.ts';

export interface SearchSection {
  /** Its index in the list, which joins the index and the texts. */
  readonly id: number;
  /** `/docs/errors#forbidden` */
  readonly address: string;
  readonly page: string;
  /** The heading; the page's title for its first part. */
  readonly heading: string;
  readonly text: string;
  /** Below 1 for rarely wanted sections. */
  readonly weight: number;
}

const HEADING = /^<h[2-6] id="([^"]+)">(.*?)<\/h[2-6]>/;
/** Generated signatures and old changes must not outrank the page that explains. */
const SELDOM = 0.2;

export function searchSections(groups: readonly DocsGroup[]): readonly SearchSection[] {
  const parts = groups.flatMap(({ pages }) =>
    pages.flatMap((page) => {
      const isSeldom = /^\/docs\/(?:client\/|changelog)/.test(page.address);
      return partsOf(page).map((part) => ({ ...part, weight: isSeldom ? SELDOM : 1 }));
    }),
  );
  return parts.map((part, id) => ({ ...part, id }));
}

function partsOf({
  address,
  title,
  html,
}: DocsPage): readonly Omit<SearchSection, 'id' | 'weight'>[] {
  return html.split(/(?=<h[2-6] id=)/).flatMap((part, index) => {
    const [whole = '', anchor, heading = ''] = HEADING.exec(part) ?? [];
    const text = wordsOf(part.slice(whole.length));
    if (index === 0) return [{ address, page: title, heading: title, text }];
    return [{ address: `${address}#${anchor}`, page: title, heading: wordsOf(heading), text }];
  });
}

/** Without code blocks: they would dominate, and the words around them suffice. */
function wordsOf(html: string): string {
  const bare = html
    .replace(/<pre[\s\S]*?<\/pre>|<thead>.*?<\/thead>|<div class="docs-code-head">.*?<\/div>/g, ' ')
    .replace(/<\/td><td[^>]*>/g, ' · ');
  return plainText(
    bare.replace(/<\/?(?:code|em|strong|a|b|i)\b[^>]*>/g, '').replace(/<[^>]+>/g, ' '),
  )
    .replace(/\s+/g, ' ')
    .trim();
}
