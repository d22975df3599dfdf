/** Whether the workspace shows the present or a replay, which is fetched with the first one. */

import type { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import type { FeedSources } from '@tapeloom/charts/feed/sources';
import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import type { Instrument } from '@tapeloom/client';
import type { UsageView } from '../../api/portal-shapes.ts';
import type { Seat } from './seat.ts';
import { Store } from './store.ts';
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

export type ReplayPhase<Run extends OpenReplay = OpenReplay> =
  | { readonly t: 'off' }
  /** The player and the days are being fetched. */
  | { readonly t: 'opening' }
  | { readonly t: 'refused'; readonly text: string; readonly needsPlan: boolean }
  | { readonly t: 'on'; readonly run: Run; readonly day: SessionSpan };

const NO_HISTORY = 'Your plan has no history, so there is no past session to play.';
const NO_DAYS = 'There is no past session of this instrument to play.';

export class ReplaySwitch {
  readonly phase = new Store<ReplayPhase>({ t: 'off' });
  readonly #host: ReplayHost;
  /** Results of earlier openings are ignored. */
  #turn = 0;

  constructor(host: ReplayHost) {
    this.#host = host;
  }

  /** Opens at the newest day that is over. */
  async open(): Promise<void> {
    if (this.phase.value.t !== 'off') return;
    this.#turn += 1;
    const turn = this.#turn;
    if (this.#host.usage.value.limits.historyDays === 0) {
      this.phase.set({ t: 'refused', text: NO_HISTORY, needsPlan: true });
      return;
    }
    this.phase.set({ t: 'opening' });
    try {
      const { openReplay } = await import('./replay-run.ts');
      const run = await openReplay(this.#host, (open, day) =>
        this.phase.set({ t: 'on', run: open, day }),
      );
      if (turn !== this.#turn) run?.close();
      else if (run === null) this.phase.set({ t: 'refused', text: NO_DAYS, needsPlan: false });
      else run.begin();
    } catch (error) {
      if (turn !== this.#turn) return;
      const text = error instanceof Error ? error.message : String(error);
      this.phase.set({ t: 'refused', text, needsPlan: false });
    }
  }

  /** Null: the present is shown. */
  get run(): OpenReplay | null {
    const { value } = this.phase;
    return value.t === 'on' ? value.run : null;
  }

  /** Back to the present, which went on meanwhile. */
  end(): void {
    this.#turn += 1;
    this.run?.close();
    this.phase.set({ t: 'off' });
  }
}
