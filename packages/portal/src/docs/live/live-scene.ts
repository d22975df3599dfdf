/** Selects the drawn part of a stream: the newest candles that fit, and the objects within them. */

import type { CandleData, FigureObject, FigureScene } from '@tapeloom/charts/figures/figure-scene';
import type { IndicatorDefinition, Params } from '@tapeloom/core/studies/indicator';
import type { LiveObjects } from './live-objects.ts';
import { hasOwnCandles } from './live-stream.ts';

const CANDLES_WIDE = 44;
const CANDLES_NARROW = 26;
const NARROW = 480;
/** Fewer fit for a footprint, whose bars are columns of numbers. */
const COLUMN_WIDTH = 96;
const AXES_WIDTH = 82;
const COLUMNS_MIN = 2;
/** Indicators whose objects carry their start time and extend beyond it. */
const LASTING: ReadonlySet<string> = new Set(['session-levels', 'tpo', 'volume-profile']);

export interface LivePicture {
  readonly definition: IndicatorDefinition;
  /** All parameters, defaults included. */
  readonly params: Params;
  readonly objects: LiveObjects;
  readonly candles: LiveObjects;
  readonly tickSizeNanos: number;
  readonly width: number;
  /** The description for screen readers. */
  readonly words: string;
}

/** Null: there is nothing to draw yet. */
export function liveScene(picture: LivePicture): FigureScene<unknown> | null {
  const { definition, params, tickSizeNanos, width, words } = picture;
  const { id } = definition;
  const candles = picture.candles.all.slice(-candlesFor(id, width));
  const first = candles[0];
  if (first === undefined) return null;
  const lasts = LASTING.has(id) || definition.parameters.some(({ name }) => name === 'lookback');
  const isSeen = ({ ts, removedNs }: FigureObject<unknown>) =>
    (removedNs ?? ts) >= first.ts || (lasts && removedNs === null);
  return {
    title: '',
    hasHead: false,
    subtitle: words,
    colours: 'page',
    width,
    tickSizeNanos,
    params,
    candles: candles as readonly FigureObject<CandleData>[],
    objects: hasOwnCandles(id) ? candles : picture.objects.all.filter(isSeen),
  };
}

function candlesFor(id: string, width: number): number {
  if (id === 'footprint') {
    return Math.max(COLUMNS_MIN, Math.floor((width - AXES_WIDTH) / COLUMN_WIDTH));
  }
  return width < NARROW ? CANDLES_NARROW : CANDLES_WIDE;
}
