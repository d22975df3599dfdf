/** How much room the workspace has, in widths of its text: 200 % text on a desktop has the layout of a small screen. */

import { useEffect, useState } from 'preact/hooks';

export type DeskSize = 'phone' | 'narrow' | 'medium' | 'wide';

const USUAL_TEXT = 16;
/** Up to this many pixels at the usual size of text. */
const WIDTHS: readonly (readonly [size: DeskSize, px: number])[] = [
  ['phone', 640],
  ['narrow', 1_000],
  ['medium', 1_180],
];

export function sizeOf(width: number, textPx: number): DeskSize {
  const room = (width * USUAL_TEXT) / textPx;
  return WIDTHS.find(([, px]) => room <= px)?.[0] ?? 'wide';
}

export function useWindowSize(): DeskSize {
  const [size, setSize] = useState(sizeNow);
  useEffect(() => {
    const look = () => setSize(sizeNow());
    // The root element also grows with the reader's size of text.
    const observer = new ResizeObserver(look);
    observer.observe(document.documentElement);
    addEventListener('resize', look);
    return () => {
      observer.disconnect();
      removeEventListener('resize', look);
    };
  }, []);
  return size;
}

function sizeNow(): DeskSize {
  const textPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return sizeOf(innerWidth, textPx || USUAL_TEXT);
}
