/** Renders the changelog as an Atom feed (RFC 4287): an entry per release, and one for unreleased changes. */

import type { DocsPage } from './docs-site.ts';
import { escapeText, plainText } from './escaped-text.ts';
import { WRITTEN_FOR } from './raw-markdown.ts';

export const FEED_ADDRESS = '/docs/changelog.atom';
const RELEASE = /^<h2 id="([^"]+)"><a [^>]*>(.*?)<\/a><\/h2>/;

/** `changedAt` is the page's last change; it dates entries without a date. */
export function changelogFeed({ address, html }: DocsPage, changedAt: Date): string {
  const page = `${WRITTEN_FOR}${address}`;
  const entries = html.split(/(?=<h2 id=)/).flatMap((part) => {
    const [whole, anchor, title] = RELEASE.exec(part) ?? [];
    if (whole === undefined) return [];
    const day = /(\d{4}-\d\d-\d\d)$/.exec(title!)?.[1];
    const updated = day === undefined ? changedAt : new Date(`${day}T00:00:00Z`);
    const content = withWholeAddresses(part.slice(whole.length).trim(), page);
    return [{ title: plainText(title!), id: `${page}#${anchor}`, updated, content }];
  });
  const newest = Math.max(...entries.map(({ updated }) => updated.getTime()), 0);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<title>Tapeloom: changes</title>',
    `<id>${page}</id>`,
    `<link rel="alternate" type="text/html" href="${page}"/>`,
    `<link rel="self" type="application/atom+xml" href="${WRITTEN_FOR}${FEED_ADDRESS}"/>`,
    `<updated>${new Date(newest === 0 ? changedAt : newest).toISOString()}</updated>`,
    '<author><name>Tapeloom</name></author>',
    ...entries.flatMap(({ title, id, updated, content }) => [
      '<entry>',
      `<title>${escapeText(title)}</title>`,
      `<id>${id}</id>`,
      `<link rel="alternate" type="text/html" href="${id}"/>`,
      `<updated>${updated.toISOString()}</updated>`,
      `<content type="html">${escapeText(content)}</content>`,
      '</entry>',
    ]),
    '</feed>',
    '',
  ].join('\n');
}

function withWholeAddresses(html: string, page: string): string {
  return html
    .replace(/ (href|src)="\//g, ` $1="${WRITTEN_FOR}/`)
    .replace(/ href="#/g, ` href="${page}#`);
}
