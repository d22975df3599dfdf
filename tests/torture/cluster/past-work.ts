/**
 * Customers who read the past of a cluster while things happen to it: pages of sealed days, each the same at every door as at the
 * first, and exports, each response from another door than the one before it, that end as the file that nobody disturbed.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../simulation/disk/sim-disk.ts';
import { type Cut, fetchExport, heldOf, type Wire } from '../export-client.ts';
import { type ExportedQuery, exportedQueries, pick } from '../export-queries.ts';

const INSTRUMENTS = ['BTC.c.0', 'ES.c.0'];
const QUERIES = 6;
const BETWEEN_MS = 250;
const DAYS = 1;
/** Not now: an account store that is away, a limit, a node that is behind. */
const LATER: readonly number[] = [409, 429, 503];

export interface PastWorkOptions {
  /** A door, any of those there are. */
  readonly wire: () => Wire;
  readonly random: Random;
}

export class PastWork implements AsyncDisposable {
  readonly problems: string[] = [];
  exports = 0;
  resumes = 0;
  refusals = 0;
  readonly #options: PastWorkOptions;
  readonly #queries: readonly ExportedQuery[];
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  private constructor(options: PastWorkOptions, queries: readonly ExportedQuery[]) {
    this.#options = options;
    this.#queries = queries;
    this.#done = this.#work();
  }

  /** Reads what nobody disturbs, and begins. */
  static async start(options: PastWorkOptions): Promise<PastWork> {
    const { random, wire } = options;
    const asked = { random, instruments: INSTRUMENTS, days: DAYS };
    return new PastWork(options, await exportedQueries(wire(), QUERIES, asked));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const query = pick(this.#options.random, this.#queries);
      const problem = await this.#export(query, signal);
      if (problem !== null)
        this.problems.push(`export ${JSON.stringify(query.fields)}: ${problem}`);
    }
  }

  async #export(query: ExportedQuery, signal: AbortSignal): Promise<string | null> {
    const held = heldOf(query.fields);
    let token: string | null = null;
    while (!held.isWhole && !signal.aborted) {
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
      const { random, wire } = this.#options;
      const fields = token === null ? query.fields : { resume: token, ...held.place };
      const cut: Cut =
        random() < 0.5 ? { t: 'none' } : { t: 'bytes', bytes: Math.ceil(random() * query.bytes) };
      const fetched = await fetchExport(wire(), fields, cut);
      if (fetched.t === 'unheard') continue;
      if (fetched.t === 'refused') {
        this.refusals += 1;
        if (LATER.includes(fetched.status)) continue;
        return `refused with ${fetched.status}: ${fetched.text}`;
      }
      if (token !== null) this.resumes += 1;
      token ??= fetched.token;
      held.add(fetched);
      if (fetched.isEnded && !held.isWhole) return 'a response ended before the end of the export';
    }
    if (!held.isWhole) return null;
    this.exports += 1;
    if (held.bytes.equals(query.file)) return null;
    return `the joined file is another one: ${held.bytes.length} bytes of ${query.file.length}`;
  }
}
