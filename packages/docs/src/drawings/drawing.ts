/**
 * The shapes of the documentation's drawings. A drawing is one narrow column: on a phone of 360 px its text is 12 px,
 * and nothing is dropped. Colours are those of the charts and follow the reader's setting. The two dyes keep their
 * meaning, so a drawing uses only ink and distinguishes by form.
 */

import { THEMES } from '@tapeloom/charts/paint/themes';

export const WIDTH = 420;
/** The width of a picture on a phone of 360 px. */
export const PHONE_WIDTH = 328;
export const TEXT_PX = 15.5;
/** The left and right edges of drawings. */
export const LEFT = 16;
export const RIGHT = WIDTH - LEFT;

/** By the dye of the charts. */
const COLOURS = {
  paper: 'ground',
  edge: 'line',
  grid: 'grid',
  ink: 'ink',
  faint: 'axis',
  neutral: 'neutral',
} as const;
const NAMES = Object.keys(COLOURS) as readonly (keyof typeof COLOURS)[];
const SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';
const MONO = 'ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace';
/** Wider than the average letter of these fonts. */
const LETTER_EM = { plain: 0.53, bold: 0.57, mono: 0.61 } as const;

export interface Drawing {
  readonly name: string;
  readonly title: string;
  /** The description for screen readers. */
  readonly description: string;
  readonly height: number;
  readonly shapes: readonly string[];
}

export interface Words {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly style?: keyof typeof LETTER_EM;
  readonly tone?: 'ink' | 'faint' | 'paper';
}

type BoxKind = 'plain' | 'filled' | 'solid' | 'dashed';
type LineKind = 'plain' | 'dashed';

/** Renders a drawing as a file; the same calls give the same bytes. */
export function svgOf({ title, description, height, shapes }: Drawing): string {
  const variables = (theme: 'light' | 'dark') =>
    NAMES.map((name) => `--${name}:${hexOf(THEMES[theme].dyes[COLOURS[name]])}`).join(';');
  const style = [
    `svg{font:${TEXT_PX}px ${SANS};${variables('light')}}`,
    `@media(prefers-color-scheme:dark){svg{${variables('dark')}}}`,
    ...NAMES.map((it) => `.${it}{fill:var(--${it})}.s-${it}{stroke:var(--${it});fill:none}`),
    `.bold{font-weight:650}.mono{font-family:${MONO}}`,
    '.w2{stroke-width:2}.dash{stroke-dasharray:5 4}',
  ].join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="t d">`,
    `<title id="t">${escaped(title)}</title><desc id="d">${escaped(description)}</desc>`,
    `<style>${style}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="10"/>`,
    ...shapes,
    '</svg>',
    '',
  ].join('\n');
}

/** Throws if the text would exceed the drawing. */
export function text(x: number, y: number, words: string, how: Words = {}): string {
  const { anchor = 'start', style = 'plain', tone = 'ink' } = how;
  const width = words.length * LETTER_EM[style] * TEXT_PX;
  const from = anchor === 'start' ? x : anchor === 'middle' ? x - width / 2 : x - width;
  if (from < 4 || from + width > WIDTH - 4) throw new Error(`"${words}" does not fit`);
  const classes = style === 'plain' ? tone : `${tone} ${style}`;
  const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${classes}" x="${x}" y="${y}"${side}>${escaped(words)}</text>`;
}

export function box(
  x: number,
  y: number,
  width: number,
  height: number,
  how: BoxKind = 'plain',
): string {
  const place = `x="${x}" y="${y}" width="${width}" height="${height}" rx="6"`;
  if (how === 'solid') return `<rect class="ink" ${place}/>`;
  const ground = how === 'filled' ? `<rect class="grid" ${place}/>` : '';
  return `${ground}<rect class="s-neutral${how === 'dashed' ? ' dash' : ''}" ${place}/>`;
}

export function labelled(
  x: number,
  y: number,
  width: number,
  height: number,
  words: string,
  how: BoxKind = 'plain',
): string {
  const label = text(x + width / 2, y + height / 2 + 5.5, words, {
    anchor: 'middle',
    tone: how === 'solid' ? 'paper' : 'ink',
  });
  return box(x, y, width, height, how) + label;
}

export function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  how: LineKind = 'plain',
): string {
  const dash = how === 'dashed' ? ' dash' : '';
  return `<path class="s-neutral${dash}" d="M${x1} ${y1}L${x2} ${y2}"/>`;
}

/** Along an axis only: to the right, to the left or down. */
export function arrow(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  how: LineKind = 'plain',
): string {
  const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  if (dx !== 0 && dy !== 0) throw new Error('arrows go along an axis');
  const [backX, backY] = [x2 - 8 * dx, y2 - 8 * dy];
  const head = `M${x2} ${y2}L${backX - 4 * dy} ${backY - 4 * dx}L${backX + 4 * dy} ${backY + 4 * dx}Z`;
  return `${line(x1, y1, backX, backY, how)}<path class="neutral" d="${head}"/>`;
}

/** A version of an object: forming, final or removed. */
export function version(x: number, y: number, what: 'forming' | 'final' | 'removed'): string {
  if (what === 'removed')
    return `<path class="s-ink w2" d="M${x - 7} ${y - 7}l14 14m0 -14l-14 14"/>`;
  if (what === 'final') return `<circle class="ink" cx="${x}" cy="${y}" r="9"/>`;
  return `<circle class="paper" cx="${x}" cy="${y}" r="8"/><circle class="s-ink w2" cx="${x}" cy="${y}" r="8"/>`;
}

function hexOf(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
