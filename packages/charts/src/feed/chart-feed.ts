/**
 * Fills the content of one chart: snapshot, live updates and history as one series without a seam. It subscribes what
 * the page cannot sum itself, loads older bars on request within the budget, and has words for every state.
 */

import type { ClientClock } from '@tapeloom/client/stream';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import type { HistoryBudget } from './history-budget.ts';
import type { PlanRoom } from './plan-room.ts';
import type { FeedSources } from './sources.ts';
import type { FeedNote, HemText } from './words.ts';

export interface ChartFeedOptions {
  /** Unique among the charts of the page. */
  readonly key: string;
  readonly sources: FeedSources;
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly clock: ClientClock;
  readonly budget: HistoryBudget;
  readonly limits: PlanRoom;
}

/** What loading the rest of a session would cost. */
export interface LoadCost {
  readonly units: number;
  readonly indicators: number;
  /** Of the month's budget, 0 to 1. */
  readonly share: number;
}

export interface ChartFeedPort {
  readonly content: ChartContent;
  /** Null without sessions: nothing can be summed. */
  readonly sums: SessionSums | null;
  readonly hem: HemText | null;
  readonly note: FeedNote | null;
  /** When the alias will mean another contract; null if unknown. */
  readonly nextRollNs: bigint | null;
  open(): void;
  changeSpec(spec: ChartSpec): void;
  /** A gesture wants older bars. Calls while bars are loaded do nothing. */
  loadBack(): void;
  /** After the hem has said the cost. */
  loadAnyway(choice: 'all' | 'bars'): void;
  /** What this layer would cost for the bars that are loaded; null if unknown. */
  costOf(
    indicator: string,
    params: ChartSpec['layers'][number]['params'],
  ): Promise<LoadCost | null>;
  close(): void;
}

export class ChartFeed implements ChartFeedPort {
  readonly content: ChartContent;
  readonly sums: SessionSums | null = null;
  readonly hem: HemText | null = null;
  readonly note: FeedNote | null = null;
  readonly nextRollNs: bigint | null = null;

  constructor({ content }: ChartFeedOptions) {
    this.content = content;
  }

  open(): void {}

  changeSpec(_spec: ChartSpec): void {}

  loadBack(): void {}

  loadAnyway(_choice: 'all' | 'bars'): void {}

  costOf(): Promise<LoadCost | null> {
    return Promise.resolve(null);
  }

  close(): void {}
}
