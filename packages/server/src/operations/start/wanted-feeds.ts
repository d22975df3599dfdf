/**
 * The feeds of a command line. Before a start it asks the venues for what the file of instruments lacks, until there is
 * something to serve; what is still missing then is added behind the running service. A venue that cannot be reached
 * is asked again for as long as the process runs; one that refuses is not.
 */

import type { FeedRequest } from '../../config/feed-options.ts';
import { readAppliedInstruments } from '../../markets/instruments/applied-instruments.ts';
import { contractsOf } from '../../markets/instruments/instruments-file.ts';
import { FaultsError } from '../../markets/instruments/reading.ts';
import { venueOf } from '../../markets/live/ask-venue.ts';
import { VenueError, type VenueKind } from '../../markets/live/venue-kind.ts';
import { SourceRefusedError } from '../../markets/market.ts';
import { type Backoff, retry } from '../../platform/waiting/retry.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { MisconfiguredError, StartRefusedError } from './start-refused-error.ts';
import { type FeedSurroundings, WantedFeed } from './wanted-feed.ts';

const WAIT_FIRST_MS = 1_000;
const WAIT_LAST_MS = 60_000;
const JITTER_SHARE = 0.2;
/** A lasting failure is reported again after so many attempts, which is about every half hour. */
const SAID_EVERY = 30;

export interface WantedFeedsOptions extends FeedSurroundings {
  readonly requests: readonly FeedRequest[];
  readonly kinds: readonly VenueKind[];
  readonly random: () => number;
  /** Whether the service has a market without these feeds. */
  readonly hasOther: boolean;
  readonly say: (line: string) => void;
}

export class WantedFeeds {
  readonly #options: WantedFeedsOptions;
  readonly #backoff: Backoff;
  readonly #writes = new SerialQueue();
  readonly #said = new Map<WantedFeed, { why: string; times: number }>();
  #pending: readonly WantedFeed[] = [];

  constructor(options: WantedFeedsOptions) {
    this.#options = options;
    const jitter = { share: JITTER_SHARE, random: options.random };
    this.#backoff = { firstMs: WAIT_FIRST_MS, lastMs: WAIT_LAST_MS, jitter };
  }

  /**
   * Resolves when there is something to serve, or after an abort. Rejects with a `StartRefusedError` if a venue or a
   * setting refuses.
   */
  async prepare(signal: AbortSignal): Promise<void> {
    const wanted = await this.#refusing(async () => {
      const feeds = this.#options.requests.map((request) => {
        return new WantedFeed(venueOf(this.#options.kinds, request.venue), request, this.#options);
      });
      for (const feed of feeds) await feed.look();
      return feeds;
    });
    this.#pending = wanted.filter(({ isComplete }) => !isComplete);
    if (this.#pending.length === 0) return;
    if (!(await this.#canServe())) await this.#first(signal);
    if (signal.aborted) return;
    await this.#refusing(async () => {
      for (const feed of this.#pending) await feed.found();
    });
  }

  /** Adds what is still missing; `reload` makes the running service read the file. Never rejects. */
  async complete(reload: () => Promise<void>, signal: AbortSignal): Promise<void> {
    await Promise.all(
      this.#pending.map(async (feed) => {
        try {
          await this.#again(() => this.#add(feed, signal), [feed], signal);
          if (!signal.aborted) await reload();
        } catch (error) {
          if (signal.aborted) return;
          const why = error instanceof Error ? error.message : String(error);
          this.#options.say(`${feed.kind.title}: ${sentence(why)} Nothing of it was added.`);
        }
      }),
    );
  }

  /** What an operator can correct refuses the start. */
  async #refusing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const options = { cause: error };
      if (error instanceof SourceRefusedError) throw new MisconfiguredError(error.message, options);
      if (error instanceof FaultsError) {
        const what = `${this.#options.data}/instruments.yaml cannot be used: ${error.message}`;
        throw new StartRefusedError(what, options);
      }
      if (!(error instanceof VenueError)) throw error;
      const Refused = error.isTemporary ? StartRefusedError : MisconfiguredError;
      throw new Refused(error.message, options);
    }
  }

  async #canServe(): Promise<boolean> {
    const { disk, data, hasOther } = this.#options;
    const applied = await readAppliedInstruments(disk, data);
    return hasOther || applied?.datasets.some((one) => contractsOf(one).length > 0) === true;
  }

  /** Until one of the feeds is there. */
  async #first(signal: AbortSignal): Promise<void> {
    const round = async () => {
      const all = this.#pending;
      const outcomes = await Promise.allSettled(all.map((feed) => this.#add(feed, signal)));
      if (signal.aborted) return;
      const errors = outcomes.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
      const lasting = errors.find((error) => !isPassing(error));
      if (lasting !== undefined) throw lasting;
      all.forEach((feed, at) => {
        const outcome = outcomes[at]!;
        if (outcome.status === 'rejected') this.#sayFailure(feed, outcome.reason);
      });
      this.#pending = all.filter(({ isComplete }) => !isComplete);
      if (errors.length === all.length) throw errors[0];
    };
    try {
      await this.#refusing(() => this.#again(round, [], signal));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #add(feed: WantedFeed, signal: AbortSignal): Promise<void> {
    const contracts = await feed.ask(signal);
    if (signal.aborted) return;
    const { added, notes } = await this.#writes.run(() => feed.write(contracts));
    const { say, data } = this.#options;
    if (added.length > 0) {
      say(`${feed.kind.title}: ${added.join(', ')} added to ${data}/instruments.yaml`);
    }
    for (const note of notes) say(`${feed.kind.title}: ${note}`);
  }

  async #again(
    work: () => Promise<void>,
    feeds: readonly WantedFeed[],
    signal: AbortSignal,
  ): Promise<void> {
    await retry(work, {
      clock: this.#options.clock,
      backoff: this.#backoff,
      signal,
      passes: (error) => {
        if (!isPassing(error)) return false;
        for (const feed of feeds) this.#sayFailure(feed, error);
        return true;
      },
    });
  }

  #sayFailure(feed: WantedFeed, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const said = this.#said.get(feed);
    const times = said?.why === why ? said.times + 1 : 0;
    this.#said.set(feed, { why, times });
    if (times % SAID_EVERY !== 0) return;
    this.#options.say(
      `${feed.kind.title}: ${sentence(why)} Retrying, with pauses of up to a minute.`,
    );
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof VenueError && error.isTemporary;
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
