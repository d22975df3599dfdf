/** What a page of the documentation does in the browser: the bar at its top, copying of code, and where one reads. */

import { hydrate } from 'preact';
import { TopBar } from '../shell/public-frame.tsx';
import { offerLive } from './live/offer-live.ts';
import './docs.css';

const COPIED_MS = 2_000;

hydrate(<TopBar />, document.getElementById('docs-top')!);
for (const block of document.querySelectorAll<HTMLElement>('.docs-code')) addCopy(block);
followReading();
for (const place of document.querySelectorAll<HTMLElement>('.docs-live')) offerLive(place);

function addCopy(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'docs-copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const text = block.querySelector('code')?.textContent ?? '';
    navigator.clipboard.writeText(text).then(
      () => {
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, COPIED_MS);
      },
      () => {
        button.textContent = 'Select it to copy';
      },
    );
  });
  block.append(button);
}

/** Marks the heading that was passed last. */
function followReading(): void {
  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>('.docs-here a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  if (links.size === 0) return;
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  let marked: HTMLAnchorElement | undefined;
  const look = () => {
    const passed = headings.findLast((heading) => heading.getBoundingClientRect().top < 120);
    const link = links.get((passed ?? headings[0])?.id ?? '');
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'true');
    link?.scrollIntoView({ block: 'nearest' });
    marked = link;
  };
  let isDue = false;
  addEventListener(
    'scroll',
    () => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(() => {
        isDue = false;
        look();
      });
    },
    { passive: true },
  );
  look();
}
