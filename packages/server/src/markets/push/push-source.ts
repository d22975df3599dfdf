/**
 * A live source that others push trades to. A batch is acknowledged once its trades, its id and its digest are on disk
 * together, so a batch that is sent again, also after a crash, is never taken twice and never half. Of a refused batch
 * nothing is taken.
 */

import { createHash } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS, MIB, MS_NS } from '@tapeloom/core/units';
import { dayOf, later } from '@tapeloom/core/utc-day';
import type { OffTickPrice, PushGap, PushPosition, PushReceipt } from '@tapeloom/protocol/push';
import { PushRefusal } from '../../feeds/push/push-refusal.ts';
import type { IsLeftOut, PushRows } from '../../feeds/push/push-rows.ts';
import { readPush } from '../../feeds/push/read-push.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { TapeGap } from '../../tape/tape-gap.ts';
import type { Intake, IntakeBatch, OfferCounts } from '../../tape/write/intake.ts';
import type { TapeNote } from '../../tape/write/tape-note.ts';
import type { FeedReport, Market, PushedTrades, TradeSource } from '../market.ts';
import { ListedContracts } from './listed-contracts.ts';
import { busy, conflict, stopped, stopping } from './push-answers.ts';
import { LeftOut, type NextOffer, PushFeed, type PushFeedOptions } from './push-feed.ts';

/** As far ahead of clock and watermark as the sequencer accepts a trade. */
const AHEAD_NS = BigInt(2 * HOUR_NS);
/** Bodies that may wait for the tape. A batch beyond it is refused, unless nothing else waits. */
const WAITING_BYTES_MAX = 64 * MIB;
/** Of one offer; the tape takes at most 1,024. */
const NOTES_MAX = 1_000;
/** Beyond it a writer may report none, so that the day has room for those of outages. */
const REPORTED_GAPS_MAX = 8_192;
const TICK_MS = 1_000;
/** Acknowledgements that are repeated as they were. */
const RECEIPTS_KEPT_MAX = 1_024;

export interface PushSourceOptions {
  readonly market: Pick<Market, 'dataset' | 'listing'>;
  readonly intake: Intake;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly monotonicNs: () => bigint;
  readonly feed: PushFeedOptions['feed'];
  readonly hoursOf: PushFeedOptions['hoursOf'];
  /** A batch was refused because of this price; or (null) trades of the contract are on disk again. */
  readonly onOffTick: (contract: string, price: OffTickPrice | null) => void;
}

interface Pending {
  readonly digest: string;
  readonly answer: Promise<PushAnswer>;
}

export class PushSource implements TradeSource {
  readonly #options: PushSourceOptions;
  readonly #feed: PushFeed;
  readonly #listed: ListedContracts;
  readonly #reading = new SerialQueue();
  readonly #pending = new Map<string, Pending>();
  readonly #receipts = new Map<string, PushReceipt>();
  readonly #lastTimes = new Map<string, { readonly id: number; readonly time: EpochNs }>();
  readonly #offTick = new Set<string>();
  readonly #failed = Promise.withResolvers<never>();
  #state: 'waiting' | 'running' | 'stopped' | 'failed' = 'waiting';
  #waitingBytes = 0;

  constructor(options: PushSourceOptions) {
    this.#options = options;
    this.#listed = new ListedContracts(options);
    this.#feed = new PushFeed({ ...options, contracts: () => this.#contracts() });
    this.#failed.promise.catch(() => undefined);
  }

  readonly pushed: PushedTrades = this;

  /** The watermark's distance from the clock. */
  get lagMs(): number {
    const { clock, intake } = this.#options;
    if (intake.promise === null) return 0;
    return Math.max(0, Number(clock.now() - intake.promise) / MS_NS);
  }

