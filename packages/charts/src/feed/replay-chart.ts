/** One chart of a replay: its topics, and its content at any position of the tape. */

import type { HistoryPage } from '@tapeloom/client';
import type { BarObject } from '../series/bar-series.ts';
import type { ChartContent } from '../series/chart-content.ts';
import { ObjectSeries } from '../series/object-series.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { SessionSums } from '../series/sums.ts';
import { chartLayers } from '../spec/chart-layers.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { ReplayedObject, ReplayTrack } from './replay-track.ts';
import { summedSeries } from './summed-series.ts';
import { sumsFor } from './sums-for.ts';
import { isSummable } from './topics.ts';

/** From here on one sort is cheaper than single insertions. */
const MANY = 64;

export interface ReplayChartOptions {
  readonly spec: ChartSpec;
  readonly content: ChartContent;
  /** The bars first. */
  readonly tracks: readonly ReplayTrack[];
  readonly session: SessionSpan;
}

export class ReplayChart {
  readonly tracks: readonly ReplayTrack[];
  readonly #spec: ChartSpec;
  readonly #content: ChartContent;
  readonly #session: SessionSpan;
  readonly #series = new Map<ReplayTrack, ObjectSeries>();
  sums: SessionSums;

  constructor({ spec, content, tracks, session }: ReplayChartOptions) {
    this.#spec = spec;
    this.#content = content;
    this.#session = session;
    this.tracks = tracks;
    this.sums = sumsFor(spec);
    content.bars.clear();
    content.layers.clear();
    content.sessions = [session];
    content.rolls = [];
    content.edge = { t: 'hem', why: 'start' };
    content.live = 'replay';
    content.partialSince = null;
    content.tapeNs = session.openNs;
    for (const track of tracks.slice(1)) this.#series.set(track, new ObjectSeries());
    this.#showLayers();
  }

  /** What a first page says. */
  name(page: HistoryPage<string>, title: string | null, timeZone: string | null): void {
    const { contract, tickSizeNanos } = page;
    const name = this.#spec.instrument;
    this.#content.instrument = {
      name,
      contract,
      title: title ?? contract,
      tickSizeNanos,
      timeZone,
    };
    this.#content.changed();
  }

  set sessions(days: readonly SessionSpan[]) {
    this.#content.sessions = days;
  }

  /** The service has none of it; the rest of the chart is played. */
  refuse(track: ReplayTrack, code: string, text: string): void {
    const { key } = track.topic;
    const objects = this.#series.get(track)!;
    this.#content.layers.set(key, {
      objects,
      isSummedHere: false,
      state: { t: 'refused', code, text },
    });
    this.#content.changed();
  }

  /** `counts`: of versions of each track. */
  show(counts: readonly number[], atNs: bigint): void {
    let isBack = false;
    this.tracks.forEach((track, at) => {
      const count = counts[at]!;
      const isEarlier = count < track.at;
      isBack ||= isEarlier;
      const changed = track.moveTo(count);
      if (at === 0) this.#showBars(track, changed);
      else this.#showObjects(track, changed, isEarlier);
    });
    // Sums only go forward.
    if (isBack) {
      this.sums = sumsFor(this.#spec);
      this.#showLayers();
    }
    const { openNs } = this.#session;
    const { bars, sessions } = this.#content;
    this.#content.tapeNs = atNs;
    this.sums.update(bars, sessions, { fromNs: openNs, tapeNs: atNs });
    this.#content.changed();
  }

  /** The state before the first version, which the first page brought. */
  showFirst(): void {
    const [bars, ...others] = this.tracks;
    this.#content.bars.putAll(objectsOf(bars!.state.values()));
    for (const track of others) this.#putAll(track);
    this.#content.changed();
  }

  #showBars({ state }: ReplayTrack, changed: ReadonlySet<string>): void {
    const { bars } = this.#content;
    const shown: ReplayedObject[] = [];
    for (const id of changed) {
      const kept = state.get(id);
      if (kept === undefined) bars.remove(id);
      else shown.push(kept);
    }
    if (shown.length > MANY) bars.putAll(objectsOf(shown));
    else for (const object of objectsOf(shown)) bars.put(object);
  }

  #showObjects(track: ReplayTrack, changed: ReadonlySet<string>, isBack: boolean): void {
    if (isBack || changed.size > MANY) {
      this.#putAll(track);
      return;
    }
    const series = this.#series.get(track)!;
    for (const id of changed) put(series, track.state.get(id)!);
  }

  #putAll(track: ReplayTrack): void {
    const series = this.#series.get(track)!;
    series.clear();
    series.putAll(Array.from(track.state.values(), ({ object }) => object));
    for (const { object, removedNs } of track.state.values()) {
      if (removedNs !== null) series.remove(object.id, removedNs);
    }
  }

  #showLayers(): void {
    const { layers } = this.#content;
    for (const [{ topic }, objects] of this.#series) {
      if (layers.has(topic.key)) continue;
      layers.set(topic.key, { objects, isSummedHere: false, state: { t: 'ready' } });
    }
    for (const layer of chartLayers(this.#spec)) {
      if (!isSummable(this.#spec, layer)) continue;
      const objects = summedSeries(this.sums, layer.indicator);
      if (objects !== null) {
        layers.set(layer.key, { objects, isSummedHere: true, state: { t: 'ready' } });
      }
    }
  }
}

function put(series: ObjectSeries, { object, removedNs }: ReplayedObject): void {
  series.put(object);
  if (removedNs !== null) series.remove(object.id, removedNs);
}

function objectsOf(kept: Iterable<ReplayedObject>): readonly BarObject[] {
  return Array.from(kept, ({ object }) => object as BarObject);
}
