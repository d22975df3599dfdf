/** The chart of `footprint`: what traded at each price of a bar, as traders read it. */

import type { FootprintData } from '@tapeloom/protocol/indicators';
import { drawing } from './drawing.ts';
import { legend, Plot } from './plot.ts';
import { FIRST_HALF_HOUR, type SceneObject } from './scene.ts';
import { lineBetween, path, rect, text } from './svg.ts';

const GROUP = 4;
const HEIGHT = 400;

export const footprintDrawing = drawing<FootprintData>(
  FIRST_HALF_HOUR,
  { size: 300, group: GROUP },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle, priceHeight: HEIGHT });
    for (const bar of scene.objects) addBar(plot, bar);
    plot.add(
      ...legend([
        ['sell', 'sell imbalance'],
        ['buy', 'buy imbalance'],
        ['gold', 'point of control'],
        ['accent', 'value area'],
      ]),
    );
    return plot.document();
  },
);

function addBar(plot: Plot, { ns, data }: SceneObject<FootprintData>): void {
  const left = plot.x(ns) + 4;
  const width = plot.candleWidth - 10;
  const middle = left + width / 2 + 4;
  const most = Math.max(...data.levels.map(([, bid, ask]) => bid + ask));
  const height = plot.tickHeight * GROUP;
  const rising = data.close >= data.open ? 'buy' : 'sell';
  plot.add(
    path(`s-${rising}`, [lineBetween(left, plot.y(data.high), left, plot.y(data.low))]),
    path(`s-${rising} o3`, [lineBetween(left - 3, plot.y(data.open), left, plot.y(data.open))]),
  );
  const bodyTop = plot.y(Math.max(data.open, data.close));
  const bodyBottom = plot.y(Math.min(data.open, data.close));
  plot.add(rect(rising, left - 2, bodyTop, 4, Math.max(1, bodyBottom - bodyTop)));
  for (const [price, bid, ask] of data.levels) {
    // A row covers the ticks from its price on.
    const top = plot.y(price + GROUP - 0.5);
    const share = (bid + ask) / most;
    const cell = rect(
      ask >= bid ? 'buy o1' : 'sell o1',
      left + 5,
      top,
      (width - 6) * share,
      height - 1,
      2,
    );
    const has = (side: number) => data.imbalances.some((it) => it[0] === price && it[1] === side);
    const baseline = top + height / 2 + 3.5;
    plot.add(
      cell,
      text(has(-1) ? 'sell bold num' : 'ink num', middle - 6, baseline, String(bid), 'end'),
      text('faint small', middle, baseline, '×', 'middle'),
      text(has(1) ? 'buy bold num' : 'ink num', middle + 6, baseline, String(ask)),
    );
    if (price === data.poc) {
      plot.add(rect('s-gold w15', left + 5, top, width - 6, height - 1, 2));
    }
  }
  if (data.vah !== null && data.val !== null) {
    const [top, bottom] = [plot.y(data.vah + GROUP - 0.5), plot.y(data.val - 0.5)];
    plot.add(rect('accent', left + width + 1, top, 2, bottom - top, 1));
  }
}
