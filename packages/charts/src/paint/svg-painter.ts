/**
 * The same batches as SVG text. It has no style attributes, so a page's content security policy allows it; every text
 * is escaped. Paths hold a whole batch each, so the text stays small.
 */

import {
  type Batch,
  DYE_TOKENS,
  type Numbers,
  type Paint,
  type ShapeBatch,
} from '../scene/batch.ts';
import type { ChartSize } from '../scene/chart-layout.ts';
import { THEMES } from './themes.ts';

export interface SvgOptions {
  /**
   * `page`: the tokens of the page around it. `both`: a file that follows the reader's theme, with its colours inside.
   * `light`, `dark`: one theme.
   */
  readonly colours: 'page' | 'both' | 'light' | 'dark';
  /** For people who cannot see it; absent: hidden from them. */
  readonly title?: string;
  readonly className?: string;
}

const ANCHORS = { left: 'start', center: 'middle', right: 'end' } as const;
/** From the middle of a line to the baseline, of the size: half of Inter's capital height. */
const BASELINE = 0.364;

export function paintSvg(
  batches: readonly Batch[],
  { width, height }: ChartSize,
  { colours, title, className }: SvgOptions,
): string {
  const inks = new Inks(colours);
  const body = batches.map((batch) => batchText(batch, inks)).join('');
  const name = className === undefined ? '' : ` class="${escaped(className)}"`;
  const told =
    title === undefined ? ' aria-hidden="true"' : ` role="img" aria-label="${escaped(title)}"`;
  // In a page, fonts are the page's.
  const family = colours === 'page' ? '' : ` font-family="${escaped(THEMES.light.figures)}"`;
  const font = `${family} font-variant="tabular-nums"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" `,
    `viewBox="0 0 ${width} ${height}"${name}${told}${font}>${inks.style}${body}</svg>`,
  ].join('');
}

/** Paints as values of attributes. */
class Inks {
  readonly #mode: SvgOptions['colours'];
  readonly #variables = new Map<string, Paint>();

  constructor(mode: SvgOptions['colours']) {
    this.#mode = mode;
  }

  get mono(): string {
    return this.#mode === 'page' ? 'var(--mono)' : escaped(THEMES.light.mono);
  }

