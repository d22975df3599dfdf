/**
 * Reads the same sealed days repeatedly while the service is killed and its result cache damaged:
 * every response equals the first one, byte for byte.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { Fields, Wire } from './export-client.ts';

const BETWEEN_MS = 60;
const DAY_NS = 86_400_000_000_000n;
const DAYS = 2;
/** Retry later: days are still being filled, a limit is reached, or the service just started. */
const LATER: readonly number[] = [402, 409, 429, 503];

const STUDIES: readonly (readonly [string, object])[] = [
  ['bars', { bar: 'tick', size: 10 }],
  ['footprint', {}],
  ['delta', {}],
  ['volume-profile', {}],
];

export class PastReader implements AsyncDisposable {
  readonly problems: string[] = [];
  reads = 0;
  readonly #wire: Wire;
  readonly #queries: readonly Fields[];
  readonly #first = new Map<Fields, string>();
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  /** Starts at once. `now` is the service's time. */
  constructor(wire: Wire, instrument: string, now: bigint) {
    this.#wire = wire;
    const midnight = now - (now % DAY_NS);
    this.#queries = STUDIES.flatMap(([indicator, params]) =>
      Array.from({ length: DAYS }, (_, back) => ({
        instrument,
        indicator,
        params: JSON.stringify(params),
        from: String(midnight - DAY_NS * BigInt(back + 1)),
        to: String(midnight - DAY_NS * BigInt(back)),
      })),
    );
    this.#done = this.#work();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    for (let turn = 0; !signal.aborted; turn += 1) {
      await this.#read(this.#queries[turn % this.#queries.length]!);
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #read(fields: Fields): Promise<void> {
    const { port, key } = this.#wire;
    const url = `http://127.0.0.1:${port}/v1/history?${new URLSearchParams(fields)}`;
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(url, { headers })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      // The service was killed, or is not up yet.
      .catch(() => null);
    if (answer === null || LATER.includes(answer.status)) return;
    const first = this.#first.getOrInsert(fields, answer.text);
    this.reads += 1;
    if (answer.status === 200 && answer.text === first) return;
    this.problems.push(
      `${JSON.stringify(fields)}: ${answer.status}, ${answer.text.length} bytes and not the ${first.length} of the first answer`,
    );
  }
}
