/** How much room the workspace has, in widths of its text: 200 % text on a desktop has the layout of a small screen. */

import { useEffect, useState } from 'preact/hooks';

export type DeskSize = 'phone' | 'narrow' | 'medium' | 'wide' | 'full';

const USUAL_TEXT = 16;
/** Up to this many pixels at the usual size of text. */
const WIDTHS: readonly (readonly [size: DeskSize, px: number])[] = [
  ['phone', 700],
  ['narrow', 1_000],
  ['medium', 1_180],
  ['wide', 1_360],
];

export function sizeOf(width: number, textPx: number): DeskSize {
  const room = (width * USUAL_TEXT) / textPx;
  return WIDTHS.find(([, px]) => room <= px)?.[0] ?? 'full';
}

export function useWindowSize(): DeskSize {
  const [size, setSize] = useState(sizeNow);
  useEffect(() => {
    const look = () => setSize(sizeNow());
    // As wide as a letter: it alone tells that the reader has changed the size of text.
    const letter = document.createElement('span');
    letter.className = 'letter';
    document.body.append(letter);
    const observer = new ResizeObserver(look);
    observer.observe(letter);
    addEventListener('resize', look);
    return () => {
      observer.disconnect();
      letter.remove();
      removeEventListener('resize', look);
    };
  }, []);
  return size;
}

function sizeNow(): DeskSize {
  const textPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return sizeOf(innerWidth, textPx || USUAL_TEXT);
}
