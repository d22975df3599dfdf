/** Figures of profiles: volume by price over periods, and a session's market profile in letters. */

import type { TpoData, VolumeProfileData } from '@tapeloom/protocol/indicators';
import { paint, segment } from '../scene/shapes.ts';
import { type Draw, type FigureObject, largestOf } from './figure-scene.ts';
import { BEHIND, DASH, FAR, Plot, SMALL_SIZE } from './plot.ts';

const TPO_LETTER_WIDTH = 11.5;
const TPO_GUTTER_MAX = 360;
const TPO_LEFT = 30;
/** Rows lower than this show the count of letters instead of the letters. */
const TPO_ROW_MIN = 8;
/** Share of a period's width that its widest row takes. */
const WIDEST = 0.72;

export const drawVolumeProfile: Draw<VolumeProfileData> = (scene) => {
  const reach = scene.objects.flatMap(({ data }) => [data.low, data.high]);
  const plot = new Plot(scene, { reach });
  plot.candles(FAR);
  const group = Number(scene.params.group);
  for (const profile of scene.objects) addProfile(plot, profile, group);
  plot.legend([
    ['bid', 'sold'],
    ['ask', 'bought'],
    ['ink', 'point of control'],
    ['dash neutral', 'value area'],
  ]);
  return plot.document();
};

function addProfile(
  plot: Plot,
  { ts, data }: FigureObject<VolumeProfileData>,
  group: number,
): void {
  const { shapes } = plot;
  const left = plot.x(ts);
  const width = Math.max(24, plot.x(BigInt(data.end)) - left);
  const most = largestOf(data.levels, ([, bid, ask, unknown = 0]) => bid + ask + unknown);
  const scaled = (lots: number) => (lots / most) * width * WIDEST;
  const height = Math.max(0.6, plot.tickHeight * group - (plot.tickHeight * group > 2 ? 0.6 : 0));
  const [sold, bought] = [shapes.rects(paint('bid', BEHIND)), shapes.rects(paint('ask', BEHIND))];
  for (const [price, bid, ask] of data.levels) {
    const y = plot.y(price + group - 0.5);
    sold.add4(left, y, scaled(bid), height);
    bought.add4(left + scaled(bid), y, scaled(ask), height);
  }
  segment(shapes.lines(paint('axis')), left, plot.y(data.high), left, plot.y(data.low));
  const right = Math.min(plot.right, left + width - 8);
  const across = (lines: ReturnType<typeof shapes.lines>, price: number) =>
    segment(lines, left, plot.y(price), right, plot.y(price));
  across(shapes.lines(paint('ink'), 1.5), data.poc + (group - 1) / 2);
  const edges = shapes.lines(paint('neutral'), 1, DASH);
  across(edges, data.vah + group - 0.5);
  across(edges, data.val - 0.5);
}

export const drawTpo: Draw<TpoData> = (scene) => {
  const profile = scene.objects.at(-1)?.data;
  const longest = largestOf(profile?.rows ?? [], ([, letters]) => letters.length);
  const step = Math.min(TPO_LETTER_WIDTH, TPO_GUTTER_MAX / longest);
  const reach = profile === undefined ? [] : [profile.low, profile.high];
  const gutter = profile === undefined ? 0 : Math.max(180, longest * step + 42);
  const plot = new Plot(scene, { priceHeight: 420, gutter, reach });
  plot.candles(BEHIND);
  if (profile !== undefined) addLetters(plot, profile, Number(scene.params.group), step);
  plot.legend([
    ['line ink', 'point of control'],
    ['ink', 'value area'],
    ['dash neutral', 'single prints'],
    ['neutral', 'initial balance'],
  ]);
  return plot.document();
};

function addLetters(plot: Plot, profile: TpoData, group: number, step: number): void {
  const height = plot.tickHeight * group;
  const singles = new Set(profile.singles);
  for (const [price, letters] of profile.rows) {
    const row = {
      letters,
      middle: plot.y(price + (group - 1) / 2),
      dye: price >= profile.val && price <= profile.vah ? 'ink' : 'axis',
      isPoc: price === profile.poc,
      isSingle: singles.has(price),
    } as const;
    if (height < TPO_ROW_MIN) addBlock(plot, row, height, step);
    else addLetterRow(plot, row, height, step);
  }
  const { ibHigh, ibLow } = profile;
  if (ibHigh !== null && ibLow !== null) {
    const top = plot.y(ibHigh);
    plot.shapes.rect(paint('neutral'), 20, top, 3, plot.y(ibLow) - top, 1);
  }
}

interface LetterRow {
  readonly letters: string;
  readonly middle: number;
  readonly dye: 'ink' | 'axis';
  readonly isPoc: boolean;
  readonly isSingle: boolean;
}

function addBlock(plot: Plot, row: LetterRow, height: number, step: number): void {
  const { letters, middle, dye, isPoc, isSingle } = row;
  const fill = isPoc ? paint('ink') : paint(dye, isSingle ? FAR : BEHIND);
  const width = letters.length * step + 4;
  plot.shapes.rect(fill, TPO_LEFT - 4, middle - height / 2, width, Math.max(0.6, height * 0.9));
}

function addLetterRow(plot: Plot, row: LetterRow, height: number, step: number): void {
  const { letters, middle, dye, isPoc, isSingle } = row;
  const { shapes } = plot;
  const [top, width] = [middle - height / 2, letters.length * step + 4];
  if (isPoc) shapes.frames(paint('ink'), 1.5, 3).add4(TPO_LEFT - 4, top, width, height);
  if (isSingle) addDashed(plot, TPO_LEFT - 4, top, width, height);
  const words = shapes.words(paint(dye), SMALL_SIZE, isPoc ? 700 : 400, 'center');
  [...letters].forEach((letter, at) => {
    words.places.add2(TPO_LEFT + at * step + step / 2 - 2, middle);
    words.texts.push(letter);
  });
}

function addDashed(plot: Plot, x: number, y: number, width: number, height: number): void {
  const { points, ends } = plot.shapes.lines(paint('neutral'), 1, DASH);
  points.add4(x, y, x + width, y);
  points.add4(x + width, y + height, x, y + height);
  points.add2(x, y);
  ends.add(points.count);
}
