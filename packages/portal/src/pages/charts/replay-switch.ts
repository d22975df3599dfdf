/** Whether the workspace shows the present or a replay, which is fetched with the first one. */

import type { SessionSpan } from '@tapeloom/charts/series/sessions';
import type { OpenReplay, ReplayHost } from './replay-host.ts';
import { Store } from './store.ts';

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
