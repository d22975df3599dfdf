/** The colours of a picture, read from a page's tokens. Those of one theme without a page are in `themes.ts`. */

import { DYE_TOKENS, type Dye } from '../scene/batch.ts';
import { type Channels, type Colours, FIGURES_FACE, LIGHT, MONO, mapped } from './theme-tokens.ts';

export type { Colours } from './theme-tokens.ts';

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
  sunken: mixed(6),
  ground: 'Canvas',
  grid: mixed(15),
  axis: 'CanvasText',
  neutral: mixed(60),
  line: mixed(40),
  'line-strong': mixed(60),
  accent: 'LinkText',
  'accent-soft': 'Canvas',
  'on-accent': 'Canvas',
};

function mixed(percent: number): string {
  return `color-mix(in srgb, CanvasText ${percent}%, Canvas)`;
}

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

function brightness([red, green, blue]: Channels): number {
  return red * 0.299 + green * 0.587 + blue * 0.114;
}
