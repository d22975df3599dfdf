/**
 * The generated parts of `docs/semantics.md`: per indicator what it is for and the way to its page, between two marks. What
 * people wrote around the marks stays; an indicator the page does not know yet gets a section at its end.
 */

import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { docsPath } from './docs-path.ts';
import { purposeOf } from './indicator-pages.ts';

export const SEMANTICS_PATH = docsPath('semantics.md');

/** The page with every generated part brought up to date. */
export function semanticsPage(page: string): string {
  let text = page;
  for (const indicator of INDICATORS) {
    const { id, name } = indicator;
    const link = `[${name}: rule, parameters, fields, worked example](indicators/${id}.md)`;
    const block = [opening(id), purposeOf(indicator), link, closing(id)].join('\n\n');
    const start = text.indexOf(opening(id));
    const end = text.indexOf(closing(id));
    text =
      start === -1 || end < start
        ? `${text.trimEnd()}\n\n### ${name}\n\n${block}\n`
        : `${text.slice(0, start)}${block}${text.slice(end + closing(id).length)}`;
  }
  return text;
}

/** The ids the page has a generated part for, in its order. */
export function idsOnPage(page: string): string[] {
  return [...page.matchAll(/^<!-- begin ([\w-]+) -->$/gm)].map(([, id]) => id!);
}

const opening = (id: string) => `<!-- begin ${id} -->`;
const closing = (id: string) => `<!-- end ${id} -->`;
