/**
 * One instrument and one kind of bar on a chart, from its first state on: bars and layers of the stream, history before
 * them, and what follows from both. A chart that gets another instrument or other bars gets another run.
 */

import type { ClientClock, Snapshot, Status } from '@tapeloom/client/stream';
import { timeTexts } from '../scene/time-text.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { BarSink } from './bar-sink.ts';
import { needOf } from './chart-needs.ts';
import { ChartStreams } from './chart-streams.ts';
import { FeedStatus } from './feed-status.ts';
import { PastGaps, RunningGap } from './gap-columns.ts';
import type { HistoryBudget } from './history-budget.ts';
import { InstrumentFacts, within } from './instrument-facts.ts';
import { type Layer, LayerSet, type SumAbility } from './layer-set.ts';
import { type AfterReset, LiveTopic, type TopicHandlers } from './live-topic.ts';
import { type PastCost, PastLoader, type PastPart } from './past-loader.ts';
import { PastReach, type ReachFacts } from './past-reach.ts';
import type { PlanRoom } from './plan-room.ts';
import { reachFacts } from './reach-facts.ts';
import { SessionDays } from './session-days.ts';
import { SessionSumming } from './session-summing.ts';
import type { FeedSources } from './sources.ts';
import { barsTopic, layerTopic, type Topic } from './topics.ts';
import { noHistoryHem, startHem } from './words.ts';

/** Without an answer about the instrument the stream begins all the same. */
const FACTS_MS = 3_000;
const TICK_MS = 1_000;
const NS_PER_MS = 1_000_000n;
const DAY_NS = 86_400_000_000_000n;
/** Of sessions that a chart marks in advance. */
const AHEAD_NS = 5n * DAY_NS;

export interface ChartRunOptions {
  readonly key: string;
  readonly sources: FeedSources;
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
  readonly room: PlanRoom;
}

export class ChartRun {
  readonly #options: ChartRunOptions;
  readonly #content: ChartContent;
  readonly #closing = new AbortController();
  readonly #facts: InstrumentFacts;
  readonly #days: SessionDays;
  readonly #streams: ChartStreams;
  readonly #summing: SessionSumming;
  readonly #barsTopic: Topic;
  readonly #layers: LayerSet;
  readonly #loader: PastLoader;
  readonly #reach: PastReach;
  readonly #status: FeedStatus;
  readonly #gaps = new PastGaps();
  readonly #gap = new RunningGap();
  #spec: ChartSpec;
  #barsLive: LiveTopic | null = null;
  #isReady = false;
  /** The ability that layers were planned for. */
  #planned: SumAbility | '' = '';
  #wantsLayers = false;
  #losses = 0;
  #tapeNs: bigint | null = null;
  #timer: { cancel(): void } | null = null;
  #shownAs = '';

