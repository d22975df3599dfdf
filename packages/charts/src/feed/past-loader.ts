/**
 * Loads history of several topics backwards, from where each is loaded to one instant, and knows the cost before. A
 * range that crosses a roll becomes several requests, since each reads one contract. Nothing is requested without a
 * reservation.
 */

import type {
  Estimate,
  HistoryEntry,
  HistoryGap,
  HistoryRequest,
  StudiesRequest,
} from '@tapeloom/client';
import { TapeloomError } from '@tapeloom/client/stream';
import type { HistoryBudget } from './history-budget.ts';
import { isReached, type PastEnd } from './past-end.ts';
import type { Segment, Segments } from './segments.ts';
import type { FeedSources } from './sources.ts';
import { type Topic, withoutDepth } from './topics.ts';

/** Results a page; a page of footprints may have fewer. */
const LIMIT = 5_000;
/** Indicators of one estimate. */
const STUDIES_MAX = 8;

/** Something that history fills. */
export interface PastPart {
  readonly topic: Topic;
  readonly sink: {
    readonly end: PastEnd | null;
    /** Changes when all that is here becomes void, or another contract's. */
    readonly generation: number;
    past(entries: readonly HistoryEntry<string>[], fromNs: bigint, segment: Segment): void;
  };
}

export interface PastCost {
  readonly units: number;
  /** Of the first part, which are the bars. */
  readonly firstUnits: number;
  /** Parts that something is loaded of. */
  readonly indicators: number;
  /** Units left this month, the whole account's; null: nothing needs to be loaded. */
  readonly remaining: number | null;
}

export interface PastLoaderOptions {
  readonly sources: Pick<FeedSources, 'estimate' | 'history'>;
  /** An alias or a symbol. */
  readonly instrument: string;
  readonly dataset: () => string | undefined;
  readonly segments: () => Segments;
  readonly budget: HistoryBudget;
  readonly signal: AbortSignal;
  /** Gaps of the first part's range. */
  readonly onGaps: (gaps: readonly HistoryGap[], fromNs: bigint) => void;
  /** A part has got older data. */
  readonly onPiece: () => void;
}

interface Piece {
  readonly part: PastPart;
  readonly segment: Segment;
  readonly fromNs: bigint;
  readonly end: PastEnd;
}

export class PastLoader {
  readonly #options: PastLoaderOptions;

  constructor(options: PastLoaderOptions) {
    this.#options = options;
  }

  /** Free. Never less than the cost: what ends at an update of the stream is estimated up to now. */
  async cost(parts: readonly PastPart[], targetNs: bigint): Promise<PastCost> {
    const groups = new Map<string, Piece[]>();
    for (const piece of parts.flatMap((part) => this.#pieces(part, targetNs))) {
      const key = `${piece.fromNs} ${'ns' in piece.end ? piece.end.ns : ''}`;
      groups.set(key, [...(groups.get(key) ?? []), piece]);
    }
    let [units, firstUnits] = [0, 0];
    let remaining: number | null = null;
    for (const pieces of [...groups.values()].flatMap(inEstimates)) {
      const estimate = await this.#options.sources.estimate(this.#estimateOf(pieces));
      units += estimate.computeUnits;
      remaining = Math.min(remaining ?? Infinity, estimate.remainingComputeUnits);
      pieces.forEach(({ part }, at) => {
        if (part === parts[0]) firstUnits += unitsOf(estimate, at, pieces.length);
      });
    }
    const loaded = new Set([...groups.values()].flat().map(({ part }) => part));
    return { units, firstUnits, indicators: loaded.size, remaining };
  }

  /** Loads part by part. `units`: the cost. Resolves with the units that were charged, and rejects as the service does. */
  async load(
    parts: readonly PastPart[],
    targetNs: bigint,
    units: number,
    onCharged: (units: number) => void,
  ): Promise<void> {
    const reservation = this.#options.budget.reserve(units);
    let charged = 0;
    try {
      for (const part of parts) {
        const { generation } = part.sink;
        for (const piece of this.#pieces(part, targetNs)) {
          if (part.sink.generation !== generation) break;
          await this.#load(piece, part === parts[0], (more) => {
            charged += more;
            onCharged(more);
          });
        }
      }
    } finally {
      reservation.settle(charged);
    }
  }

  /** Newest first. */
  #pieces(part: PastPart, targetNs: bigint): readonly Piece[] {
    const segments = this.#options.segments();
    const pieces: Piece[] = [];
    let { end } = part.sink;
    while (end !== null && !isReached(end, targetNs)) {
      const segment: Segment | null = 'ns' in end ? segments.at(end.ns - 1n) : segments.current;
      if (segment === null) break;
      const fromNs: bigint =
        segment.fromNs !== null && segment.fromNs > targetNs ? segment.fromNs : targetNs;
      if (!isReached(end, fromNs)) pieces.push({ part, segment, fromNs, end });
      if (fromNs === targetNs) break;
      end = { ns: fromNs };
    }
    return pieces;
  }

  async #load(
    { part, segment, fromNs, end }: Piece,
    isFirst: boolean,
    onCharged: (units: number) => void,
  ): Promise<void> {
    const { sources, signal, onGaps, onPiece } = this.#options;
    const { generation } = part.sink;
    const entries: HistoryEntry<string>[] = [];
    let gaps: readonly HistoryGap[] = [];
    try {
      const { indicator } = part.topic;
      const params = withoutDepth(part.topic);
      const until = 'ns' in end ? { to: end.ns } : { untilCursor: end.cursor };
      const request: HistoryRequest<string> = {
        ...this.#asked(fromNs),
        ...until,
        indicator,
        params,
      };
      const pages = sources.history({ ...request, limit: LIMIT, signal }).pages();
      for await (const page of pages) {
        onCharged(page.computeUnits);
        entries.push(...page.items);
        if (gaps.length === 0) gaps = page.gaps ?? [];
      }
    } catch (error) {
      // The stream's position lies before the start, as while the market is closed: there is nothing between.
      if (!(error instanceof TapeloomError && error.endsBeforeFrom)) throw error;
    }
    signal.throwIfAborted();
    // A reset came first: what was loaded joins nothing any more.
    if (part.sink.generation !== generation) return;
    part.sink.past(entries, fromNs, segment);
    if (isFirst) onGaps(gaps, fromNs);
    onPiece();
  }

  #estimateOf(pieces: readonly Piece[]): HistoryRequest<string> | StudiesRequest {
    const [{ fromNs, end, part }] = pieces as readonly [Piece, ...Piece[]];
    const until = 'ns' in end ? { to: end.ns } : {};
    const asked = { ...this.#asked(fromNs), ...until, signal: this.#options.signal };
    const studies = pieces.map(({ part: { topic } }) => ({
      indicator: topic.indicator,
      params: withoutDepth(topic),
    }));
    if (studies.length > 1) return { ...asked, studies };
    return { ...asked, indicator: part.topic.indicator, params: withoutDepth(part.topic) };
  }

  #asked(from: bigint) {
    const { instrument } = this.#options;
    const dataset = this.#options.dataset();
    const named = dataset === undefined ? { instrument } : { instrument, dataset };
    return { ...named, from, gaps: 'allow' as const };
  }
}

function inEstimates(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const count = Math.ceil(pieces.length / STUDIES_MAX);
  return Array.from({ length: count }, (_, at) =>
    pieces.slice(at * STUDIES_MAX, (at + 1) * STUDIES_MAX),
  );
}

function unitsOf({ computeUnits, studies }: Estimate, at: number, count: number): number {
  return studies?.[at]?.computeUnits ?? computeUnits / count;
}
