/**
 * A live source that others push trades to. A batch is acknowledged once its trades, its id and its digest are on disk
 * together, so a batch that is sent again, also after a crash, is never taken twice and never half. Of a refused batch
 * nothing is taken.
 */

import { createHash } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { HOUR_NS, MIB, MS_NS } from '@tapeloom/core/units';
import { dayOf, later } from '@tapeloom/core/utc-day';
import type { OffTickPrice, PushPosition, PushReceipt } from '@tapeloom/protocol/push';
import { PushRefusal } from '../../feeds/push/push-refusal.ts';
import type { PushRows } from '../../feeds/push/push-rows.ts';
import { readPush } from '../../feeds/push/read-push.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PushAnswer, PushRequest } from '../../platform/push-exchange.ts';
import { SerialQueue } from '../../platform/waiting/serial-queue.ts';
import { IntakeFullError } from '../../tape/tape-errors.ts';
import type { Intake, OfferCounts } from '../../tape/write/intake.ts';
import type { Market, TradeSource } from '../market.ts';
import { ListedContracts } from './listed-contracts.ts';
import { busy, conflict, stopped, stopping } from './push-answers.ts';
import { type PushWatermark, pushWatermark } from './push-watermark.ts';
import { pushGap, RecordedGaps } from './recorded-gaps.ts';

/** As far ahead of clock and watermark as the sequencer accepts a trade. */
const AHEAD_NS = BigInt(2 * HOUR_NS);
/** Bodies that may wait for the tape. A batch beyond it is refused, unless nothing else waits. */
const WAITING_BYTES_MAX = 64 * MIB;
/** Acknowledgements that are repeated as they were. */
const RECEIPTS_KEPT_MAX = 1_024;

export interface PushSourceOptions {
  readonly market: Pick<Market, 'dataset' | 'listing'>;
  readonly intake: Intake;
  readonly clock: Pick<Clock, 'now'>;
  readonly watermark?: PushWatermark;
  /** A batch was refused because of a price between two ticks: its contract counts as down. */
  readonly onOffTick: (price: OffTickPrice) => void;
  /** Trades of this contract are on disk again. Called for contracts that `onOffTick` named. */
  readonly onOnTick: (contract: string) => void;
}

interface Pending {
  readonly digest: string;
  readonly answer: Promise<PushAnswer>;
}

export class PushSource implements TradeSource {
  readonly #options: PushSourceOptions;
  readonly #watermark: PushWatermark;
  readonly #listed: ListedContracts;
  readonly #reading = new SerialQueue();
  readonly #pending = new Map<string, Pending>();
  readonly #receipts = new Map<string, PushReceipt>();
  readonly #lastTimes = new Map<string, { readonly id: number; readonly time: EpochNs }>();
  readonly #offTick = new Set<string>();
  readonly #failed = Promise.withResolvers<never>();
  #state: 'waiting' | 'running' | 'stopped' | 'failed' = 'waiting';
  #waitingBytes = 0;
  /** The newest offered watermark, which may not be on disk yet. */
  #offered: EpochNs | null;

  constructor(options: PushSourceOptions) {
    this.#options = options;
    this.#watermark = options.watermark ?? pushWatermark;
    this.#listed = new ListedContracts(options);
    this.#offered = options.intake.promise;
    this.#failed.promise.catch(() => undefined);
  }

  /** The watermark's distance from the clock. */
  get lagMs(): number {
    const { clock, intake } = this.#options;
    if (intake.promise === null) return 0;
    return Math.max(0, Number(clock.now() - intake.promise) / MS_NS);
  }

  /** Only the writer knows the venue's time. */
  requestWatermark(): void {}

  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#state = 'running';
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener('abort', stop);
    try {
      await Promise.race([stopped.promise, this.#failed.promise]);
    } finally {
      signal.removeEventListener('abort', stop);
      if (this.#state === 'running') this.#state = 'stopped';
    }
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
    requireUpTo(request, latest);
    const rows = await readPush(request, {
      latest,
      contract: (symbol, day) => this.#listed.find(symbol, day, watermark),
    });
    if (rows.count === 0 && request.upTo === null) {
      const message =
        'The batch has neither trades nor "upTo". Send trades, or the time before which nothing will follow.';
      throw new PushRefusal('INVALID_BATCH', { line: null, path: '', message });
    }
    const gaps = new RecordedGaps(intake.gaps, watermark);
    const batches = rows.batches(gaps.isEmpty ? null : (...trade) => gaps.has(...trade));
    const promise = this.#watermarkAfter(request, rows, latest);
    const note = { kind: 'batch', id: request.batchId, digest } as const;
    const offered = intake.offer(batches, promise, [note]);
    return { answer: this.#answer(request.batchId, rows, gaps, offered) };
  }

  /** A watermark that moves forward; null: it stays. */
  #watermarkAfter({ upTo }: PushRequest, rows: PushRows, latest: EpochNs): EpochNs | null {
    const wanted = this.#watermark.after({ upTo, newest: rows.newest() });
    if (wanted === null || wanted > latest) return null;
    if (this.#offered !== null && wanted <= this.#offered) return null;
    this.#offered = wanted;
    return wanted;
  }

  async #answer(
    batch: string,
    rows: PushRows,
    gaps: RecordedGaps,
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
        accepted: rows.count - gaps.count - duplicate - tooOld,
        late,
        duplicates: duplicate,
        tooOld,
        inGap: gaps.count,
      },
      gaps: gaps.touched.map(pushGap),
      watermark: textOf(this.#options.intake.promise),
    };
    this.#keep(receipt);
    for (const { symbol } of rows.contracts.list) {
      if (this.#offTick.delete(symbol)) this.#options.onOnTick(symbol);
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
      this.#options.onOffTick(offTick);
    }
    return { t: 'refused', code, detail: message, errors, ...(offTick && { offTick }) };
  }

  #offerFailed(error: unknown): PushAnswer {
    if (error instanceof IntakeFullError) {
      // Its watermark is not on its way any more.
      this.#offered = this.#options.intake.promise;
      return busy('Too many trades wait for the tape.');
    }
    if (this.#state === 'stopped') return stopping();
    this.#state = 'failed';
    this.#failed.reject(error);
    return stopped();
  }
}

/** Two requests are one batch when everything that decides about its trades is equal. */
function digestOf({ body, upTo, contentType, firstId }: PushRequest): string {
  const hash = createHash('sha256');
  hash.update(`${contentType} ${upTo} ${firstId}\n`);
  return hash.update(body).digest('hex');
}

function requireUpTo({ upTo }: PushRequest, latest: EpochNs): void {
  if (upTo === null || upTo <= latest) return;
  const message =
    `is ${upTo}, a time of tomorrow: it is more than two hours ahead of the service's clock and watermark. ` +
    'Check the clock of this machine and of the service, and that the time is in UTC.';
  throw new PushRefusal('INVALID_BATCH', { line: null, path: 'upTo', message });
}

function textOf(instant: EpochNs | null): string | null {
  return instant === null ? null : `${instant}`;
}
