/** Charts of prices that matter for a while: zones, levels left behind and the levels of the day. */

import { drawing } from './drawing.ts';
import { legend, Plot } from './plot.ts';
import { MORNING, type Scene, type SceneObject, SESSION_SO_FAR, WEEK } from './scene.ts';
import { lineBetween, path, rect } from './svg.ts';

const LABEL_STEP = 170;

interface ZoneData {
  readonly side: number;
  readonly low: number;
  readonly high: number;
}

interface KindPriceData {
  readonly kind: string;
  readonly price: number | null;
  /** Where it is set, the level comes up at the close of this trading date. */
  readonly sessionDate?: number;
}

/** When trading days close in the week that is drawn, in UTC. */
const DAY_CLOSE = '22:00:00Z';

export const imbalancesDrawing = drawing<ZoneData>(
  MORNING,
  { size: 120, minVolume: 20 },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle });
    for (const { ns, removedNs, data } of near(scene, ({ low }) => low, plot)) {
      const colour = data.side > 0 ? 'buy' : 'sell';
      const [left, right] = [plot.x(ns), plot.x(removedNs ?? scene.toNs)];
      const top = plot.y(data.high + 0.5);
      const height = plot.y(data.low - 0.5) - top;
      const tone = removedNs === null ? 'o3' : 'o2';
      plot.add(rect(`${colour} ${tone}`, left, top, Math.max(2, right - left), height, 2));
    }
    plot.candles();
    plot.add(
      ...legend([
        ['buy', 'buy zone'],
        ['sell', 'sell zone; pale where price traded through it later'],
      ]),
    );
    return plot.document();
  },
);

export const nakedLevelsDrawing = drawing<KindPriceData>(WEEK, {}, (scene, { name }, subtitle) => {
  const plot = new Plot(scene, { title: name, subtitle });
  plot.candles('o3');
  addRays(plot, scene, (data) => (data.kind === 'poc' ? 'gold' : 'accent'));
  plot.add(
    ...legend([
      ['gold', 'point of control'],
      ['accent', 'edge of a value area; dashed: traded since'],
    ]),
  );
  return plot.document();
});

export const unfinishedAuctionsDrawing = drawing<KindPriceData>(
  MORNING,
  { size: 300, minVolume: 5 },
  (scene, { name }, subtitle) => {
    const plot = new Plot(scene, { title: name, subtitle });
    plot.candles('o3');
    addRays(plot, scene, (data) => (data.kind === 'high' ? 'sell' : 'buy'));
    plot.add(
      ...legend([
        ['sell', 'a high'],
        ['buy', 'a low; dashed: traded since'],
      ]),
    );
    return plot.document();
  },
);

export const sessionLevelsDrawing = drawing<KindPriceData>(
  SESSION_SO_FAR,
  { session: 'rth' },
  (scene, { name }, subtitle) => {
    const levels = scene.objects.flatMap(({ data }) =>
      data.price === null ? [] : [{ kind: data.kind, price: data.price }],
    );
    const plot = new Plot(scene, { title: name, subtitle, reach: levels.map((it) => it.price) });
    plot.candles('o3');
    const byPrice = Map.groupBy(levels, (level) => level.price);
    for (const [price, same] of byPrice) {
      const y = plot.y(price);
      plot.add(path('s-accent', [lineBetween(plot.left, y, plot.right, y)]));
      const words = `${same.map((it) => wordsOf(it.kind)).join(', ')} ${plot.price(price)}`;
      for (let x = plot.left + 4; x < plot.right - 200; x += LABEL_STEP) {
        if (plot.label('accent', x, y - 3, words, 'start')) break;
      }
    }
    return plot.document();
  },
);

/** A line from where a level came up to where it was traded, or to the end. */
function addRays(
  plot: Plot,
  scene: Scene<KindPriceData>,
  colourOf: (data: KindPriceData) => string,
): void {
  const shown = near(scene, ({ price }) => price ?? Number.NaN, plot);
  for (const { ns, removedNs, data } of shown) {
    const colour = colourOf(data);
    const y = plot.y(data.price!);
    const right = plot.x(removedNs ?? scene.toNs);
    const isOpen = removedNs === null;
    const line = lineBetween(plot.x(bornNs(ns, data)), y, right, y);
    plot.add(path(isOpen ? `s-${colour} w15` : `s-${colour} o3 dash`, [line]));
    if (isOpen) plot.tag(colour, data.price!, `${data.kind} ${plot.price(data.price!)}`);
  }
}

function bornNs(ns: bigint, { sessionDate }: KindPriceData): bigint {
  if (sessionDate === undefined) return ns;
  const date = String(sessionDate).replace(/(....)(..)(..)/, '$1-$2-$3');
  return BigInt(Date.parse(`${date}T${DAY_CLOSE}`)) * 1_000_000n;
}

/** The objects whose price lies on the plot. */
function near<Data>(
  scene: Scene<Data>,
  priceOf: (data: Data) => number,
  plot: Plot,
): readonly SceneObject<Data>[] {
  const isIn = (y: number) => y >= plot.top && y <= plot.bottom;
  return scene.objects.filter(({ data }) => isIn(plot.y(priceOf(data))));
}

/** `previousHigh` → `previous high`. */
function wordsOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
