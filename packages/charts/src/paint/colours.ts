/** The colours of a picture: read from a page's tokens, or those of one theme. */

import type { Dye } from '../scene/batch.ts';

export interface Colours {
  /** Red, green and blue, 0 to 255. */
  readonly dyes: Readonly<Record<Dye, readonly [red: number, green: number, blue: number]>>;
  readonly isDark: boolean;
  /** Font families of figures and of letters. */
  readonly figures: string;
  readonly mono: string;
}

/** Of the element's theme; it must be in the page. */
export declare function readColours(element: HTMLElement): Colours;
