/** What is on screen as a picture, with instrument, time and zone in a foot. SVG and PNG have the same batches. */

import { paintCanvas } from '../paint/canvas-painter.ts';
import type { Colours } from '../paint/colours.ts';
import { paintSvg } from '../paint/svg-painter.ts';
import type { Batch } from '../scene/batch.ts';
import type { ChartSize } from '../scene/chart-layout.ts';
import { chartScene } from '../scene/chart-scene.ts';
import type { SceneInput, TimeText } from '../scene/scene-types.ts';
import { paint, Shapes, write } from '../scene/shapes.ts';
import type { Column } from '../series/chart-bar.ts';
import type { PictureOptions } from './view-options.ts';
import { partsFor } from './view-parts.ts';
import { barWords, chartSentence } from './view-words.ts';

export const FOOT_PX = 24;
const TEXT_PX = 11;
const EDGE_PX = 10;
/** PNG is at least this sharp, whatever the screen is. */
const PIXEL_RATIO_MIN = 2;

interface Picture {
  readonly batches: readonly Batch[];
  readonly size: ChartSize;
  readonly title: string;
}

export async function svgPicture(
  input: SceneInput,
  { theme }: PictureOptions = {},
): Promise<string> {
  const { batches, size, title } = await pictureOf(input);
  return paintSvg(batches, size, { colours: theme ?? 'both', title });
}

export async function pngPicture(
  input: SceneInput,
  colours: Colours,
  pixelRatio: number,
): Promise<Blob> {
  const { batches, size } = await pictureOf(input);
  const ratio = Math.max(PIXEL_RATIO_MIN, pixelRatio);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw noPicture();
  paintCanvas(context, batches, colours, ratio);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(noPicture()) : resolve(blob)), 'image/png');
  });
}

function noPicture(): Error {
  return new Error('The browser made no picture: the chart may be too large. Save it as SVG.');
}

async function pictureOf(shown: SceneInput): Promise<Picture> {
  // Without the memory of the screen's scene, and without what belongs to a hand.
  const { pool: _pool, glow: _glow, ...still } = shown;
  const input: SceneInput = { ...still, selectedDrawing: null, hasGhosts: false };
  const scene = chartScene(input, await partsFor(input));
  const { width, height } = input.size;
  const title = chartSentence(input.content, input.spec, scene.shown, input.timeText);
  const foot = footOf(input, scene.shown);
  return {
    batches: [...scene.batches, ...foot],
    size: { width, height: height + FOOT_PX },
    title: title.replace(/ Arrows move .*$/, ''),
  };
}

function footOf(
  { size, content, spec, timeText }: SceneInput,
  shown: readonly [from: number, to: number],
): readonly Batch[] {
  const shapes = new Shapes();
  const { width, height } = size;
  shapes.rect(paint('ground'), 0, height, width, FOOT_PX);
  shapes.rect(paint('line'), 0, height, width, 1);
  const { instrument, bars } = content;
  const names = [instrument?.name ?? spec.instrument, instrument?.contract, barWords(spec.bar)];
  const y = height + FOOT_PX / 2;
  const strong = shapes.words(paint('ink'), TEXT_PX, 600);
  write(strong, EDGE_PX, y, names.filter((name) => name !== undefined && name !== '').join(', '));
  const columns = bars.columns.slice(shown[0], shown[1]);
  const quiet = shapes.words(paint('muted'), TEXT_PX, 450, 'right');
  write(quiet, width - EDGE_PX, y, spanText(columns, timeText));
  return shapes.batches;
}

/** "Tue 17 Nov 2026, 13:20–14:15 CT" */
export function spanText(columns: readonly Column[], time: TimeText): string {
  const [first, last] = [columns[0], columns.at(-1)];
  if (first === undefined || last === undefined) return time.zone;
  const year = new Date(time.localSeconds(last.fromNs) * 1000).getUTCFullYear();
  const [from, to] = [time.day(first.fromNs), time.day(last.fromNs)];
  const [begin, end] = [time.clock(first.fromNs), time.clock(last.endNs)];
  return from === to
    ? `${to} ${year}, ${begin}–${end} ${time.zone}`
    : `${from}, ${begin} – ${to} ${year}, ${end} ${time.zone}`;
}
