/** What the colours of a picture are, and those of the light theme: a page's fallback for a token that it lacks. */

import type { Dye } from '../scene/batch.ts';

export type Channels = readonly [red: number, green: number, blue: number];

export interface Colours {
  /** Red, green and blue, 0 to 255. */
  readonly dyes: Readonly<Record<Dye, Channels>>;
  readonly isDark: boolean;
  /** Font families of figures and of letters. */
  readonly figures: string;
  readonly mono: string;
}

/** The page's font again, with figures of equal width: a canvas takes them from the font only. */
export const FIGURES_FACE = '"Inter Figures"';
export const MONO = '"Geist Mono Variable", "Geist Mono", ui-monospace, monospace';

/** The tokens, for pictures without a page; equal to `tokens.css` of the portal. */
export const LIGHT: Readonly<Record<Dye, string>> = {
  ask: '08779c',
  bid: 'bd4318',
  'on-ask': 'ffffff',
  'on-bid': 'ffffff',
  ink: '16171d',
  'on-ink': 'ffffff',
  muted: '555966',
  faint: '676b78',
  page: 'faf9f6',
  sunken: 'f3f1ec',
  ground: 'ffffff',
  grid: 'efece6',
  axis: '676b78',
  neutral: '7b7f8b',
  line: 'e5e1d9',
  'line-strong': 'd3cec3',
  accent: '3f3bb3',
  'accent-soft': 'ecebfa',
  'on-accent': 'ffffff',
};

export function mapped<Value, Result>(
  record: Readonly<Record<Dye, Value>>,
  map: (value: Value, dye: Dye) => Result,
): Record<Dye, Result> {
  const entries = (Object.entries(record) as [Dye, Value][]).map(
    ([dye, value]) => [dye, map(value, dye)] as const,
  );
  return Object.fromEntries(entries) as Record<Dye, Result>;
}