  get feed(): FeedReport {
    const { state, openGaps, closedGaps } = this.#feed;
    const gaps = { gapsOpen: openGaps, gapsClosed: closedGaps };
    return { state, reconnects: this.#feed.returns, ...gaps, requestsLeft: null };
  }

  /** Only the writer knows the venue's time. */
  requestWatermark(): void {}

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#state = 'running';
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener('abort', stop);
    const ticking = this.#options.clock.every(TICK_MS, () => {
      void this.#reading.run(() => this.#tick());
    });
    try {
      await Promise.race([stopped.promise, this.#failed.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
      ticking[Symbol.dispose]();
      if (this.#state === 'running') this.#state = 'stopped';
    }
    await Promise.allSettled([...this.#pending.values()].map(({ answer }) => answer));
  }

  /** Resolves when everything that was begun is on disk, or failed. */
  async settled(): Promise<void> {
    await this.#reading.idle;
    await Promise.allSettled([...this.#pending.values()].map(({ answer }) => answer));
  }

  /** Rejects only for a fault of the service's own. The body must not change until the answer. */
  push(request: PushRequest): Promise<PushAnswer> {
    const digest = digestOf(request);
    const { batchId } = request;
    const pending = this.#pending.get(batchId);
    if (pending !== undefined) {
      return pending.digest === digest ? pending.answer : Promise.resolve(conflict(batchId));
    }
    const known = this.#options.intake.batch(batchId);
    if (known !== null) {
      return Promise.resolve(known === digest ? this.#repeated(batchId) : conflict(batchId));
    }
    const refusal = this.#notNow(request.body.length);
    if (refusal !== null) return Promise.resolve(refusal);
    this.#waitingBytes += request.body.length;
    const answer = this.#take(request, digest).finally(() => {
      this.#waitingBytes -= request.body.length;
      this.#pending.delete(batchId);
    });
    this.#pending.set(batchId, { digest, answer });
    return answer;
  }

  position(): PushPosition {
    const { market, intake, clock } = this.#options;
    const contracts = market
      .listing(dayOf(this.#now(clock)))
      .contracts.map(({ symbol }) => ({ contract: symbol, lastId: intake.lastId(symbol) }))
      .filter(({ lastId }) => lastId >= 0)
      .map(({ contract, lastId }) => {
        const last = this.#lastTimes.get(contract);
        return { contract, lastId, lastTime: last?.id === lastId ? `${last.time}` : null };
      });
    return {
      dataset: market.dataset,
      watermark: textOf(intake.promise),
      contracts,
      gaps: intake.gaps.map(pushGap),
    };
  }

  #now(clock: Pick<Clock, 'now'>): EpochNs {
    const { promise } = this.#options.intake;
    return promise === null ? clock.now() : later(clock.now(), promise);
  }

  async #take(request: PushRequest, digest: string): Promise<PushAnswer> {
    try {
      // Batches are read and offered one after another. Their commits overlap.
      const { answer } = await this.#reading.run(() => this.#offer(request, digest));
      return await answer;
    } catch (error) {
      if (error instanceof PushRefusal) return this.#refused(error);
      throw error;
    }
  }

  async #offer(
    request: PushRequest,
    digest: string,
  ): Promise<{ readonly answer: Promise<PushAnswer> }> {
    const { clock, intake } = this.#options;
    const watermark = intake.promise;
    const latest = (this.#now(clock) + AHEAD_NS) as EpochNs;
    requireInReach(request, latest);
    const rows = await readPush(request, {
      latest,
      contract: (symbol, day) => this.#listed.find(symbol, day, watermark),
    });
    if (rows.count === 0 && request.upTo === null && request.missingBefore === null) {
      const message =
        'The batch has neither trades nor "upTo". Send trades, or the time before which nothing will follow.';
      throw new PushRefusal('INVALID_BATCH', { line: null, path: '', message });
    }
    if (request.missingBefore !== null) {
      if (intake.gaps.length > REPORTED_GAPS_MAX) throw tooManyGaps();
      this.#feed.lose(request.missingBefore);
    }
    const leftOut = new LeftOut();
    const isLeftOut: IsLeftOut = (contract, day, ns, id) => {
      if (this.#feed.admits(contract, day, ns, id)) return false;
      leftOut.add(contract, day, ns);
      return true;
    };
    const mayLack = this.#feed.hasGaps(rows.contracts.list.map(({ symbol }) => symbol));
    const batches = rows.batches(mayLack ? isLeftOut : null);
    this.#feed.heard({
      upTo: request.upTo,
      oldest: rows.oldest(),
      newest: rows.newest(),
      lastTrades: rows.lastTrades(),
    });
    const note = { kind: 'batch', id: request.batchId, digest } as const;
    const offered = this.#offerNext(this.#feed.next(), batches, [note]);
    return { answer: this.#answer(request.batchId, rows, leftOut, offered) };
  }

  /** Offers trades with what is new of the feed. If the tape has no room, the feed keeps its part. */
  async #offerNext(
    next: NextOffer | null,
    batches: readonly IntakeBatch[],
    own: readonly TapeNote[],
  ): Promise<OfferCounts> {
    const { intake } = this.#options;
    const { promise, notes } = next ?? { promise: null, notes: [] };
    try {
      const split = Math.max(0, notes.length + own.length - NOTES_MAX);
      const before: Promise<unknown>[] = [];
      for (let from = 0; from < split; from += NOTES_MAX) {
        before.push(intake.offer([], null, notes.slice(from, Math.min(split, from + NOTES_MAX))));
      }
      const last = intake.offer(batches, promise, [...notes.slice(split), ...own]);
      const [counts] = await Promise.all([last, ...before]);
      return counts;
    } catch (error) {
      if (error instanceof IntakeFullError && next !== null) this.#feed.giveBack(next);
      throw error;
    }
  }

  /** Also while no batch comes, time passes: an outage is noticed, and a gap grows. */
  async #tick(): Promise<void> {
    const next = this.#feed.nextInSilence();
    if (next === null) return;
    try {
      await this.#offerNext(next, [], []);
    } catch (error) {
      if (error instanceof IntakeFullError || this.#state !== 'running') return;
      this.#state = 'failed';
      this.#failed.reject(error);
    }
  }

  #contracts(): readonly string[] {
    const { market, clock, intake } = this.#options;
    const today = dayOf(this.#now(clock));
    const day = intake.promise === null ? today : dayOf(intake.promise);
    return market
      .listing(today)
      .streamedOn(day)
      .map(({ symbol }) => symbol);
  }

  async #answer(
    batch: string,
    rows: PushRows,
    leftOut: LeftOut,
    offered: Promise<OfferCounts>,
  ): Promise<PushAnswer> {
    let outcome: OfferCounts;
    try {
      outcome = await offered;
    } catch (error) {
      return this.#offerFailed(error);
    }
    const { duplicate, tooOld, late, rejected } = outcome;
    if (rejected > 0) {
      // The reader has checked what the sequencer checks, so this is a fault of ours.
      throw new Error(`the tape has rejected ${rejected} trades of batch ${batch}`);
    }
    const receipt: PushReceipt = {
      batch,
      repeated: false,
      counts: {
        trades: rows.count,
        accepted: rows.count - leftOut.count - duplicate - tooOld,
        late,
        duplicates: duplicate,
        tooOld,
        inGap: leftOut.count,
      },
      gaps: leftOut.gapsOf(this.#options.intake.gaps).map(pushGap),
      watermark: textOf(this.#options.intake.promise),
    };
    this.#keep(receipt);
    for (const { symbol } of rows.contracts.list) {
      if (this.#offTick.delete(symbol)) this.#options.onOffTick(symbol, null);
    }
    for (const last of rows.lastTrades()) {
      const known = this.#lastTimes.get(last.symbol);
      if (known === undefined || known.id < last.id) this.#lastTimes.set(last.symbol, last);
    }
    return { t: 'acknowledged', receipt };
  }

  #keep(receipt: PushReceipt): void {
    this.#receipts.set(receipt.batch, receipt);
    if (this.#receipts.size <= RECEIPTS_KEPT_MAX) return;
    const [oldest] = this.#receipts.keys();
    this.#receipts.delete(oldest!);
  }

  #repeated(batch: string): PushAnswer {
    const watermark = textOf(this.#options.intake.promise);
    const first = this.#receipts.get(batch) ?? { batch, counts: null, gaps: [] };
    return { t: 'acknowledged', receipt: { ...first, repeated: true, watermark } };
  }

  #notNow(bytes: number): PushAnswer | null {
    if (this.#state === 'failed') return stopped();
    if (this.#state !== 'running') return stopping();
    if (this.#waitingBytes === 0 || this.#waitingBytes + bytes <= WAITING_BYTES_MAX) return null;
    return busy(`More than ${WAITING_BYTES_MAX} bytes of batches wait for the disk.`);
  }

  #refused({ code, message, errors, offTick }: PushRefusal): PushAnswer {
    if (offTick !== null) {
      this.#offTick.add(offTick.contract);
      this.#options.onOffTick(offTick.contract, offTick);
    }
    return { t: 'refused', code, detail: message, errors, ...(offTick && { offTick }) };
  }

  #offerFailed(error: unknown): PushAnswer {
    if (error instanceof IntakeFullError) {
      return busy('Too many trades wait for the tape.');
    }
    if (this.#state === 'stopped') return stopping();
    this.#state = 'failed';
    this.#failed.reject(error);
    return stopped();
  }
}

/** Two requests are one batch when everything that decides about its trades is equal. */
function digestOf({ body, upTo, missingBefore, contentType, firstId }: PushRequest): string {
  const hash = createHash('sha256');
  hash.update(`${contentType} ${upTo} ${missingBefore} ${firstId}\n`);
  return hash.update(body).digest('hex');
}

function requireInReach(request: PushRequest, latest: EpochNs): void {
  for (const path of ['upTo', 'missingBefore'] as const) {
    const at = request[path];
    if (at === null || at <= latest) continue;
    const message =
      `is ${at}, a time of tomorrow: it is more than two hours ahead of the service's clock and watermark. ` +
      'Check the clock of this machine and of the service, and that the time is in UTC.';
    throw new PushRefusal('INVALID_BATCH', { line: null, path, message });
  }
}

function tooManyGaps(): PushRefusal {
  return new PushRefusal('INVALID_BATCH', {
    line: null,
    path: 'missingBefore',
    message: `cannot be used: the day has more than ${REPORTED_GAPS_MAX} gaps.`,
  });
}

function pushGap({ symbol, from, to, firstId, lastId, reason }: TapeGap): PushGap {
  return { contract: symbol, from: `${from}`, to: to && `${to}`, firstId, lastId, reason };
}

function textOf(instant: EpochNs | null): string | null {
  return instant === null ? null : `${instant}`;
}
