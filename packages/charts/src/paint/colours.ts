/** The colours of a picture: read from a page's tokens, or those of one theme. */

import { DYE_TOKENS, type Dye } from '../scene/batch.ts';

type Channels = readonly [red: number, green: number, blue: number];

export interface Colours {
  /** Red, green and blue, 0 to 255. */
  readonly dyes: Readonly<Record<Dye, Channels>>;
  readonly isDark: boolean;
  /** Font families of figures and of letters. */
  readonly figures: string;
  readonly mono: string;
}

/** The page's font again, with figures of equal width: a canvas takes them from the font only. */
const FIGURES_FACE = '"Inter Figures"';
const FIGURES = `${FIGURES_FACE}, "Inter Variable", Inter, system-ui, sans-serif`;
const MONO = '"Geist Mono Variable", "Geist Mono", ui-monospace, monospace';

/** The tokens, for pictures without a page; equal to `tokens.css` of the portal. */
const LIGHT: Readonly<Record<Dye, string>> = {
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
  light: { dyes: mapped(LIGHT, fromHex), isDark: false, figures: FIGURES, mono: MONO },
  dark: { dyes: mapped(DARK, fromHex), isDark: true, figures: FIGURES, mono: MONO },
};

/** Where the system decides on colours: buyers highlighted, sellers as text. */
const SYSTEM: Readonly<Record<Dye, string>> = {
  ask: 'Highlight',
  bid: 'CanvasText',
  'on-ask': 'HighlightText',
  'on-bid': 'Canvas',
  ink: 'CanvasText',
  'on-ink': 'Canvas',
  muted: 'CanvasText',
  faint: 'CanvasText',
  page: 'Canvas',
  sunken: 'Canvas',
  ground: 'Canvas',
  grid: 'GrayText',
  axis: 'CanvasText',
  neutral: 'GrayText',
  line: 'GrayText',
  'line-strong': 'GrayText',
  accent: 'LinkText',
  'accent-soft': 'Canvas',
  'on-accent': 'Canvas',
};

/** Of the element's theme; it must be in the page. */
export function readColours(element: HTMLElement): Colours {
  const isForced = matchMedia('(forced-colors: active)').matches;
  const probe = document.createElement('span');
  // Set through CSSOM, which a policy without inline styles allows; the browser resolves the theme.
  probe.style.setProperty('forced-color-adjust', 'none');
  element.append(probe);
  const style = getComputedStyle(probe);
  const dyes = mapped(DYE_TOKENS, (token, dye) => {
    probe.style.color = isForced ? SYSTEM[dye] : `var(--${token}, #${LIGHT[dye]})`;
    return channelsOf(style.color);
  });
  const mono = style.getPropertyValue('--mono').trim();
  const figures = `${FIGURES_FACE}, ${style.fontFamily}`;
  probe.remove();
  return {
    ...{ dyes, figures },
    isDark: brightness(dyes.ground) < brightness(dyes.ink),
    mono: mono === '' ? MONO : mono,
  };
}

/** `rgb(8, 119, 156)` or `color(srgb 0.03 0.47 0.61)`. */
function channelsOf(text: string): Channels {
  const numbers = text.match(/[\d.]+/g)?.map(Number) ?? [];
  const scale = text.startsWith('color(') ? 255 : 1;
  const [red = 0, green = 0, blue = 0] = numbers;
  return [red * scale, green * scale, blue * scale];
}

function fromHex(hex: string): Channels {
  const at = (from: number) => Number.parseInt(hex.slice(from, from + 2), 16);
  return [at(0), at(2), at(4)];
}

function brightness([red, green, blue]: Channels): number {
  return red * 0.299 + green * 0.587 + blue * 0.114;
}

function mapped<Value, Result>(
  record: Readonly<Record<Dye, Value>>,
  map: (value: Value, dye: Dye) => Result,
): Record<Dye, Result> {
  const entries = (Object.entries(record) as [Dye, Value][]).map(
    ([dye, value]) => [dye, map(value, dye)] as const,
  );
  return Object.fromEntries(entries) as Record<Dye, Result>;
}
