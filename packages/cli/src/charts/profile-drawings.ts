/** Charts of profiles: volume by price over periods, and a session's market profile in letters. */

import type { TpoData, VolumeProfileData } from '@tapeloom/protocol/indicators';
import { Plot } from './plot.ts';
import { type Draw, largestOf, type SceneObject } from './scene.ts';
import { lineBetween, num, path, rect, text } from './svg.ts';

const TPO_LETTER_WIDTH = 11.5;
const TPO_GUTTER_MAX = 360;
/** Rows lower than this show the count of letters instead of the letters. */
const TPO_ROW_MIN = 8;
/** Share of a period's width that its widest row takes. */
const WIDEST = 0.72;

export const drawVolumeProfile: Draw<VolumeProfileData> = (scene) => {
  const reach = scene.objects.flatMap(({ data }) => [data.low, data.high]);
  const plot = new Plot(scene, { reach });
  plot.candles('o2');
  const group = Number(scene.params.group);
  for (const profile of scene.objects) addProfile(plot, profile, group);
  plot.legend([
    ['bid', 'sold'],
    ['ask', 'bought'],
    ['ink', 'point of control'],
    ['s-neutral dash', 'value area'],
  ]);
  return plot.document();
};

function addProfile(plot: Plot, { ns, data }: SceneObject<VolumeProfileData>, group: number): void {
  const left = plot.x(ns);
  const width = Math.max(24, plot.x(BigInt(data.end)) - left);
  const most = largestOf(data.levels, ([, bid, ask, unknown = 0]) => bid + ask + unknown);
  const scaled = (lots: number) => (lots / most) * width * WIDEST;
  const height = Math.max(0.6, plot.tickHeight * group - (plot.tickHeight * group > 2 ? 0.6 : 0));
  const sold: string[] = [];
  const bought: string[] = [];
  for (const [price, bid, ask] of data.levels) {
    const y = plot.y(price + group - 0.5);
    const box = (x: number, lots: number) =>
      `M${num(x)} ${num(y)}h${num(scaled(lots))}v${num(height)}h${num(-scaled(lots))}z`;
    sold.push(box(left, bid));
    bought.push(box(left + scaled(bid), ask));
  }
  plot.add(path('bid o3', sold), path('ask o3', bought));
  plot.add(path('s-faint', [lineBetween(left, plot.y(data.high), left, plot.y(data.low))]));
  const right = Math.min(plot.right, left + width - 8);
  const across = (price: number) => lineBetween(left, plot.y(price), right, plot.y(price));
  plot.add(
    path('s-ink w15', [across(data.poc + (group - 1) / 2)]),
    path('s-neutral dash', [across(data.vah + group - 0.5), across(data.val - 0.5)]),
  );
}

export const drawTpo: Draw<TpoData> = (scene) => {
  const profile = scene.objects.at(-1)?.data;
  const longest = largestOf(profile?.rows ?? [], ([, letters]) => letters.length);
  const step = Math.min(TPO_LETTER_WIDTH, TPO_GUTTER_MAX / longest);
  const reach = profile === undefined ? [] : [profile.low, profile.high];
  const gutter = profile === undefined ? 0 : Math.max(180, longest * step + 42);
  const plot = new Plot(scene, { priceHeight: 420, gutter, reach });
  plot.candles('o3');
  if (profile !== undefined) addLetters(plot, profile, Number(scene.params.group), step);
  plot.legend([
    ['s-ink w15', 'point of control'],
    ['ink', 'value area'],
    ['s-neutral dash', 'single prints'],
    ['neutral', 'initial balance'],
  ]);
  return plot.document();
};

function addLetters(plot: Plot, profile: TpoData, group: number, step: number): void {
  const left = 30;
  const height = plot.tickHeight * group;
  const singles = new Set(profile.singles);
  for (const [price, letters] of profile.rows) {
    const middle = plot.y(price + (group - 1) / 2);
    const top = middle - height / 2;
    const inArea = price >= profile.val && price <= profile.vah;
    const isPoc = price === profile.poc;
    const isSingle = singles.has(price);
    const colour = inArea ? 'ink' : 'faint';
    const width = letters.length * step + 4;
    if (height < TPO_ROW_MIN) {
      const tone = isPoc ? 'ink' : `${colour} ${isSingle ? 'o2' : 'o3'}`;
      plot.add(rect(tone, left - 4, top, width, Math.max(0.6, height * 0.9)));
      continue;
    }
    if (isPoc) plot.add(rect('s-ink w15', left - 4, top, width, height, 3));
    if (isSingle) plot.add(rect('s-neutral dash', left - 4, top, width, height, 3));
    [...letters].forEach((letter, at) => {
      const x = left + at * step + step / 2 - 2;
      plot.add(text(`${colour}${isPoc ? ' bold' : ''} small`, x, middle + 3.5, letter, 'middle'));
    });
  }
  const { ibHigh, ibLow } = profile;
  if (ibHigh !== null && ibLow !== null) {
    plot.add(rect('neutral', 20, plot.y(ibHigh), 3, plot.y(ibLow) - plot.y(ibHigh), 1));
  }
}