  /** A colour with its opacity; null: nothing can be seen in any theme. */
  of(ink: Paint): string | null {
    const { dye, alpha, darkAlpha } = ink;
    if (alpha === 0 && darkAlpha === 0) return null;
    if (this.#mode === 'light' || this.#mode === 'dark') return fixed(ink, this.#mode);
    if (this.#mode === 'page') {
      const token = `var(--${DYE_TOKENS[dye]})`;
      const light = tinted(token, alpha);
      return alpha === darkAlpha ? light : `light-dark(${light},${tinted(token, darkAlpha)})`;
    }
    const key = `${dye}-${share(alpha)}-${share(darkAlpha)}`.replaceAll('.', '');
    this.#variables.set(key, ink);
    return `var(--${key})`;
  }

  /** Of a file that follows the reader's theme; elsewhere a policy may forbid styles. */
  get style(): string {
    if (this.#mode !== 'both') return '';
    const all = (theme: 'light' | 'dark') =>
      [...this.#variables].map(([key, ink]) => `--${key}:${fixed(ink, theme)}`).join(';');
    return `<style>svg{${all('light')}}@media(prefers-color-scheme:dark){svg{${all('dark')}}}</style>`;
  }
}

function fixed({ dye, alpha, darkAlpha }: Paint, theme: 'light' | 'dark'): string {
  const [red, green, blue] = THEMES[theme].dyes[dye];
  const opacity = theme === 'dark' ? darkAlpha : alpha;
  if (opacity === 1) {
    const hex = (channel: number) => channel.toString(16).padStart(2, '0');
    return `#${hex(red)}${hex(green)}${hex(blue)}`;
  }
  return `rgba(${red},${green},${blue},${share(opacity)})`;
}

function tinted(token: string, alpha: number): string {
  if (alpha === 1) return token;
  return `color-mix(in srgb,${token} ${share(alpha * 100)}%,transparent)`;
}

function batchText(batch: Batch, inks: Inks): string {
  if (batch.kind === 'clip') {
    const { x, y, width, height } = batch.rect;
    const [w, h] = [Math.max(0, width), Math.max(0, height)].map(short);
    const [left, top] = [short(x), short(y)];
    // A nested picture clips by itself, and needs no id that another picture in the page could have.
    return `<svg x="${left}" y="${top}" width="${w}" height="${h}" viewBox="${left} ${top} ${w} ${h}">`;
  }
  if (batch.kind === 'unclip') return '</svg>';
  const colour = inks.of(batch);
  if (colour === null && batch.kind !== 'discs') return '';
  return shapeText(batch, colour ?? 'none', inks);
}

function shapeText(batch: ShapeBatch, colour: string, inks: Inks): string {
  switch (batch.kind) {
    case 'rects':
      if (batch.rects.count === 0) return '';
      return `<path fill="${colour}" d="${rectsText(batch.rects, batch.radius)}"/>`;
    case 'frames':
      if (batch.rects.count === 0) return '';
      return `<path fill="none" stroke="${colour}"${widthText(batch.lineWidth)} d="${rectsText(batch.rects, batch.radius)}"/>`;
    case 'lines': {
      if (batch.ends.count === 0) return '';
      const dash = batch.dash.length === 0 ? '' : ` stroke-dasharray="${batch.dash.join(' ')}"`;
      return `<path fill="none" stroke="${colour}"${widthText(batch.lineWidth)} stroke-linejoin="round"${dash} d="${tracedText(batch.points, batch.ends, '')}"/>`;
    }
    case 'areas':
      if (batch.ends.count === 0) return '';
      return `<path fill="${colour}" d="${tracedText(batch.points, batch.ends, 'z')}"/>`;
    case 'discs':
      return discsText(batch, colour, inks);
    case 'words':
      return wordsText(batch, colour, inks);
    default:
      return batch satisfies never;
  }
}

function widthText(width: number): string {
  return width === 1 ? '' : ` stroke-width="${width}"`;
}

function discsText(
  { dye, discs, groundAlpha, lineWidth }: Extract<ShapeBatch, { kind: 'discs' }>,
  colour: string,
  inks: Inks,
): string {
  const rim = lineWidth === 0 ? null : inks.of({ dye, alpha: 1, darkAlpha: 1 });
  const ground = inks.of({ dye: 'ground', alpha: groundAlpha, darkAlpha: groundAlpha });
  const stroke = rim === null ? '' : ` stroke="${rim}"${widthText(lineWidth)}`;
  const circles: string[] = [];
  for (let at = 0; at < discs.count; at += 3) {
    const [x, y, radius] = [discs.values[at]!, discs.values[at + 1]!, discs.values[at + 2]!];
    const place = `cx="${short(x)}" cy="${short(y)}" r="${short(radius)}"`;
    if (ground !== null) circles.push(`<circle ${place} fill="${ground}"/>`);
    circles.push(`<circle ${place} fill="${colour}"${stroke}/>`);
  }
  return circles.join('');
}

function wordsText(
  { places, texts, size, weight, align, family }: Extract<ShapeBatch, { kind: 'words' }>,
  colour: string,
  inks: Inks,
): string {
  if (texts.length === 0) return '';
  const anchor = align === 'left' ? '' : ` text-anchor="${ANCHORS[align]}"`;
  const font = family === 'mono' ? ` font-family="${inks.mono}"` : '';
  const words = texts.map((text, at) => {
    const y = places.values[at * 2 + 1]! + size * BASELINE;
    return `<text x="${short(places.values[at * 2]!)}" y="${short(y)}">${escaped(text)}</text>`;
  });
  return `<g fill="${colour}" font-size="${short(size)}" font-weight="${weight}"${anchor}${font}>${words.join('')}</g>`;
}

function rectsText({ values, count }: Numbers, radius: number): string {
  let text = '';
  for (let at = 0; at < count; at += 4) {
    const [x, y] = [values[at]!, values[at + 1]!];
    const [width, height] = [values[at + 2]!, values[at + 3]!];
    const r = Math.min(radius, width / 2, height / 2);
    if (r <= 0) {
      text += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
      continue;
    }
    const [across, down] = [short(width - 2 * r), short(height - 2 * r)];
    const arc = (dx: number, dy: number) =>
      `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
    text += `M${short(x + r)} ${short(y)}h${across}${arc(r, r)}v${down}${arc(-r, r)}h-${across}${arc(-r, -r)}v-${down}${arc(r, -r)}z`;
  }
  return text;
}

function tracedText({ values }: Numbers, ends: Numbers, close: string): string {
  let [text, at] = ['', 0];
  for (let line = 0; line < ends.count; line += 1) {
    const end = ends.values[line]!;
    for (let first = true; at < end; at += 2, first = false) {
      text += `${first ? 'M' : 'L'}${short(values[at]!)} ${short(values[at + 1]!)}`;
    }
    text += close;
  }
  return text;
}

/** Two decimals: more than a quarter of a pixel. Never an exponent, which some readers do not know. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100 || 0);
}

function share(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(UNPRINTABLE, '');
}

/** Control characters are not allowed in a file of XML, not even as entities. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must go
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
