/**
 * A page as the Markdown it is made from, for programs and readers who prefer it. Links lead to the Markdown of other
 * pages as absolute addresses; marks of generators and tests are removed.
 */

import { joined, linkTarget, type MarkdownPlace } from './site-links.ts';

/** The origin in the sources; a service replaces it by its own. */
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

/** Keeps only the language, which is all a reader needs. */
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
