/**
 * SVG as text: the same calls give the same bytes. Numbers have one decimal, colours are classes that
 * are light, dark or follow the reader's setting, and nothing outside the file is referred to.
 */

/** `auto` needs a reader that knows CSS variables and media queries, as browsers do. */
export type Theme = 'auto' | 'light' | 'dark';

export const CHART_WIDTH = 860;

const FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';

type Palette = Readonly<Record<Colour, string>>;
type Colour = keyof typeof LIGHT;

/** Names of colours: what is drawn says what it means, not how it looks. */
const LIGHT = {
  paper: '#ffffff',
  edge: '#dfe3ea',
  grid: '#edf0f4',
  ink: '#1c2430',
  faint: '#667085',
  buy: '#0b8f6a',
  sell: '#cf3f55',
  accent: '#2f62d9',
  gold: '#a86a00',
};
const DARK: Palette = {
  paper: '#0e131c',
  edge: '#273142',
  grid: '#1a2230',
  ink: '#e7ebf2',
  faint: '#94a0b4',
  buy: '#2fd0a0',
  sell: '#ff7183',
  accent: '#82a8ff',
  gold: '#f2b53a',
};

const COLOURS = Object.keys(LIGHT) as readonly Colour[];

export function svgDocument(
  height: number,
  title: string,
  description: string,
  body: readonly string[],
  theme: Theme = 'auto',
): string {
  const variables = (palette: Palette) =>
    COLOURS.map((colour) => `--${colour}:${palette[colour]}`).join(';');
  const colourOf = (colour: Colour) =>
    theme === 'auto' ? `var(--${colour})` : (theme === 'dark' ? DARK : LIGHT)[colour];
  const style = [
    `svg{font-size:11px;font-family:${FONT}}`,
    ...(theme === 'auto'
      ? [`svg{${variables(LIGHT)}}`, `@media(prefers-color-scheme:dark){svg{${variables(DARK)}}}`]
      : []),
    ...COLOURS.map(
      (it) => `.${it}{fill:${colourOf(it)}}.s-${it}{stroke:${colourOf(it)};fill:none}`,
    ),
    `.halo{paint-order:stroke;stroke:${colourOf('paper')};stroke-width:3px;stroke-linejoin:round}`,
    '.head{font-size:15px;font-weight:600}.bold{font-weight:700}.small{font-size:9.5px}',
    '.num{font-variant-numeric:tabular-nums}',
    '.o1{opacity:.14}.o2{opacity:.28}.o3{opacity:.55}.w15{stroke-width:1.6}.dash{stroke-dasharray:4 3}',
  ].join('');
  const box = `viewBox="0 0 ${CHART_WIDTH} ${height}" width="${CHART_WIDTH}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${box} role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title><desc id="d">${escaped(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="paper" width="${CHART_WIDTH}" height="${height}" rx="10"/>`,
    `<rect class="s-edge" x=".5" y=".5" width="${CHART_WIDTH - 1}" height="${height - 1}" rx="10"/>`,
    ...body,
    '</svg>',
    '',
  ].join('\n');
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
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
