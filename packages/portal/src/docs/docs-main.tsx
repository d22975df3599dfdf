/** The script of a documentation page: the bar at its top, search, copying of code, tabs, and the marked heading. */

import { hydrate } from 'preact';
import { startReference } from '../reference/reference-parts.ts';
import { AUDIENCES } from './audiences.ts';
import { addCopy, makeTabs } from './code-in-page.ts';
import { DocsTop } from './docs-top.tsx';
import { followReading } from './follow-reading.ts';
import { offerLive } from './live/offer-live.ts';
import type { SearchScope } from './search/search-dialog.tsx';
import './docs.css';

hydrate(<DocsTop />, document.getElementById('docs-top')!);
for (const block of document.querySelectorAll<HTMLElement>('.docs-code')) addCopy(block);
for (const tabs of document.querySelectorAll<HTMLElement>('.docs-tabs')) makeTabs(tabs);
followReading();
for (const place of document.querySelectorAll<HTMLElement>('.docs-live')) offerLive(place);
startReference();

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('.docs-search') !== null) openSearch();
});
document.addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  const isSlash = key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(event.target);
  const isCommand = key === 'k' && (ctrlKey || metaKey) && !altKey;
  if (!isSlash && !isCommand) return;
  event.preventDefault();
  openSearch();
});

/** Imported at the first search. */
function openSearch(): void {
  import('./search/search-dialog.tsx').then(
    (search) => search.openSearch({ scopes: searchScopes(), first: meta('docs-audience') }),
    () => {
      for (const button of document.querySelectorAll('.docs-search span')) {
        button.textContent = 'Not loaded. Try again';
      }
    },
  );
}

function searchScopes(): readonly SearchScope[] {
  return AUDIENCES.map(({ id, name }) => {
    const [index = '', texts = ''] = meta(`docs-search-${id}`).split(' ');
    return { id, name, index, texts };
  });
}

function meta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
