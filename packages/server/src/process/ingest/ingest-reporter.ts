/** Gathers what the ingest thread reports once a second, without slowing it down. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs } from '@tapeloom/core/utc-day';
import type { Intake } from '../../tape/write/intake.ts';
import type { OpenTape } from '../../tape/write/open-tape.ts';
import type { IngestReport } from './ingest-wire.ts';

/** Latencies stored between two reports; further ones are dropped, as when a source catches up. */
const ACKS_MAX = 1_000;

export type ReportedTape = Pick<OpenTape, 'publisher' | 'counters' | 'manifest'>;

export class IngestReporter {
  readonly #tape: ReportedTape;
  readonly #told = new Map<string, EpochNs>();
  #ackMs: number[] = [];

  constructor(tape: ReportedTape) {
    this.#tape = tape;
  }

  /** The same intake, with the time from offer to acknowledgement measured. */
  timed(intake: Intake): Intake {
    return {
      offer: async (batches, promise, notes) => {
        const start = performance.now();
        const counts = await intake.offer(batches, promise, notes);
        if (this.#ackMs.length < ACKS_MAX) this.#ackMs.push(performance.now() - start);
        return counts;
      },
      lastId: (symbol) => intake.lastId(symbol),
      position: (key) => intake.position(key),
      batch: (id) => intake.batch(id),
      get gaps() {
        return intake.gaps;
      },
      get promise() {
        return intake.promise;
      },
    };
  }

  report(): Omit<IngestReport, 'lagMs' | 'isPaused' | 'waitsTotal' | 'shared'> {
    const ackMs = this.#ackMs;
    this.#ackMs = [];
    const { promise } = this.#tape.publisher;
    const counters = { ...this.#tape.counters };
    const daysMissing = this.#tape.manifest.missingFiles.length;
    const lastTrades = this.#newLastTrades();
    return { t: 'report', promise, counters, ackMs, lastTrades, daysMissing };
  }

  #newLastTrades(): [string, EpochNs][] {
    const found = new Map<string, EpochNs>();
    for (const { day, columns } of this.#tape.publisher.days) {
      for (const { symbol, count, segments } of columns) {
        const last = segments.at(-1);
        if (last === undefined) continue;
        const row = (count - 1) % last.ts.length;
        found.set(symbol, epochNs(day, last.ts[row]!));
      }
    }
    const fresh = [...found].filter(([symbol, at]) => this.#told.get(symbol) !== at);
    for (const [symbol, at] of fresh) this.#told.set(symbol, at);
    return fresh;
  }
}
