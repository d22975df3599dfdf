/** Charts of profiles: volume by price over periods, and a session's market profile in letters. */

import type { TpoData, VolumeProfileData } from '@tapeloom/protocol/indicators';
import { drawing } from './drawing.ts';
import { legend, Plot } from './plot.ts';
import { MORNING, REGULAR_HOURS } from './scene.ts';
import { lineBetween, num, path, rect, text } from './svg.ts';

const PERIOD_SECONDS = 1_800;
const TPO_GROUP = 8;
const TPO_LETTER_WIDTH = 11.5;

export const volumeProfileDrawing = drawing<VolumeProfileData>(
  MORNING,
  { period: PERIOD_SECONDS, session: 'rth', group: 2 },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle });
    plot.candles('o2');
    const periodNs = BigInt(PERIOD_SECONDS) * 1_000_000_000n;
    const height = Math.max(1, plot.tickHeight * 2 - 0.6);
    for (const { ns, data } of scene.objects) {
      const left = plot.x(ns);
      const width = plot.x(ns + periodNs) - left;
      const most = Math.max(...data.levels.map(([, bid, ask, unknown = 0]) => bid + ask + unknown));
      const scaled = (lots: number) => (lots / most) * width * 0.72;
      const sold: string[] = [];
      const bought: string[] = [];
      for (const [price, bid, ask] of data.levels) {
        const y = plot.y(price + 1.5);
        const box = (x: number, lots: number) =>
          `M${num(x)} ${num(y)}h${num(scaled(lots))}v${num(height)}h${num(-scaled(lots))}z`;
        sold.push(box(left, bid));
        bought.push(box(left + scaled(bid), ask));
      }
      plot.add(path('sell o3', sold), path('buy o3', bought));
      plot.add(path('s-faint', [lineBetween(left, plot.y(data.high), left, plot.y(data.low))]));
      const right = left + width - 8;
      plot.add(
        path('s-gold w15', [
          lineBetween(left, plot.y(data.poc + 0.5), right, plot.y(data.poc + 0.5)),
        ]),
        path('s-accent dash', [
          lineBetween(left, plot.y(data.vah + 1.5), right, plot.y(data.vah + 1.5)),
          lineBetween(left, plot.y(data.val - 0.5), right, plot.y(data.val - 0.5)),
        ]),
      );
    }
    plot.add(
      ...legend([
        ['sell', 'sold'],
        ['buy', 'bought'],
        ['gold', 'point of control'],
        ['accent', 'value area'],
      ]),
    );
    return plot.document();
  },
);

export const tpoDrawing = drawing<TpoData>(
  REGULAR_HOURS,
  { session: 'rth', group: TPO_GROUP },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle, priceHeight: 420, gutter: 180 });
    plot.candles('o3');
    const profile = scene.objects.at(-1)!.data;
    const left = 30;
    const singles = new Set(profile.singles);
    for (const [price, letters] of profile.rows) {
      const middle = plot.y(price + (TPO_GROUP - 1) / 2);
      const inArea = price >= profile.val && price <= profile.vah;
      const isPoc = price === profile.poc;
      if (isPoc) {
        const top = middle - (plot.tickHeight * TPO_GROUP) / 2;
        const width = letters.length * TPO_LETTER_WIDTH + 4;
        plot.add(rect('gold o2', left - 4, top, width, plot.tickHeight * TPO_GROUP, 3));
      }
      const colour = singles.has(price) ? 'sell' : inArea ? 'accent' : 'ink';
      [...letters].forEach((letter, at) => {
        const x = left + at * TPO_LETTER_WIDTH + TPO_LETTER_WIDTH / 2 - 2;
        plot.add(text(`${colour}${isPoc ? ' bold' : ''} small`, x, middle + 3.5, letter, 'middle'));
      });
    }
    const { ibHigh, ibLow } = profile;
    if (ibHigh !== null && ibLow !== null) {
      plot.add(rect('buy', 20, plot.y(ibHigh), 3, plot.y(ibLow) - plot.y(ibHigh), 1));
    }
    plot.add(
      ...legend([
        ['gold', 'point of control'],
        ['accent', 'value area'],
        ['sell', 'single prints'],
        ['buy', 'initial balance'],
      ]),
    );
    return plot.document();
  },
);
