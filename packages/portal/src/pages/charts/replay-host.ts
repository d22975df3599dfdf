/** What a replay needs of the workspace, and the workspace of a replay. */

import type { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import type { FeedSources } from '@tapeloom/charts/feed/sources';
import type { Instrument } from '@tapeloom/client';
import type { UsageView } from '../../api/portal-shapes.ts';
import type { Seat } from './seat.ts';
import type { Store } from './store.ts';
import type { Workspace } from './workspace.ts';

/** The workspace, as far as a replay concerns it. */
export interface ReplayHost {
  readonly usage: Store<UsageView>;
  readonly shared: FeedSources;
  readonly budget: HistoryBudget;
  readonly workspace: Store<Workspace>;
  readonly inUse: Seat;
  /** In the order of the charts. */
  readonly seats: readonly Seat[];
  instrument(name: string): Instrument | null;
}

/** A replay of all charts that is open. */
export interface OpenReplay {
  toggle(): void;
  stepOn(): void;
  stepBack(): void;
  close(): void;
}