  constructor(options: ChartRunOptions) {
    const { sources, content, spec, clock, budget, room } = options;
    const { instrument } = spec;
    const { signal } = this.#closing;
    this.#options = options;
    this.#content = content;
    this.#spec = spec;
    this.#barsTopic = barsTopic(spec);
    this.#facts = new InstrumentFacts(sources, instrument, signal);
    const segments = this.#facts.segments(this.#nowNs);
    this.#streams = new ChartStreams(content.bars, this.#barsTopic, segments);
    const changed = () => this.#changed();
    const onDays = () => this.#daysChanged();
    this.#days = new SessionDays({ sources, instrument, clock, signal, onChange: onDays });
    this.#loader = new PastLoader({
      ...{ sources, instrument, budget, signal },
      dataset: () => this.#facts.instrument?.dataset,
      segments: () => this.#streams.segments,
      onGaps: (gaps, fromNs) => this.#gaps.add(gaps, fromNs),
      onPiece: () => this.#pieceLoaded(),
    });
    this.#reach = new PastReach({
      ...{ loader: this.#loader, budget, clock, signal, onChange: changed },
      parts: () => this.#parts,
      facts: () => this.#reachFacts(),
      startHem: () =>
        this.#hasHistory
          ? startHem(this.#streams.segments.current.contract, null, null)
          : noHistoryHem(room.planName),
      onFailed: (message, retryInMs) => this.#status.historyFailed(message, retryInMs),
    });
    this.#layers = new LayerSet({
      content,
      subscribe: (topic, handlers) => this.#subscribe(topic, handlers),
      hasRoom: (topic) => room.verdict([needOf(options.key, instrument, topic)]).hasRoom,
      onSnapshot: (layer, snapshot, after) => this.#layerSnapshot(layer, snapshot, after),
      onChange: changed,
    });
    this.#summing = new SessionSumming({
      ...{ content, days: this.#days, bars: this.#bars, onChange: changed },
      segments: () => this.#streams.segments,
      hasHistory: () => this.#hasHistory,
      fill: (openNs) => this.#reach.fill(openNs, () => this.#parts.slice(0, 1)),
    });
    this.#status = new FeedStatus({
      ...{ sources, clock, room },
      timeText: (ns) => timeTexts(this.#spec.zone, this.#timeZone).clock(ns, true),
      tapeNs: () => this.#tapeNs,
      onLost: () => {
        this.#losses += 1;
      },
    });
  }

  get sums(): SessionSums | null {
    return this.#summing.sums;
  }

  get hem() {
    return this.#reach.hem;
  }

  get note() {
    return this.#status.note;
  }

  get nextRollNs(): bigint | null {
    return this.#facts.nextRoll(this.#nowNs);
  }

  get reach(): PastReach {
    return this.#reach;
  }

  start(): void {
    this.#barsLive = this.#subscribe(this.#barsTopic, {
      snapshot: (snapshot, after) => this.#barsSnapshot(snapshot, after),
      upsert: ({ object }) => {
        this.#bars.upsert(object);
        this.#barsChanged();
      },
      remove: ({ id }) => {
        this.#bars.remove(id);
        this.#barsChanged();
      },
      status: (status) => this.#statusCame(status),
      notice: ({ kind, effectiveAt }) => {
        if (kind === 'roll') this.#streams.rollNs = effectiveAt;
      },
      refused: (code, text) => {
        this.#status.refused(code, text);
        this.#changed();
      },
    });
    this.#plan();
    void this.#begin();
    this.#tick();
  }

  /** Another spec of the same instrument and bars. */
  change(spec: ChartSpec): void {
    this.#spec = spec;
    this.#wantsLayers = false;
    this.#plan(true);
    this.#changed();
  }

  /** A reader has added layers: they are loaded as far as the bars are. */
  loadLayers(): void {
    this.#wantsLayers = true;
    this.#fillLayers();
  }

  #fillLayers(): void {
    const { reachedNs } = this.#bars;
    if (reachedNs === null || !this.#hasHistory) return;
    void this.#reach.fill(reachedNs, () => this.#layers.parts);
  }

  /** What a layer would cost for the bars that are loaded; null: not known. */
  async costOf(indicator: string, params: Topic['params']): Promise<PastCost | null> {
    const { reachedNs } = this.#bars;
    if (reachedNs === null) return null;
    const layer = { key: '', indicator, params, isHidden: false };
    const end = { cursor: '' };
    const sink = { end, generation: 0, past() {} };
    const part: PastPart = { topic: layerTopic(this.#spec, layer), sink };
    return await this.#loader.cost([part], reachedNs).catch(() => null);
  }

  close(): void {
    this.#closing.abort();
    if (this.#content.edge.t === 'loading') this.#content.edge = { t: 'more' };
    this.#timer?.cancel();
    this.#barsLive?.close();
    this.#layers.close();
    this.#status.close();
  }

  async #begin(): Promise<void> {
    const loading = this.#facts.load();
    await within(this.#options.clock, FACTS_MS, loading);
    if (this.#closing.signal.aborted) return;
    this.#streams.segments = this.#facts.segments(this.#nowNs);
    this.#isReady = true;
    this.#barsLive!.begin();
    for (const { live } of this.#layers.layers) live?.begin();
    this.#changed();
    await loading;
    if (!this.#closing.signal.aborted) this.#nameInstrument();
  }

  #subscribe(topic: Topic, handlers: TopicHandlers): LiveTopic {
    const { key, sources, room } = this.#options;
    const { instrument } = this.#spec;
    const losses = () => this.#losses;
    const live = new LiveTopic({ chart: key, instrument, topic, sources, room, losses, handlers });
    if (this.#isReady) live.begin();
    return live;
  }

  #barsSnapshot(snapshot: Snapshot<string>, after: AfterReset | null): void {
    const contract = this.#barsLive!.state!.contract ?? undefined;
    const isKept = this.#streams.barsSnapshot(snapshot, after, contract);
    if (!isKept) {
      this.#summing.restart();
      this.#reach.reset();
      this.#gaps.clear();
      if (after !== null) this.#gap.clear();
    }
    if (after !== null) this.#status.reset(after.reason, this.#nowNs);
    if (after?.reason === 'entitlement_changed') void this.#readPlan();
    if (after?.reason === 'roll') void this.#facts.load().then(() => this.#nameInstrument());
    this.#nameInstrument();
    this.#blockWithoutHistory();
    this.#barsChanged();
    this.#wantDays();
    this.#settleOpens();
  }

  #layerSnapshot(layer: Layer, snapshot: Snapshot<string>, after: AfterReset | null): void {
    this.#streams.layerSnapshot(layer, snapshot, after);
    this.#settleOpens();
    // After a reset the stream has no trace of what came and went while it was away.
    if (after !== null || this.#wantsLayers) this.#fillLayers();
  }

  #statusCame({ state, partialSince }: Status): void {
    this.#status.status(state);
    const gap = this.#gap.status(partialSince, this.#tapeNs);
    if (gap !== null) this.#content.bars.putGap(gap);
    this.#content.partialSince = partialSince;
    this.#changed();
  }

  #barsChanged(): void {
    const { last } = this.#content.bars;
    if (last !== null) this.#hearTape(last.endNs);
    this.#changed();
  }

  #pieceLoaded(): void {
    this.#gaps.put(this.#content.bars);
    this.#wantDays();
    this.#changed();
  }

  #daysChanged(): void {
    this.#nameInstrument();
    this.#settleOpens();
    this.#changed();
  }

  #settleOpens(): void {
    this.#streams.settleOpens(this.#spec.bar, this.#days.days, this.#layers.layers);
  }

  #plan(isOther = false): void {
    const ability = this.#summing.ability(this.#spec);
    if (!isOther && this.#planned === ability) return;
    this.#planned = ability;
    this.#summing.choose(this.#spec);
    this.#layers.plan(this.#spec, ability, this.#summing.sums);
  }

  get #bars(): BarSink {
    return this.#streams.bars;
  }

  get #parts(): readonly PastPart[] {
    return [{ topic: this.#barsTopic, sink: this.#bars }, ...this.#layers.parts];
  }

  #reachFacts(): Promise<ReachFacts | null> {
    const { budget, room } = this.#options;
    return reachFacts({
      ...{ spec: this.#spec, columns: this.#content.bars.columns, end: this.#bars.end },
      ...{ days: this.#days.days, facts: this.#facts, segments: this.#streams.segments },
      ...{ room, nowMs: budget.nowMs, nowNs: this.#nowNs },
    });
  }

  get #hasHistory(): boolean {
    const { historyDays, computeBudget } = this.#options.room.limits;
    const isNone = this.#facts.instrument?.history === null;
    return historyDays > 0 && computeBudget > 0 && !isNone;
  }

  #blockWithoutHistory(): void {
    if (!this.#hasHistory) this.#reach.block(noHistoryHem(this.#options.room.planName));
    else if (this.#reach.hem?.why === 'no-history') this.#reach.block(null);
  }

  async #readPlan(): Promise<void> {
    const { sources, room, budget } = this.#options;
    const { signal } = this.#closing;
    const usage = await sources.usage({ signal }).catch(() => null);
    if (usage === null || signal.aborted) return;
    room.change(usage.plan, usage.limits);
    budget.unitsPerMonth = usage.limits.computeBudget;
    this.#blockWithoutHistory();
    this.#changed();
  }

  #nameInstrument(): void {
    const { tickSizeNanos, contract } = this.#barsLive?.state ?? {};
    if (contract == null || tickSizeNanos == null) return;
    const { instrument } = this.#facts;
    const title = instrument?.symbol === contract ? instrument.name : contract;
    const name = this.#spec.instrument;
    const timeZone = this.#timeZone;
    this.#content.instrument = { name, contract, title, tickSizeNanos, timeZone };
  }

  get #timeZone(): string | null {
    return this.#days.timeZone;
  }

  #wantDays(): void {
    const to = this.#nowNs + AHEAD_NS;
    const from = this.#bars.reachedNs ?? this.#nowNs;
    this.#days.want(from, to);
  }

  /** The newest time of the tape that this account may see. */
  get #nowNs(): bigint {
    const { budget, room } = this.#options;
    return BigInt(budget.nowMs - room.limits.delaySeconds * 1_000) * NS_PER_MS;
  }

  #hearTape(ns: bigint): void {
    if (this.#tapeNs === null || ns > this.#tapeNs) this.#tapeNs = ns;
  }

  #tick(): void {
    const { clock, budget, room } = this.#options;
    const serverNs = this.#barsLive?.state?.serverNs ?? null;
    if (serverNs !== null) {
      budget.hearTime(serverNs);
      this.#hearTape(serverNs - BigInt(room.limits.delaySeconds * 1_000) * NS_PER_MS);
    }
    if (this.#bars.end !== null) this.#wantDays();
    const { live, note } = this.#status;
    const shown = `${live} ${note?.text} ${this.#tapeNs}`;
    // Another chart may have left a place.
    this.#planned = '';
    if (shown !== this.#shownAs || this.#layers.isWaiting) this.#changed();
    this.#shownAs = shown;
    this.#timer = clock.after(TICK_MS, () => this.#tick());
  }

  #changed(): void {
    if (this.#closing.signal.aborted) return;
    const content = this.#content;
    const first = content.bars.columns[0];
    content.edge = this.#reach.edge;
    content.live = this.#status.live;
    content.tapeNs = this.#tapeNs;
    content.sessions = this.#days.days;
    content.rolls = first === undefined ? [] : this.#streams.segments.rollsSince(first.fromNs);
    this.#plan();
    this.#summing.update(this.#spec, this.#tapeNs);
    content.changed();
  }
}
