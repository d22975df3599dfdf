/**
 * The stage's chart: the objects of the recorded streams, and what the session sums up to from them. The first frame in
 * the HTML and the replay are made from it.
 */

import type { RecordingHead } from '@tapeloom/charts/feed/recording';
import type { FootprintForm } from '@tapeloom/charts/scene/footprint-layout';
import { BarSeries } from '@tapeloom/charts/series/bar-series';
import { ChartContent } from '@tapeloom/charts/series/chart-content';
import { ObjectSeries } from '@tapeloom/charts/series/object-series';
import { SessionSum } from '@tapeloom/charts/series/session-sum';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { IndicatorObject } from '@tapeloom/client/stream';
import { type Footprint, footprintSpec, groupOf } from '../../components/footprint-picture.ts';

const LARGE = 'large-trades';
/** No session is longer. */
const SESSION_NS = 86_400_000_000_000n;
/** Lower pictures are laid out for phones: the page gives them this height. */
const WIDE_FROM_HEIGHT = 500;

export function stageForm({ height }: { readonly height: number }): FootprintForm {
  return height < WIDE_FROM_HEIGHT ? 'narrow' : 'wide';
}

export class StageChart implements Footprint {
  readonly spec: ChartSpec;
  readonly content: ChartContent;
  readonly large = new ObjectSeries<'large-trades'>();
  readonly #delta = new ObjectSeries<'delta'>();
  readonly #profile = new ObjectSeries<'volume-profile'>();
  #sum: SessionSum | null = null;

  constructor(
    { instrument, name, requests }: Pick<RecordingHead, 'instrument' | 'name' | 'requests'>,
    tickSizeNanos: number,
  ) {
    const params = requests.s1?.params ?? {};
    this.spec = footprintSpec(instrument, params, {
      panes: ['cumulative-delta'],
      side: 'profile',
      layers: [{ key: LARGE, indicator: LARGE, params: {}, isHidden: false }],
    });
    const group = groupOf(params);
    this.content = new ChartContent(new BarSeries(group));
    this.content.instrument = {
      ...{ name: instrument, contract: instrument, title: name, tickSizeNanos, timeZone: null },
    };
    this.#layer(LARGE, this.large);
    this.#layer('delta', this.#delta);
    this.#layer('volume-profile', this.#profile);
  }

  /** All that the stream has at once, in place of what was here. */
  restart(
    bars: Iterable<IndicatorObject<'footprint'>>,
    large: Iterable<IndicatorObject<'large-trades'>>,
  ): void {
    this.#sum?.drop();
    this.#sum = null;
    this.content.bars.clear();
    this.content.bars.putAll(bars);
    this.large.clear();
    this.large.putAll(large);
    this.#sumUp();
  }

  putBar(bar: IndicatorObject<'footprint'>): void {
    this.content.bars.put(bar);
    this.#sumUp();
  }

  /** The recording begins with the session, so its first bar is the session's. */
  #sumUp(): void {
    const { columns, group } = this.content.bars;
    const first = columns[0];
    if (first === undefined) return;
    const span = { openNs: first.fromNs, closeNs: first.fromNs + SESSION_NS };
    this.#sum ??= new SessionSum(span, {
      ...{ delta: this.#delta, vwap: null, profile: this.#profile },
      profileParameters: { periodSeconds: null, group, valueArea: 70, pocTie: 'centre' },
      ...{ isEndedByTrades: false, isRenko: false },
    });
    this.#sum.update(columns, 0, columns.length, null);
  }

  #layer(key: string, objects: ObjectSeries): void {
    this.content.layers.set(key, { objects, state: { t: 'ready' }, isSummedHere: false });
  }
}
