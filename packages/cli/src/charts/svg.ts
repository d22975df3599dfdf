/**
 * Renders SVG as text; the same calls give the same bytes. Numbers have one decimal. Colours are classes that are
 * light, dark, or follow the reader's setting. Nothing outside the file is referenced.
 */

/** `auto` needs a viewer with CSS variables and media queries. `page` emits no styles: the page styles the classes. */
export type Theme = 'auto' | 'light' | 'dark' | 'page';

export const CHART_WIDTH = 860;

const FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';

type Palette = Readonly<Record<Colour, string>>;
type Colour = keyof typeof LIGHT;

/**
 * Colour names state a meaning, not a look. The two dyes mean bought at the ask and sold at the bid, and nothing else.
 * Everything else is ink and differs by form. The portal's charts use the same colours.
 */
export const LIGHT = {
  paper: '#ffffff',
  edge: '#e5e1d9',
  grid: '#efece6',
  ink: '#16171d',
  faint: '#676b78',
  neutral: '#7b7f8b',
  ask: '#08779c',
  bid: '#bd4318',
  'on-ask': '#ffffff',
  'on-bid': '#ffffff',
};
export const DARK: Palette = {
  paper: '#0f1117',
  edge: '#232733',
  grid: '#1b1f29',
  ink: '#eeeff4',
  faint: '#8a90a1',
  neutral: '#7d8394',
  ask: '#4dc4ea',
  bid: '#ff8f5e',
  'on-ask': '#04222d',
  'on-bid': '#331303',
};
/** Opacity of a cell's dye, from an empty cell to the largest on the chart. */
const LIGHT_TONES = { least: 0.04, range: 0.36 };
const DARK_TONES = { least: 0.06, range: 0.48 };
const TONES_COUNT = 12;

const COLOURS = Object.keys(LIGHT) as readonly Colour[];

export function svgDocument(
  { width, height }: { readonly width: number; readonly height: number },
  title: string,
  description: string,
  body: readonly string[],
  theme: Theme = 'auto',
): string {
  const box = `viewBox="0 0 ${num(width)} ${num(height)}" width="${num(width)}" height="${num(height)}"`;
  const paper = [
    `<rect class="paper" width="${num(width)}" height="${num(height)}" rx="10"/>`,
    `<rect class="s-edge" x=".5" y=".5" width="${num(width - 1)}" height="${num(height - 1)}" rx="10"/>`,
  ];
  const open = `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img"`;
  if (theme === 'page') {
    return [`${open} aria-label="${escaped(description)}">`, ...paper, ...body, '</svg>'].join(
      '\n',
    );
  }
  return [
    `${open} aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title><desc id="d">${escaped(description)}</desc>`,
    `<style>${styleOf(theme)}</style>`,
    ...paper,
    ...body,
    '</svg>',
    '',
  ].join('\n');
}

function styleOf(theme: Exclude<Theme, 'page'>): string {
  const variables = (palette: Palette, tones: typeof LIGHT_TONES) =>
    [
      ...COLOURS.map((colour) => `--${colour}:${palette[colour]}`),
      ...toneNumbers().map((step) => `--t${step}:${toneOf(tones, step)}`),
    ].join(';');
  const colourOf = (colour: Colour) =>
    theme === 'auto' ? `var(--${colour})` : (theme === 'dark' ? DARK : LIGHT)[colour];
  const opacityOf = (step: number) =>
    theme === 'auto'
      ? `var(--t${step})`
      : toneOf(theme === 'dark' ? DARK_TONES : LIGHT_TONES, step);
  return [
    `svg{font-size:11px;font-family:${FONT}}`,
    ...(theme === 'auto'
      ? [
          `svg{${variables(LIGHT, LIGHT_TONES)}}`,
          `@media(prefers-color-scheme:dark){svg{${variables(DARK, DARK_TONES)}}}`,
        ]
      : []),
    ...COLOURS.map(
      (it) => `.${it}{fill:${colourOf(it)}}.s-${it}{stroke:${colourOf(it)};fill:none}`,
    ),
    ...toneNumbers().map((step) => `.t${step}{fill-opacity:${opacityOf(step)}}`),
    `.hollow{fill:${colourOf('paper')}}.ring{stroke:${colourOf('paper')}}`,
    `.halo{paint-order:stroke;stroke:${colourOf('paper')};stroke-width:3px;stroke-linejoin:round}`,
    '.head{font-size:15px;font-weight:600}.bold{font-weight:700}.small{font-size:9.5px}',
    '.num{font-variant-numeric:tabular-nums}',
    '.o1{opacity:.14}.o2{opacity:.28}.o3{opacity:.55}.w15{stroke-width:1.5}.dash{stroke-dasharray:4 3}',
  ].join('');
}

/** The class of a cell with this share of the largest volume. Tones grow with the square root, as areas do. */
export function toneClass(share: number): string {
  return `t${Math.round(Math.sqrt(Math.min(1, Math.max(0, share))) * (TONES_COUNT - 1))}`;
}

function toneNumbers(): readonly number[] {
  return Array.from({ length: TONES_COUNT }, (_, step) => step);
}

function toneOf({ least, range }: typeof LIGHT_TONES, step: number): string {
  return String(Math.round((least + (range * step) / (TONES_COUNT - 1)) * 1000) / 1000);
}

export type Anchor = 'start' | 'middle' | 'end';

export function text(
  classes: string,
  x: number,
  y: number,
  words: string,
  anchor: Anchor = 'start',
): string {
  const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${classes}" x="${num(x)}" y="${num(y)}"${side}>${escaped(words)}</text>`;
}

export function rect(
  classes: string,
  x: number,
  y: number,
  width: number,
  height: number,
  round = 0,
): string {
  const size = `width="${num(Math.max(0, width))}" height="${num(Math.max(0, height))}"`;
  const corner = round === 0 ? '' : ` rx="${num(round)}"`;
  return `<rect class="${classes}" x="${num(x)}" y="${num(y)}" ${size}${corner}/>`;
}

export function circle(classes: string, x: number, y: number, radius: number): string {
  return `<circle class="${classes}" cx="${num(x)}" cy="${num(y)}" r="${num(radius)}"/>`;
}

export function path(classes: string, commands: readonly string[]): string {
  return commands.length === 0 ? '' : `<path class="${classes}" d="${commands.join('')}"/>`;
}

export function lineBetween(x1: number, y1: number, x2: number, y2: number): string {
  return `M${num(x1)} ${num(y1)}L${num(x2)} ${num(y2)}`;
}

/** A path through points. */
export function polyline(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${num(x)} ${num(y)}`).join('');
}

export function num(value: number): string {
  return String(Math.round(value * 10) / 10 || 0);
}

function escaped(words: string): string {
  return words
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
