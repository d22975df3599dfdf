/**
 * Renders the same batches as SVG text, for the frame in the page before any script. Colours are the page's tokens and
 * tones are classes, so that it follows the theme without style attributes.
 */

import { type Batch, DYE_TOKENS, TONES } from './chart-batch.ts';

const ANCHORS = { left: 'start', center: 'middle', right: 'end' } as const;

export function svgText(
  batches: readonly Batch[],
  { width, height, className }: { width: number; height: number; className: string },
): string {
  const body = batches.map(batchText).join('');
  return `<svg class="${className}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true">${body}</svg>`;
}

function batchText(batch: Batch): string {
  const colour = `var(--${DYE_TOKENS[batch.dye]})`;
  switch (batch.kind) {
    case 'cells':
      if (batch.rects.length === 0) return '';
      return `<path ${strengthText(batch)} fill="${colour}" d="${rectsText(batch.rects, batch.radius)}"/>`;
    case 'outlines':
      if (batch.rects.length === 0) return '';
      return `<path fill="none" stroke="${colour}" stroke-width="${batch.lineWidth}" d="${rectsText(batch.rects, batch.radius)}"/>`;
    case 'lines': {
      if (batch.lines.length === 0) return '';
      const dash = batch.dash.length === 0 ? '' : ` stroke-dasharray="${batch.dash.join(' ')}"`;
      const alpha = batch.alpha === 1 ? '' : ` stroke-opacity="${batch.alpha}"`;
      return `<path fill="none" stroke="${colour}" stroke-width="${batch.lineWidth}"${dash}${alpha} d="${batch.lines.map(lineText).join('')}"/>`;
    }
    case 'shapes':
      if (batch.shapes.length === 0) return '';
      return `<path ${strengthText(batch)} fill="${colour}" d="${batch.shapes.map((shape) => `${lineText(shape)}z`).join('')}"/>`;
    case 'discs':
      return discsText(batch.discs, colour);
    case 'words': {
      const texts = batch.words.map(
        ([x, y, text]) => `<text x="${short(x)}" y="${short(y)}">${text}</text>`,
      );
      if (texts.length === 0) return '';
      return `<g fill="${colour}" font-size="${batch.size}" font-weight="${batch.weight}" text-anchor="${ANCHORS[batch.align]}">${texts.join('')}</g>`;
    }
    default:
      return batch satisfies never;
  }
}

function discsText(discs: readonly number[], colour: string): string {
  const circles: string[] = [];
  for (let i = 0; i < discs.length; i += 3) {
    const place = `cx="${short(discs[i]!)}" cy="${short(discs[i + 1]!)}" r="${short(discs[i + 2]!)}"`;
    circles.push(
      `<circle ${place} fill="var(--chart-bg)" fill-opacity=".82"/>`,
      `<circle ${place} fill="${colour}" fill-opacity=".3" stroke="${colour}" stroke-width="1.5"/>`,
    );
  }
  return circles.join('');
}

function strengthText(strength: { readonly heat: number } | { readonly alpha: number }): string {
  if ('heat' in strength) return `class="tone-${Math.round(strength.heat * TONES)}"`;
  return strength.alpha === 1 ? '' : `fill-opacity="${strength.alpha}"`;
}

function rectsText(rects: readonly number[], radius: number): string {
  let text = '';
  for (let i = 0; i < rects.length; i += 4) {
    const [x, y, width, height] = [rects[i]!, rects[i + 1]!, rects[i + 2]!, rects[i + 3]!];
    const r = Math.min(radius, width / 2, height / 2);
    if (r === 0)
      text += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`;
    else {
      const [across, down] = [short(width - 2 * r), short(height - 2 * r)];
      const arc = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${short(dx)} ${short(dy)}`;
      text += `M${short(x + r)} ${short(y)}h${across}${arc(r, r)}v${down}${arc(-r, r)}h-${across}${arc(-r, -r)}v-${down}${arc(r, -r)}z`;
    }
  }
  return text;
}

function lineText(line: readonly number[]): string {
  let text = '';
  for (let i = 0; i < line.length; i += 2) {
    text += `${i === 0 ? 'M' : 'L'}${short(line[i]!)} ${short(line[i + 1]!)}`;
  }
  return text;
}

/** Two decimals: precise to a quarter of a pixel. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
