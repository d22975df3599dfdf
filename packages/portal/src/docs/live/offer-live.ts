/**
 * Offers the live part of a page: only buttons until one is clicked. With `?live` in the address, as a replay opens it,
 * the live market starts by itself for a visitor who is signed in.
 */

import { isProbablySignedIn } from '../../shell/signed-in-hint.ts';
import { signInPath } from '../../shell/wanted-path.ts';
import type { LiveKind } from './live-part.tsx';

export function offerLive(place: HTMLElement): void {
  const { indicator } = place.dataset;
  if (indicator === undefined) return;
  const isSignedIn = isProbablySignedIn();
  const recorded = button('Play the recorded minute', isSignedIn ? 'secondary' : 'primary');
  const market = isSignedIn ? button('Open it live', 'primary') : null;
  const start = async (clicked: HTMLButtonElement, kind: LiveKind) => {
    clicked.setAttribute('aria-busy', 'true');
    try {
      const { startLive } = await import('./live-part.tsx');
      startLive(place, indicator, kind);
    } catch {
      clicked.removeAttribute('aria-busy');
      clicked.textContent = 'Not loaded. Try again';
    }
  };
  recorded.addEventListener('click', () => void start(recorded, 'recorded'));
  market?.addEventListener('click', () => void start(market, 'market'));
  place.replaceChildren(...(market === null ? [recorded, signInLink()] : [market, recorded]));
  place.hidden = false;
  if (market !== null && new URLSearchParams(location.search).has('live')) {
    place.scrollIntoView();
    market.click();
  }
}

function button(words: string, kind: 'primary' | 'secondary'): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = `btn ${kind}`;
  element.textContent = words;
  return element;
}

function signInLink(): HTMLAnchorElement {
  const link = document.createElement('a');
  link.className = 'btn secondary';
  link.href = signInPath(location.pathname);
  link.textContent = 'Sign in to see it live';
  return link;
}
