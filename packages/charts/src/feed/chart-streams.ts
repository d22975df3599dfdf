/**
 * What the streams of a chart bring, put where it belongs: first states, updates, resets and rolls of its bars and its
 * layers. A reset keeps what is still right: at a roll that is watched, and where a new state continues the old one.
 */

import type { Snapshot } from '@tapeloom/client/stream';
import type { BarSeries } from '../series/bar-series.ts';
import { spansOf } from '../series/session-spans.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { BarChoice } from '../spec/chart-spec.ts';
import { BarSink } from './bar-sink.ts';
import type { Layer } from './layer-set.ts';
import type { AfterReset } from './live-topic.ts';
import { spanAt } from './past-window.ts';
import type { Segment, Segments } from './segments.ts';
import { DEPTH_DEFAULT, type Topic } from './topics.ts';

export class ChartStreams {
  readonly bars: BarSink;
  segments: Segments;
  /** As a notice announced it; null: none did. */
  rollNs: bigint | null = null;
  #contract: string | null = null;

  constructor(bars: BarSeries, { params }: Topic, segments: Segments) {
    this.bars = new BarSink(bars, Number(params.depth ?? DEPTH_DEFAULT));
    this.segments = segments;
  }

  /** Whether the bars that were here still are. */
  barsSnapshot(
    snapshot: Snapshot<string>,
    after: AfterReset | null,
    contract = this.segments.current.contract,
  ): boolean {
    const isRoll = after !== null && contract !== this.#contract;
    this.#contract = contract;
    if (after !== null && isRoll && this.#follows(after)) {
      const ended = this.#roll(snapshot, contract);
      this.bars.begin(this.segments.current);
      this.bars.follow(snapshot, ended);
      return true;
    }
    const isSameData = after?.reason === 'cursor_expired' && !isRoll;
    if (isSameData && this.bars.continue(snapshot)) return true;
    this.segments.settle(contract, midnightOf(snapshot.cursor));
    this.bars.begin(this.segments.current);
    this.bars.start(snapshot);
    return false;
  }

  layerSnapshot(layer: Layer, snapshot: Snapshot<string>, after: AfterReset | null): void {
    const { sink } = layer;
    const contract = layer.live?.state?.contract ?? this.segments.current.contract;
    const isRoll = after !== null && contract !== layer.contract;
    layer.contract = contract;
    const ended = isRoll && this.#follows(after) ? this.#roll(snapshot, contract) : null;
    sink.begin(this.segments.current);
    if (ended === null) sink.start(snapshot);
    else sink.roll(ended, snapshot);
  }

  /** Once sessions and states are known: how far a snapshot that holds its whole session reaches. */
  settleOpens(bar: BarChoice, days: readonly SessionSpan[], layers: Iterable<Layer>): void {
    const shownNs = this.bars.snapshotNs;
    const span = shownNs === null ? null : spanAt(spansOf(bar.session, days), shownNs);
    if (span !== null) this.bars.reachOpen(span.openNs, bar.kind === 'time');
    for (const { sink, topic } of layers) {
      const kind = (topic.params.session ?? 'full') as BarChoice['session'];
      const open = sink.snapshotNs === null ? null : spanAt(spansOf(kind, days), sink.snapshotNs);
      if (open !== null) sink.reachOpen(open.openNs);
    }
  }

  /** The roll was watched: nothing is missing before it. */
  #follows({ reason, isUnbroken }: AfterReset): boolean {
    return reason === 'roll' && isUnbroken;
  }

  /** Whichever topic hears of it first. Returns the segment that has ended. */
  #roll({ cursor }: Snapshot<string>, contract: string): Segment {
    this.segments.roll(this.rollNs ?? midnightOf(cursor), contract);
    return this.segments.before(this.segments.current)!;
  }
}

/** A roll takes effect at midnight UTC, and the cursor of the first state after it has that day. */
function midnightOf(cursor: string): bigint {
  const day = /^(\d{4})(\d{2})(\d{2})\./.exec(cursor);
  if (day === null) return 0n;
  const ms = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
  return BigInt(ms) * 1_000_000n;
}
