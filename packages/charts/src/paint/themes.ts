/** The colours of both themes, for pictures without a page; nothing here needs a browser. */

import type { Dye } from '../scene/batch.ts';
import { type Channels, type Colours, FIGURES_FACE, LIGHT, MONO, mapped } from './theme-tokens.ts';

const FIGURES = `${FIGURES_FACE}, "Inter Variable", Inter, system-ui, sans-serif`;
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
    dyes: mapped(LIGHT, fromHex),
    isDark: false,
    figures: FIGURES,
    mono: MONO,
  },
  dark: { dyes: mapped(DARK, fromHex), isDark: true, figures: FIGURES, mono: MONO },
};

function fromHex(hex: string): Channels {
  const at = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16);
  return [at(0), at(2), at(4)];
}
