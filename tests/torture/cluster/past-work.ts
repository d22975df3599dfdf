/**
 * Customers that read the past of a cluster during faults. Pages of sealed days must be the same at
 * every node. Exports, with each response from another node, must give the undisturbed file.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../simulation/disk/sim-disk.ts';
import { type Cut, type Fields, fetchExport, heldOf, type Wire } from '../export-client.ts';
import { type ExportedQuery, exportedQueries, pick, untilReadable } from '../export-queries.ts';
import { type Asked, readHistory } from './history-truth.ts';

const INSTRUMENTS = ['BTC.c.0', 'ES.c.0'];
const QUERIES = 6;
const BETWEEN_MS = 250;
const DAYS = 1;
const RANGES = 3;
const READ_WITHIN_MS = 20_000;
/** Retry later: the account database is unavailable, a limit is reached, or the node is behind. */
const LATER: readonly number[] = [409, 429, 503];

export interface PastWorkOptions {
  /** Selects the endpoint of a random node. */
  readonly wire: () => Wire;
  readonly random: Random;
}

/** A range and the digest of its pages, read before the first fault. */
interface ReadRange {
  readonly fields: Fields;
  readonly digest: string;
}

export class PastWork implements AsyncDisposable {
  readonly problems: string[] = [];
  exports = 0;
  resumes = 0;
  refusals = 0;
  reads = 0;
  readonly #options: PastWorkOptions;
  readonly #queries: readonly ExportedQuery[];
  readonly #ranges: readonly ReadRange[];
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  private constructor(
    options: PastWorkOptions,
    queries: readonly ExportedQuery[],
    ranges: readonly ReadRange[],
  ) {
    this.#options = options;
    this.#queries = queries;
    this.#ranges = ranges;
    this.#done = Promise.all([this.#export(), this.#read()]).then(() => undefined);
  }

  /** Reads the undisturbed pages and files, then starts. */
  static async start(options: PastWorkOptions): Promise<PastWork> {
    const { random, wire } = options;
    const asked = { random, instruments: INSTRUMENTS, days: DAYS };
    await untilReadable(wire(), INSTRUMENTS, DAYS);
    const queries = await exportedQueries(wire(), QUERIES, asked);
    const ranges: ReadRange[] = [];
    for (const query of queries.slice(0, RANGES)) {
      const { format, ...fields } = query.fields;
      const { digest } = await readHistory(asDoor(wire()), fields, READ_WITHIN_MS);
      ranges.push({ fields, digest });
    }
    return new PastWork(options, queries, ranges);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  /** Reads all pages of a range from a random node; without a response it tries another. */
  async #read(): Promise<void> {
    const { random, wire } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
      const { fields, digest } = pick(random, this.#ranges);
      const told = await readHistory(asDoor(wire()), fields, READ_WITHIN_MS).catch(() => null);
      if (told === null) continue;
      this.reads += 1;
      if (told.digest !== digest) this.problems.push(`other pages of ${JSON.stringify(fields)}`);
    }
  }

  async #export(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const query = pick(this.#options.random, this.#queries);
      const problem = await this.#exportOne(query, signal);
      if (problem !== null)
        this.problems.push(`export ${JSON.stringify(query.fields)}: ${problem}`);
    }
  }

  async #exportOne(query: ExportedQuery, signal: AbortSignal): Promise<string | null> {
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

function asDoor({ host = '127.0.0.1', port, key }: Wire): Asked {
  return { host, port, key };
}
