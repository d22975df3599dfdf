/**
 * One instrument and one kind of bar on a chart, from its first state on: bars and layers of the stream, history before
 * them, and what follows from both. A chart that gets another instrument or other bars gets another run.
 */

import type { ClientClock, Snapshot, Status } from '@tapeloom/client/stream';
import { timeTexts } from '../scene/time-text.ts';
import type { ChartContent } from '../series/chart-content.ts';
import { spansOf } from '../series/session-spans.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { BarSink } from './bar-sink.ts';
import { needOf } from './chart-needs.ts';
import { FeedStatus } from './feed-status.ts';
import { PastGaps, RunningGap } from './gap-columns.ts';
import type { HistoryBudget } from './history-budget.ts';
import { InstrumentFacts } from './instrument-facts.ts';
import { type Layer, LayerSet, type SumAbility } from './layer-set.ts';
import { type AfterReset, LiveTopic, type TopicHandlers } from './live-topic.ts';
import { type PastCost, PastLoader, type PastPart } from './past-loader.ts';
import { PastReach, type ReachFacts } from './past-reach.ts';
import { spanAt } from './past-window.ts';
import type { PlanRoom } from './plan-room.ts';
import type { Segment, Segments } from './segments.ts';
import { SessionDays } from './session-days.ts';
import type { FeedSources } from './sources.ts';
import { startOfHistory } from './start-of-history.ts';
import { daysToSum, sumsFor, sumsKey } from './sums-for.ts';
import { barsTopic, DEPTH_DEFAULT, layerTopic, type Topic, topicName } from './topics.ts';
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
  readonly #bars: BarSink;
  readonly #barsTopic: Topic;
  readonly #layers: LayerSet;
  readonly #loader: PastLoader;
  readonly #reach: PastReach;
  readonly #status: FeedStatus;
  readonly #gaps = new PastGaps();
  readonly #gap = new RunningGap();
  #spec: ChartSpec;
  #segments: Segments;
  #barsLive: LiveTopic | null = null;
  #barsContract: string | null = null;
  #isReady = false;
  /** Of the missing bars of the session that is shown first. */
  #fill: 'none' | 'running' | 'done' = 'none';
  #sums: SessionSums | null = null;
  #sumsKey = '';
  /** The ability that layers were planned for. */
  #planned: SumAbility | '' = '';
  #sumDays: { readonly key: string; readonly days: SessionDays['days'] } | null = null;
  #losses = 0;
  #rollNs: bigint | null = null;
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
    this.#bars = new BarSink(content.bars, Number(this.#barsTopic.params.depth ?? DEPTH_DEFAULT));
    this.#facts = new InstrumentFacts(sources, instrument, signal);
    this.#segments = this.#facts.segments(this.#nowNs);
    const changed = () => this.#changed();
    const onDays = () => this.#daysChanged();
    this.#days = new SessionDays({ sources, instrument, clock, signal, onChange: onDays });
    this.#loader = new PastLoader({
      ...{ sources, instrument, budget, signal },
      dataset: () => this.#facts.instrument?.dataset,
      segments: () => this.#segments,
      onGaps: (gaps, fromNs) => this.#gaps.add(gaps, fromNs),
      onPiece: () => this.#pieceLoaded(),
    });
    this.#reach = new PastReach({
      ...{ loader: this.#loader, budget, clock, signal, onChange: changed },
      parts: () => this.#parts,
      facts: () => this.#reachFacts(),
      startHem: () =>
        this.#hasHistory
          ? startHem(this.#segments.current.contract, null, null)
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
    return this.#sums;
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
        if (kind === 'roll') this.#rollNs = effectiveAt;
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
    this.#plan(true);
    this.#changed();
  }

  /** What a layer would cost for the bars that are loaded; null: not known. */
  async costOf(indicator: string, params: Topic['params']): Promise<PastCost | null> {
    const { reachedNs } = this.#bars;
    if (reachedNs === null) return null;
    const layer = { key: '', indicator, params, isHidden: false };
    const end = { cursor: '' };
    const part: PastPart = { topic: layerTopic(this.#spec, layer), sink: { end, past() {} } };
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
    const { clock } = this.#options;
    const late = Promise.withResolvers<void>();
    const timer = clock.after(FACTS_MS, late.resolve);
    const loading = this.#facts.load();
    await Promise.race([loading, late.promise]);
    timer.cancel();
    if (this.#closing.signal.aborted) return;
    this.#segments = this.#facts.segments(this.#nowNs);
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
    const contract = this.#barsLive!.state!.contract ?? this.#segments.current.contract;
    const isRoll = after !== null && contract !== this.#barsContract;
    const isContinued =
      after !== null &&
      (isRoll ? this.#follow(snapshot, contract, after) : this.#continue(snapshot, after));
    this.#barsContract = contract;
    if (!isContinued) {
      this.#segments.settle(contract, midnightOf(snapshot.cursor));
      this.#bars.begin(this.#segments.current);
      this.#bars.start(snapshot);
      this.#fill = 'none';
      this.#reach.reset();
      this.#gaps.clear();
      if (after !== null) this.#gap.clear();
    }
    if (after !== null) this.#status.reset(after.reason, this.#nowNs);
    if (after?.reason === 'entitlement_changed') void this.#readPlan();
    this.#nameInstrument();
    this.#blockWithoutHistory();
    this.#barsChanged();
    this.#wantDays();
    this.#settleOpens();
  }

  /** The alias rolls while the chart is watched: the bars of the old contract stay. */
  #follow(snapshot: Snapshot<string>, contract: string, after: AfterReset): boolean {
    if (after.reason !== 'roll' || !after.isUnbroken) return false;
    const ended = this.#roll(snapshot, contract);
    this.#bars.begin(this.#segments.current);
    this.#bars.follow(snapshot, ended);
    void this.#facts.load().then(() => this.#nameInstrument());
    return true;
  }

  #continue(snapshot: Snapshot<string>, { reason }: AfterReset): boolean {
    return reason === 'cursor_expired' && this.#bars.continue(snapshot);
  }

  /** Whichever topic hears of it first. Returns the segment that has ended. */
  #roll({ cursor }: Snapshot<string>, contract: string): Segment {
    this.#segments.roll(this.#rollNs ?? midnightOf(cursor), contract);
    return this.#segments.before(this.#segments.current)!;
  }

  #layerSnapshot(layer: Layer, snapshot: Snapshot<string>, after: AfterReset | null): void {
    const { sink } = layer;
    const contract = layer.live?.state?.contract ?? this.#segments.current.contract;
    const isRoll = after?.reason === 'roll' && after.isUnbroken && contract !== layer.contract;
    layer.contract = contract;
    if (isRoll) {
      const ended = this.#roll(snapshot, contract);
      sink.begin(this.#segments.current);
      sink.roll(ended, snapshot);
      return;
    }
    sink.begin(this.#segments.current);
    sink.start(snapshot);
    this.#settleOpens();
    const { reachedNs } = this.#bars;
    // After a reset the stream has no trace of what came and went while it was away.
    if ((layer.isAdded || after !== null) && reachedNs !== null && this.#hasHistory) {
      void this.#reach.fill(reachedNs, () => this.#parts.filter((part) => part === layer));
    }
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

  /** Once sessions and states are known: how far a snapshot that holds its whole session reaches. */
  #settleOpens(): void {
    const { days } = this.#days;
    const { bar } = this.#spec;
    const shownNs = this.#bars.snapshotNs;
    const span = shownNs === null ? null : spanAt(spansOf(bar.session, days), shownNs);
    if (span !== null) this.#bars.reachOpen(span.openNs, bar.kind === 'time');
    for (const { sink, topic } of this.#layers.layers) {
      const kind = (topic.params.session ?? 'full') as ChartSpec['bar']['session'];
      const open = sink.snapshotNs === null ? null : spanAt(spansOf(kind, days), sink.snapshotNs);
      if (open !== null) sink.reachOpen(open.openNs);
    }
  }

  #plan(isAdded = false): void {
    const ability = this.#ability;
    if (!isAdded && this.#planned === ability) return;
    this.#planned = ability;
    const key = sumsKey(this.#spec);
    if (key !== this.#sumsKey) {
      this.#sums = sumsFor(this.#spec);
      this.#sumsKey = key;
    }
    this.#layers.plan(this.#spec, ability, this.#sums, isAdded);
  }

  get #ability(): SumAbility {
    if (this.#days.isMissing) return 'impossible';
    if (!this.#days.isKnown || this.#bars.end === null) return 'waiting';
    const { last } = this.#content.bars;
    const spans = spansOf(this.#spec.bar.session, this.#days.days);
    const span = last === null ? null : spanAt(spans, last.fromNs);
    if (span === null) return 'possible';
    const rolledNs = this.#segments.current.fromNs;
    if (rolledNs !== null && span.openNs < rolledNs && rolledNs < span.closeNs) return 'impossible';
    const { reachedNs } = this.#bars;
    if (reachedNs !== null && reachedNs <= span.openNs) return 'possible';
    if (this.#fill === 'done') return 'impossible';
    this.#fillSession(span.openNs);
    return this.#hasHistory ? 'waiting' : 'impossible';
  }

  /** What is summed needs all bars of the session. */
  #fillSession(openNs: bigint): void {
    if (this.#fill !== 'none') return;
    this.#fill = this.#hasHistory ? 'running' : 'done';
    if (this.#fill === 'done') return;
    void this.#reach
      .fill(openNs, () => this.#parts.slice(0, 1))
      .then(() => {
        if (this.#fill !== 'running') return;
        this.#fill = 'done';
        this.#changed();
      });
  }

  get #parts(): readonly PastPart[] {
    return [{ topic: this.#barsTopic, sink: this.#bars }, ...this.#layers.parts];
  }

  async #reachFacts(): Promise<ReachFacts | null> {
    const { end } = this.#bars;
    if (end === null) return null;
    const { budget, room } = this.#options;
    const endNs = 'ns' in end ? end.ns : this.#nowNs;
    const segment = this.#segments.at(endNs - 1n);
    const named = segment ?? { contract: this.#spec.instrument, endNs };
    const begun = await startOfHistory(this.#facts, named, room, budget.nowMs);
    const { columns } = this.#content.bars;
    const [first, last] = [columns[0], columns.at(-1)];
    const segmentNs = segment === null ? endNs : segment.fromNs;
    return {
      bar: this.#spec.bar,
      spans: spansOf(this.#spec.bar.session, this.#days.days),
      bars: columns.length,
      spanNs: first === undefined ? 0n : last!.endNs - first.fromNs,
      ...{ endNs, startHem: begun.hem, barsName: topicName(this.#barsTopic) },
      earliestNs: laterOf(segmentNs, begun.fromNs),
    };
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
    const { reachedNs } = this.#bars;
    const first = content.bars.columns[0];
    content.edge = this.#reach.edge;
    content.live = this.#status.live;
    content.tapeNs = this.#tapeNs;
    content.sessions = this.#days.days;
    content.rolls = first === undefined ? [] : this.#segments.rollsSince(first.fromNs);
    this.#plan();
    this.#sums?.update(content.bars, this.#summedDays, { fromNs: reachedNs, tapeNs: this.#tapeNs });
    content.changed();
  }

  /** The same list as long as nothing has changed. */
  get #summedDays(): SessionDays['days'] {
    const { rolls, sessions } = this.#content;
    const key = `${rolls.length} ${sessions.length} ${sessions[0]?.openNs}`;
    if (this.#sumDays?.key !== key) {
      this.#sumDays = { key, days: daysToSum(this.#spec, sessions, rolls) };
    }
    return this.#sumDays.days;
  }
}

/** A roll takes effect at midnight UTC, and the cursor of the first state after it has that day. */
function midnightOf(cursor: string): bigint {
  const day = /^(\d{4})(\d{2})(\d{2})\./.exec(cursor);
  if (day === null) return 0n;
  const ms = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
  return BigInt(ms) * NS_PER_MS;
}

function laterOf(one: bigint | null, other: bigint | null): bigint | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
