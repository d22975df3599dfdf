/**
 * The generated parts of `docs/semantics.md`: each indicator's purpose and link, between two marks. Text around the
 * marks stays. A new indicator gets a section at the end.
 */

import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { docsPath } from './docs-path.ts';
import { purposeOf } from './indicator-pages.ts';

export const SEMANTICS_PATH = docsPath('semantics.md');

/** The page with every generated part replaced. */
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

/** The ids with a generated part, in the page's order. */
export function idsOnPage(page: string): string[] {
  return [...page.matchAll(/^<!-- begin ([\w-]+) -->$/gm)].map(([, id]) => id!);
}

const opening = (id: string) => `<!-- begin ${id} -->`;
const closing = (id: string) => `<!-- end ${id} -->`;
