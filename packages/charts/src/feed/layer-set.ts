/**
 * The layers of a chart: each is summed here if that is possible, else subscribed. When the possibilities change, as
 * with the last missing bars of a session, a layer changes from one to the other.
 */

import type { Snapshot } from '@tapeloom/client/stream';
import type { ChartContent, LayerState } from '../series/chart-content.ts';
import { ObjectSeries } from '../series/object-series.ts';
import type { SessionSums } from '../series/sums.ts';
import { chartLayers } from '../spec/chart-layers.ts';
import type { ChartSpec, LayerSpec } from '../spec/chart-spec.ts';
import { LayerSink } from './layer-sink.ts';
import type { AfterReset, LiveTopic, TopicHandlers } from './live-topic.ts';
import type { PastPart } from './past-loader.ts';
import { summedSeries } from './summed-series.ts';
import { DEPTH_DEFAULT, isSummable, lastingOf, layerTopic, type Topic } from './topics.ts';
import { refusalWords } from './words.ts';

/** `waiting`: it is not known yet whether the bars of the session are all here. */
export type SumAbility = 'waiting' | 'possible' | 'impossible';

export interface LayerSetOptions {
  readonly content: ChartContent;
  /** Whether the plan has a place for it now. */
  readonly hasRoom: (topic: Topic) => boolean;
  readonly subscribe: (topic: Topic, handlers: TopicHandlers) => LiveTopic;
  /** A state of a layer's stream, the first if `after` is null. */
  readonly onSnapshot: (layer: Layer, snapshot: Snapshot<string>, after: AfterReset | null) => void;
  readonly onChange: () => void;
}

export class Layer {
  readonly spec: LayerSpec;
  readonly topic: Topic;
  readonly sink: LayerSink;
  readonly objects = new ObjectSeries();
  live: LiveTopic | null = null;
  /** The plan had no place for it. */
  isWithoutRoom = false;
  /** Of the newest state. */
  contract: string | null = null;

  constructor(spec: LayerSpec, topic: Topic) {
    this.spec = spec;
    this.topic = topic;
    const { depth = DEPTH_DEFAULT } = topic.params;
    const lasting = lastingOf(topic.indicator);
    this.sink = new LayerSink(this.objects, lasting, Number(depth));
  }
}

export class LayerSet {
  readonly #options: LayerSetOptions;
  readonly #subscribed = new Map<string, Layer>();

  constructor(options: LayerSetOptions) {
    this.#options = options;
  }

  /** Those that are subscribed. */
  get layers(): Iterable<Layer> {
    return this.#subscribed.values();
  }

  /** Whether a layer waits for a place. */
  get isWaiting(): boolean {
    return this.#subscribed.values().some(({ isWithoutRoom }) => isWithoutRoom);
  }

  get parts(): readonly PastPart[] {
    return [...this.#subscribed.values()].filter(({ sink }) => sink.end !== null);
  }

  plan(spec: ChartSpec, ability: SumAbility, sums: SessionSums | null): void {
    const { content } = this.#options;
    const all = chartLayers(spec);
    const isSummed = (layer: LayerSpec) => ability !== 'impossible' && isSummable(spec, layer);
    this.#dropAllBut(
      new Map(all.filter((layer) => !isSummed(layer)).map((it) => [it.key, it])),
      spec,
    );
    const keys = new Set(all.map(({ key }) => key));
    for (const key of [...content.layers.keys()]) if (!keys.has(key)) content.layers.delete(key);
    for (const layer of all) {
      if (!isSummed(layer)) this.#subscribe(layer, spec);
      else this.#setSummed(layer, ability === 'possible' ? sums : null);
    }
  }

  close(): void {
    for (const { live } of this.#subscribed.values()) live?.close();
    this.#subscribed.clear();
  }

  /** Layers that are no longer wanted, or with other parameters, give their places back first. */
  #dropAllBut(wanted: ReadonlyMap<string, LayerSpec>, spec: ChartSpec): void {
    // Those that wait for a place come last, when others have left.
    const all = [...this.#subscribed].sort(
      ([, a], [, b]) => Number(a.isWithoutRoom) - Number(b.isWithoutRoom),
    );
    for (const [key, layer] of all) {
      const next = wanted.get(key);
      const isSame =
        next !== undefined &&
        JSON.stringify(layerTopic(spec, next)) === JSON.stringify(layer.topic);
      const isStill = layer.isWithoutRoom && !this.#options.hasRoom(layer.topic);
      if (isSame && (!layer.isWithoutRoom || isStill)) continue;
      layer.live?.close();
      this.#subscribed.delete(key);
      this.#options.content.layers.delete(key);
    }
  }

  #setSummed({ key, indicator }: LayerSpec, sums: SessionSums | null): void {
    const { layers } = this.#options.content;
    const objects = sums === null ? null : summedSeries(sums, indicator);
    const state: LayerState = objects === null ? { t: 'loading' } : { t: 'ready' };
    const before = layers.get(key);
    const shown = objects ?? before?.objects ?? new ObjectSeries();
    const isSame = before?.objects === shown && before.state.t === state.t && before.isSummedHere;
    if (!isSame) layers.set(key, { objects: shown, state, isSummedHere: true });
  }

  #subscribe(spec: LayerSpec, chart: ChartSpec): void {
    if (this.#subscribed.has(spec.key)) return;
    const layer = new Layer(spec, layerTopic(chart, spec));
    this.#subscribed.set(spec.key, layer);
    this.#show(layer, { t: 'loading' });
    const changed = () => this.#options.onChange();
    layer.live = this.#options.subscribe(layer.topic, {
      snapshot: (snapshot, after) => {
        this.#options.onSnapshot(layer, snapshot, after);
        this.#show(layer, { t: 'ready' });
        changed();
      },
      upsert: ({ object }) => {
        layer.sink.upsert(object);
        changed();
      },
      remove: (update) => {
        layer.sink.remove(update);
        changed();
      },
      status: () => {},
      notice: () => {},
      refused: (code, message) => {
        layer.isWithoutRoom = code === 'NO_ROOM';
        const text = code === 'NO_ROOM' ? message : refusalWords(code, message);
        this.#show(layer, { t: 'refused', code, text });
        changed();
      },
    });
  }

  #show({ spec: { key }, objects }: Layer, state: LayerState): void {
    this.#options.content.layers.set(key, { objects, state, isSummedHere: false });
  }
}
