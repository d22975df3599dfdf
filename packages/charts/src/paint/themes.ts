/** The colours of both themes, for pictures without a page; nothing here needs a browser. */

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
const FIGURES = `${FIGURES_FACE}, "Inter Variable", Inter, system-ui, sans-serif`;
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
const DARK: Readonly<Record<Dye, string>> = {
  ask: '4dc4ea',
  bid: 'ff8f5e',
  'on-ask': '04222d',
  'on-bid': '331303',
  ink: 'eeeff4',
  'on-ink': '0b0c11',
  muted: 'a6abba',
  faint: '8a90a1',
  page: '0b0c11',
  sunken: '0e1016',
  ground: '0f1117',
  grid: '1b1f29',
  axis: '8a90a1',
  neutral: '7d8394',
  line: '232733',
  'line-strong': '343a49',
  accent: 'a9a5ff',
  'accent-soft': '1f1e3a',
  'on-accent': '0b0c11',
};

export const THEMES: Readonly<Record<'light' | 'dark', Colours>> = {
  light: {
    dyes: /* @__PURE__ */ mapped(LIGHT, fromHex),
    isDark: false,
    figures: FIGURES,
    mono: MONO,
  },
  dark: { dyes: /* @__PURE__ */ mapped(DARK, fromHex), isDark: true, figures: FIGURES, mono: MONO },
};

function fromHex(hex: string): Channels {
  const at = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16);
  return [at(0), at(2), at(4)];
}

export function mapped<Value, Result>(
  record: Readonly<Record<Dye, Value>>,
  map: (value: Value, dye: Dye) => Result,
): Record<Dye, Result> {
  const entries = (Object.entries(record) as [Dye, Value][]).map(
    ([dye, value]) => [dye, map(value, dye)] as const,
  );
  return Object.fromEntries(entries) as Record<Dye, Result>;
}
