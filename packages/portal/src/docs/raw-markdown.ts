/**
 * A page as the Markdown it is made from, for programs and for people who like it so. Links lead to the Markdown of other
 * pages and are whole addresses; marks of generators and of tests are left out.
 */

import { joined, linkTarget, type MarkdownPlace } from './site-links.ts';

/** What pages are written for; a service puts its own in its place. */
export const WRITTEN_FOR = 'http://127.0.0.1:8080';

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

export function rawMarkdown(text: string, place: MarkdownPlace): string {
  const parts = text.split(/^( *(?:`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *(?:`{3,}|~{3,}) *$)/gm);
  return parts
    .map((part, index) => (index % 2 === 1 ? withoutMarks(part) : withWholeLinks(part, place)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trimStart();
}

/** Only the language says something to a reader. */
function withoutMarks(fence: string): string {
  return fence.replace(/^( *(?:`{3,}|~{3,})\w*)[^\n]*/, '$1');
}

function withWholeLinks(text: string, place: MarkdownPlace): string {
  return text
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(LINK, (_, image: string, words: string, href: string) => {
      if (image !== '') return `![${words}](${WRITTEN_FOR}/docs/${joined(place.path, href)})`;
      const target = linkTarget(href, place);
      if (target === null) return words;
      const { address, hash, isOurs } = target;
      if (!isOurs) return `[${words}](${address})`;
      const isPage = address.startsWith('/docs') && !/\.\w+$/.test(address);
      const whole = address === '' ? '' : `${WRITTEN_FOR}${address}${isPage ? '.md' : ''}`;
      return `[${words}](${whole}${hash})`;
    });
}
