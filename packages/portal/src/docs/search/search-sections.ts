/** What can be found: every page cut at its headings, each part with its own address. */

import type { DocsGroup, DocsPage } from '../docs-site.ts';
import { plainText } from '../escaped-text.ts';

export interface SearchSection {
  /** Its place in the list; the index and the texts are joined by it. */
  readonly id: number;
  /** `/docs/errors#forbidden` */
  readonly address: string;
  /** The title of the page. */
  readonly page: string;
  /** The heading; of the beginning of a page its title. */
  readonly heading: string;
  readonly text: string;
  /** Less than 1 for what few look for. */
  readonly weight: number;
}

const HEADING = /^<h[2-6] id="([^"]+)">(.*?)<\/h[2-6]>/;
/** Generated signatures and old changes must not hide the page that explains. */
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

/** Without programs, which would be most of it and are found by the words around them. */
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
