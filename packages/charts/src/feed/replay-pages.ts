/**
 * The pages of a replay: history with every version, of each topic, asked for as the replay needs them. Failures that
 * pass are tried again with longer waits.
 */

import type { HistoryEntry, HistoryPage, HistoryRequest, StudiesRequest } from '@tapeloom/client';
import type { ClientClock } from '@tapeloom/client/stream';
import type { SessionSpan } from '../series/sessions.ts';
import { pastFault } from './past-fault.ts';
import type { ReplayTrack } from './replay-track.ts';
import type { FeedSources } from './sources.ts';
import { withoutDepth } from './topics.ts';

/** Versions a page. The service computes a session from its open for each, so fewer and larger ones are faster. */
const LIMIT = 5_000;
const STUDIES_MAX = 8;
const RETRY_MS = [2_000, 5_000, 15_000] as const;

export interface ReplayTopic {
  readonly instrument: string;
  readonly track: ReplayTrack;
}

export interface ReplayPagesOptions {
  readonly sources: Pick<FeedSources, 'estimate' | 'history'>;
  readonly session: SessionSpan;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  readonly onCharged: (units: number) => void;
}

export interface ReplayCost {
  readonly units: number;
  readonly remaining: number;
}

export class ReplayPages {
  readonly #options: ReplayPagesOptions;
  readonly #pages = new Map<ReplayTrack, AsyncIterator<HistoryPage<string>>>();
  /** Where the next page begins; absent: at the open. */
  readonly #cursors = new Map<ReplayTrack, string>();

  constructor(options: ReplayPagesOptions) {
    this.#options = options;
  }

  async cost(topics: readonly ReplayTopic[]): Promise<ReplayCost> {
    const byInstrument = Map.groupBy(topics, ({ instrument }) => instrument);
    let [units, remaining] = [0, Number.POSITIVE_INFINITY];
    for (const [instrument, all] of byInstrument) {
      for (let at = 0; at < all.length; at += STUDIES_MAX) {
        const asked = this.#estimateOf(instrument, all.slice(at, at + STUDIES_MAX));
        const estimate = await this.#options.sources.estimate(asked);
        units += estimate.computeUnits;
        remaining = Math.min(remaining, estimate.remainingComputeUnits);
      }
    }
    return { units, remaining };
  }

  /** The next page of a topic, which its track gets. Rejects if it cannot be had. */
  async load({ instrument, track }: ReplayTopic): Promise<HistoryPage<string>> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#load(instrument, track);
      } catch (error) {
        this.#options.signal.throwIfAborted();
        const fault = pastFault(error);
        const waitMs = RETRY_MS[failures];
        if (fault.t !== 'passing' || waitMs === undefined) throw error;
        // An iteration that has thrown is over; another one continues where it stopped.
        this.#pages.delete(track);
        await this.#wait(Math.max(waitMs, fault.atLeastMs));
      }
    }
  }

  async #load(instrument: string, track: ReplayTrack): Promise<HistoryPage<string>> {
    const pages = this.#pagesOf(instrument, track);
    const { done, value } = await pages.next();
    this.#options.signal.throwIfAborted();
    if (done === true) throw new Error('The service sent no page.');
    this.#options.onCharged(value.computeUnits);
    track.append(value.items as readonly HistoryEntry<string>[]);
    track.isWhole = value.next === null;
    if (value.next !== null) this.#cursors.set(track, value.next);
    return value;
  }

  #pagesOf(instrument: string, track: ReplayTrack): AsyncIterator<HistoryPage<string>> {
    const known = this.#pages.get(track);
    if (known !== undefined) return known;
    const { sources } = this.#options;
    const { indicator } = track.topic;
    const cursor = this.#cursors.get(track);
    const request: HistoryRequest<string> = {
      ...this.#range(instrument),
      ...{ indicator, params: withoutDepth(track.topic), snapshot: true, limit: LIMIT },
      ...(cursor === undefined ? {} : { cursor }),
    };
    const pages = sources.history(request).pages()[Symbol.asyncIterator]();
    this.#pages.set(track, pages);
    return pages;
  }

  #estimateOf(
    instrument: string,
    topics: readonly ReplayTopic[],
  ): HistoryRequest<string> | StudiesRequest {
    const range = this.#range(instrument);
    const studies = topics.map(({ track: { topic } }) => ({
      indicator: topic.indicator,
      params: withoutDepth(topic),
    }));
    return studies.length === 1 ? { ...range, ...studies[0]! } : { ...range, studies };
  }

  #range(instrument: string) {
    const { session, signal } = this.#options;
    return {
      instrument,
      from: session.openNs,
      to: session.closeNs,
      gaps: 'allow' as const,
      signal,
    };
  }

  #wait(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = clock.after(ms, resolve);
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason);
      });
    });
  }
}
