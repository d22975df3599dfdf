/**
 * The live source of a composite dataset: it reads the tapes of its members in this process and hands the merged trades
 * to its own tape, one offer at a time. When the instruments change it starts anew and resumes from the tape.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS } from '@tapeloom/core/units';
import { dayOf } from '@tapeloom/core/utc-day';
import { sleep } from '../../platform/waiting/sleep.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { NotedOffer } from '../divided-offer.ts';
import type { NamedContract } from '../instruments/instruments-file.ts';
import type { FeedReport, SourceOptions, TradeSource } from '../market.ts';
import { CompositeFeed, type CompositeFeedOptions } from './composite-feed.ts';
import type { MemberTape } from './member-tape.ts';

const STEP_MS = 20;
/** Without trades, a watermark this often. */
const QUIET_NS = 200_000_000n;
/** While readers wait for a watermark. */
const REQUESTED_NS = 50_000_000n;
const FULL_MS = 50;

export interface CompositeSourceOptions
  extends Pick<SourceOptions, 'intake' | 'monotonicNs' | 'hoursOf'>,
    Pick<CompositeFeedOptions, 'memberHours' | 'leaveOutAfterMs' | 'rowsMax'> {
  readonly clock: Pick<SourceOptions['clock'], 'now' | 'after'>;
  readonly listed: () => readonly NamedContract[];
  /** By dataset; they come while the service starts. */
  readonly tapes: ReadonlyMap<string, MemberTape>;
}

export class CompositeSource implements TradeSource {
  readonly #options: CompositeSourceOptions;
  #feed: CompositeFeed | null = null;
  #contracts: readonly NamedContract[] = [];
  #isRelisted = false;
  #isRequested = false;
  #quietSince = 0n;
  #gapsClosed = 0;

  constructor(options: CompositeSourceOptions) {
    this.#options = options;
  }

  get lagMs(): number {
    const { clock, intake } = this.#options;
    if (intake.promise === null) return 0;
    return Math.max(0, Number(clock.now() - intake.promise) / MS_NS);
  }

  get feed(): FeedReport {
    const feed = this.#feed;
    return {
      state: feed?.state(this.#options.monotonicNs()) ?? 'stale',
      reconnects: 0,
      gapsOpen: feed?.openGaps ?? 0,
      gapsClosed: this.#gapsClosed + (feed?.closedGaps ?? 0),
      requestsLeft: null,
    };
  }

  requestWatermark(): void {
    this.#isRequested = true;
  }

  /** The instruments have changed. */
  relist(): void {
    this.#isRelisted = true;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, monotonicNs } = this.#options;
    while (!signal.aborted) {
      const feed = await this.#present();
      const offer = (await feed?.next(monotonicNs(), this.#isQuiet())) ?? null;
      if (offer === null) await sleep(clock, STEP_MS, signal);
      else await this.#offer(offer, signal);
    }
    await this.#end();
  }

  /** Null while the tape of a member is not open yet, and without composites. */
  async #present(): Promise<CompositeFeed | null> {
    const { tapes, intake } = this.#options;
    if (this.#isRelisted || this.#hasExpired()) await this.#end();
    this.#isRelisted = false;
    if (this.#feed !== null) return this.#feed;
    this.#contracts = this.#options.listed().filter((one) => !isOver(one, intake.promise));
    const datasets = new Set(
      this.#contracts.flatMap(({ members = [] }) => members.map(({ dataset }) => dataset)),
    );
    const own = new Map([...tapes].filter(([dataset]) => datasets.has(dataset)));
    if (own.size < datasets.size || own.size === 0) return null;
    this.#quietSince = this.#options.monotonicNs();
    const now = this.#quietSince;
    this.#feed = new CompositeFeed({
      ...this.#options,
      contracts: this.#contracts,
      tapes: own,
      now,
    });
    return this.#feed;
  }

  #hasExpired(): boolean {
    return this.#contracts.some((one) => isOver(one, this.#options.intake.promise));
  }

  async #end(): Promise<void> {
    this.#gapsClosed += this.#feed?.closedGaps ?? 0;
    await this.#feed?.close();
    this.#feed = null;
  }

  #isQuiet(): boolean {
    const now = this.#options.monotonicNs();
    const isQuiet = now - this.#quietSince < (this.#isRequested ? REQUESTED_NS : QUIET_NS);
    if (!isQuiet) {
      this.#quietSince = now;
      this.#isRequested = false;
    }
    return isQuiet;
  }

  async #offer({ batches, promise, notes }: NotedOffer, signal: AbortSignal): Promise<void> {
    const { intake, clock } = this.#options;
    while (!signal.aborted) {
      try {
        await intake.offer(batches, promise, notes);
        return;
      } catch (error) {
        if (!(error instanceof IntakeFullError)) throw error;
        await sleep(clock, FULL_MS, signal);
      }
    }
  }
}

/** A composite is on the list of its last day until that day is over. */
function isOver({ contract }: NamedContract, watermark: EpochNs | null): boolean {
  return watermark !== null && dayOf(contract.expiresAt) < dayOf(watermark);
}
