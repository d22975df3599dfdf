/**
 * All that one chart shows. A feed fills it; scenes read it. Whoever changes it calls `changed`, which tells the
 * listeners once per turn of the event loop.
 */

import { BarSeries } from './bar-series.ts';
import type { ObjectSeries } from './object-series.ts';
import type { Roll, SessionSpan } from './sessions.ts';

export interface ChartInstrument {
  /** As the chart's owner named it: an alias or a symbol. */
  readonly name: string;
  readonly contract: string;
  /** For people: "E-mini S&P 500 December 2026". */
  readonly title: string;
  readonly tickSizeNanos: number;
  /** IANA zone of the exchange; null if unknown. */
  readonly timeZone: string | null;
}

export type LayerState =
  | { readonly t: 'loading' }
  | { readonly t: 'ready' }
  /** The service refused it, or the plan has no room. `text` says why and what would help. */
  | { readonly t: 'refused'; readonly code: string; readonly text: string };

export interface LayerContent {
  readonly objects: ObjectSeries;
  readonly state: LayerState;
  /** Summed in the page from the footprint instead of subscribed. */
  readonly isSummedHere: boolean;
}

/** What is left of the first column. */
export type LeftEdge =
  /** More can be loaded. */
  | { readonly t: 'more' }
  | { readonly t: 'loading' }
  /** The hem of the chart: nothing more by itself. */
  | { readonly t: 'hem'; readonly why: 'no-history' | 'budget' | 'start' | 'refused' | 'used-up' };

export type LiveState =
  | 'connecting'
  | 'live'
  | 'delayed'
  | 'lost'
  | 'paused'
  | 'closed'
  | 'stale'
  | 'replay';

export class ChartContent {
  instrument: ChartInstrument | null = null;
  readonly bars: BarSeries;
  /** By the key of the layer. */
  readonly layers = new Map<string, LayerContent>();
  sessions: readonly SessionSpan[] = [];
  rolls: readonly Roll[] = [];
  edge: LeftEdge = { t: 'more' };
  live: LiveState = 'connecting';
  /** Trades of the session are missing before this instant. */
  partialSince: bigint | null = null;
  /** How far the chart has the tape: the service's time of the last message; null before the first. */
  tapeNs: bigint | null = null;
  readonly #listeners = new Set<() => void>();
  #revision = 0;
  #isTelling = false;

  constructor(bars: BarSeries = new BarSeries()) {
    this.bars = bars;
  }

  get revision(): number {
    return this.#revision;
  }

  onChange(hear: () => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  changed(): void {
    this.#revision += 1;
    if (this.#isTelling) return;
    this.#isTelling = true;
    queueMicrotask(() => {
      this.#isTelling = false;
      for (const hear of this.#listeners) hear();
    });
  }
}
