import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bars } from '@tapeloom/core/studies/bars';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { stepsOf } from '../../testing/study-steps.ts';
import { ObjectSeries } from '../series/object-series.ts';
import { drawFigure } from './draw-figure.ts';
import type { CandleData, FigureObject, FigureScene } from './figure-scene.ts';

const MINUTE = 60_000_000_000n;
/** Around the examples of the catalogue, which stand in where the tape gives no object. */
const OPEN = 1_794_576_600_000_000_000n;
const PRICE = 27_000;
const SESSION = { open: OPEN, close: OPEN + 1_440n * MINUTE };

/** Two hours that go up and down, with the same trades in every run. */
const TAPE = {
  trades: Array.from({ length: 1_200 }, (_, at) => ({
    ns: OPEN + (BigInt(at) * MINUTE) / 10n,
    day: 20_261_113,
    rank: at + 1,
    price: PRICE + Math.round(20 * Math.sin(at / 70)) + ((at * 7) % 5),
    size: 1 + ((at * 13) % 37) * (at % 50 === 0 ? 20 : 1),
    side: at % 11 === 0 ? 0 : at % 3 === 0 ? -1 : 1,
  })),
  sessions: [SESSION],
  until: OPEN + 121n * MINUTE,
};

function objectsOf(indicator: Indicator): ObjectSeries {
  const series = new ObjectSeries();
  for (const { upserts, removed } of stepsOf(indicator, {}, TAPE)) {
    for (const object of upserts) series.put(object);
    for (const { id, ns } of removed) series.remove(id, ns);
  }
  const { id, final, ts, data } = indicator.example;
  if (series.size === 0) series.put({ id, final, ts: BigInt(ts), data });
  return series;
}

const CANDLES = objectsOf(bars).all as readonly FigureObject<CandleData>[];

function sceneOf(indicator: Indicator): FigureScene<unknown> {
  const parsed = parseParams(indicator, {});
  assert.ok('params' in parsed);
  return {
    ...{ title: indicator.name, subtitle: 'made', colours: 'light', tickSizeNanos: 250_000_000 },
    ...{ params: parsed.params, candles: CANDLES, objects: objectsOf(indicator).all },
  };
}

describe('figures', () => {
  for (const indicator of INDICATORS) {
    it(`${indicator.id}: complete at every width, with objects and without, and refers to nothing`, () => {
      const scene = sceneOf(indicator);
      for (const variant of [
        scene,
        { ...scene, colours: 'both', width: 420, hasHead: false },
        { ...scene, colours: 'page', width: 280 },
        { ...scene, objects: [] },
        { ...scene, objects: [], candles: CANDLES.slice(0, 1) },
      ] as const) {
        const svg = drawFigure(indicator.id, variant);
        assert.match(svg, /^<svg [^>]*aria-label="[^"]+"[\s\S]*<\/svg>$/);
        assert.doesNotMatch(svg, /NaN|Infinity|undefined|href|style=/);
        if (variant.colours !== 'both') assert.doesNotMatch(svg, /<style/);
        assert.equal(drawFigure(indicator.id, variant), svg);
      }
      const [full, empty] = [scene, { ...scene, objects: [] }].map((it) =>
        drawFigure(indicator.id, it),
      );
      assert.ok(full!.length > empty!.length, 'its objects are not drawn');
    });
  }

  it('an indicator that this program does not know gets a plain figure', () => {
    const scene = sceneOf(bars);
    const objects = scene.objects.map((it) => ({ ...it, data: { text: 'x', heat: 3 } }));
    const svg = drawFigure('heat-of-tomorrow', { ...scene, objects });
    assert.match(svg, />heat</);
    assert.match(drawFigure('toString', { ...scene, objects: [] }), /^<svg/);
  });

  it('texts are escaped', () => {
    const scene = { ...sceneOf(bars), title: '<script>"&', subtitle: '<b>' };
    const svg = drawFigure('bars', scene);
    assert.doesNotMatch(svg, /<script>|<b>/);
    assert.match(svg, /&lt;script&gt;&quot;&amp;/);
  });
});
