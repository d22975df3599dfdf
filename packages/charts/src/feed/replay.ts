/**
 * A past session played again: every version that the stream had, of several charts in step. It plays
 * `snapshot=true` pages of history on a clock that can be stopped.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSpan } from '../series/sessions.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { HistoryBudget } from './history-budget.ts';
import type { FeedSources } from './sources.ts';

export const REPLAY_SPEEDS = [1, 2, 5, 10, 20, 50, 100] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];
export const REPLAY_STEPS = ['trade', 'flush', 'bar'] as const;
export type ReplayStep = (typeof REPLAY_STEPS)[number];

export interface ReplayChart {
  readonly spec: ChartSpec;
  readonly content: ChartContent;
}

export interface ReplayOptions {
  readonly sources: FeedSources;
  readonly charts: readonly ReplayChart[];
  readonly session: SessionSpan;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
}

/** One minute of the selvedge. */
export interface SelvedgeMinute {
  readonly fromNs: bigint;
  readonly delta: number;
  readonly volume: number;
}

export type ReplayState =
  | { readonly t: 'estimating' }
  /** Above what a gesture may spend: `load` with permission begins it. */
  | { readonly t: 'asking'; readonly units: number; readonly share: number; readonly text: string }
  | { readonly t: 'loading' }
  | { readonly t: 'paused' }
  | { readonly t: 'playing' }
  | { readonly t: 'over' }
  | { readonly t: 'failed'; readonly text: string };

export interface ReplayPort {
  readonly state: ReplayState;
  readonly session: SessionSpan;
  /** The instant of the tape that is shown. */
  readonly atNs: bigint;
  /** How far it has been loaded. */
  readonly loadedNs: bigint;
  /** How far it has been watched: no further than this does the selvedge reach. */
  readonly watchedNs: bigint;
  readonly selvedge: readonly SelvedgeMinute[];
  speed: ReplaySpeed;
  /** Of a chart, in the order of `charts`. */
  sumsOf(chart: number): SessionSums | null;
  load(isPermitted?: boolean): Promise<void>;
  play(): void;
  pause(): void;
  step(by: ReplayStep): void;
  stepBack(by: ReplayStep): void;
  seek(ns: bigint): void;
  onChange(hear: () => void): () => void;
  close(): void;
}

export class Replay implements ReplayPort {
  readonly state: ReplayState = { t: 'estimating' };
  readonly session: SessionSpan;
  readonly atNs: bigint;
  readonly loadedNs: bigint;
  readonly watchedNs: bigint;
  readonly selvedge: readonly SelvedgeMinute[] = [];
  speed: ReplaySpeed = 1;

  constructor({ session }: ReplayOptions) {
    this.session = session;
    this.atNs = session.openNs;
    this.loadedNs = session.openNs;
    this.watchedNs = session.openNs;
  }

  sumsOf(_chart: number): SessionSums | null {
    return null;
  }

  load(_isPermitted?: boolean): Promise<void> {
    return Promise.resolve();
  }

  play(): void {}

  pause(): void {}

  step(_by: ReplayStep): void {}

  stepBack(_by: ReplayStep): void {}

  seek(_ns: bigint): void {}

  onChange(_hear: () => void): () => void {
    return () => {};
  }

  close(): void {}
}
