/** What a replay says beside the tape: the names of contracts, and the sessions around the one that is played. */

import type { SessionSpan } from '../series/sessions.ts';
import { InstrumentFacts } from './instrument-facts.ts';
import { SessionDays } from './session-days.ts';
import type { FeedSources } from './sources.ts';

export interface ReplayedInstrument {
  /** Null: not known. */
  readonly title: string | null;
  readonly timeZone: string | null;
  readonly days: readonly SessionSpan[];
}

export interface ReplayFactsOptions {
  readonly sources: Pick<FeedSources, 'instruments' | 'sessions'>;
  readonly session: SessionSpan;
  readonly signal: AbortSignal;
}

const DAY_NS = 86_400_000_000_000n;

export class ReplayFacts {
  readonly #options: ReplayFactsOptions;
  readonly #known = new Map<string, Promise<ReplayedInstrument>>();

  constructor(options: ReplayFactsOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  of(instrument: string, contract: string): Promise<ReplayedInstrument> {
    return this.#known.getOrInsertComputed(instrument, () => this.#load(instrument, contract));
  }

  async #load(name: string, contract: string): Promise<ReplayedInstrument> {
    const { sources, session, signal } = this.#options;
    const facts = new InstrumentFacts(sources, name, signal);
    const days = Promise.withResolvers<void>();
    // One try: a replay goes without.
    const after = () => {
      days.resolve();
      return { cancel: () => {} };
    };
    const table = new SessionDays({
      ...{ sources, signal, instrument: name, onChange: days.resolve },
      clock: { now: () => 0, after },
    });
    if (table.isMissing) days.resolve();
    else table.want(session.openNs - DAY_NS, session.closeNs);
    await Promise.all([facts.load(), days.promise]);
    const title = facts.instrument?.symbol === contract ? facts.instrument.name : null;
    const known = table.days.length > 0 ? table.days : [session];
    return { title, timeZone: table.timeZone, days: known };
  }
}
