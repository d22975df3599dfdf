/**
 * A subscription's replays, one at a time: opened, read page by page, closed. Each charged page is reserved, then
 * settled or given back, under its own id. Results of a replay that was closed meanwhile are dropped.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Charges } from '../../accounts/limits/charges.ts';
import { type RefusalReason, reasonOf } from '../../platform/refusal.ts';
import type { Replay, Replays } from '../../runs/replay.ts';
import type { DeliveryEvent, DeliveryReplay } from './delivery-events.ts';
import { replyTo } from './start-verdict.ts';
import type { StreamRequest } from './stream-request.ts';

/** The part of a request that its replays depend on. */
type ReplayedStream = Pick<StreamRequest, 'spec' | 'mode' | 'depth' | 'unitsPerTrade'>;

export interface ReplayServices {
  readonly replays: Replays;
  readonly charges: Pick<Charges, 'reserve' | 'settle' | 'giveBack'>;
  readonly onFault: (error: unknown) => void;
}

/** Receives the results. */
export interface ReplayReader {
  /** The account that is charged. */
  readonly caller: Caller | null;
  step(event: DeliveryEvent): void;
  fault(error: unknown): void;
}

export class SubscriptionReplay {
  /** Unique among all subscriptions of all processes that share accounts. */
  readonly #id: string;
  readonly #stream: ReplayedStream;
  readonly #services: ReplayServices;
  readonly #reader: ReplayReader;
  #replay: Promise<Replay> | null = null;
  #opened = 0;

  constructor(id: string, stream: ReplayedStream, services: ReplayServices, reader: ReplayReader) {
    this.#id = id;
    this.#stream = stream;
    this.#services = services;
    this.#reader = reader;
  }

  get isClosed(): boolean {
    return this.#replay === null;
  }

  open({ from, until, chargedBefore }: DeliveryReplay): void {
    const { spec, depth, mode } = this.#stream;
    const { contract, indicator, params } = spec;
    this.#opened += 1;
    this.#replay = this.#services.replays.open({
      account: this.#reader.caller?.accountId,
      contract,
      indicator,
      params,
      from: 'cursor' in from ? { t: 'after', ...from } : { t: 'at', ...from, depth, mode },
      until,
      chargedBefore,
    });
    // A failure is reported to the reader of the first page.
    this.#replay.catch(() => {});
  }

  /** May be called before the replay is open: the first page follows its opening. */
  next(until: EpochNs): void {
    const opening = this.#replay;
    if (opening === null) return;
    const answer = (event: DeliveryEvent) => {
      if (this.#replay === opening) this.#reader.step(event);
    };
    opening
      .then((replay) => replay.next(until))
      .then(
        (page) => answer({ t: 'page', page }),
        (error: unknown) => answer({ t: 'replay-failed', why: this.#reasonOf(error) }),
      );
  }

  close(): void {
    const closing = this.#replay;
    this.#replay = null;
    closing?.then((replay) => replay[Symbol.asyncDispose]()).catch(() => {});
  }

  reserve(page: number, trades: number): void {
    const { caller } = this.#reader;
    // Without a caller nothing was begun.
    if (caller === null) return;
    const { charges } = this.#services;
    charges.reserve('replay', this.#chargeId(page), caller, this.#unitsOf(trades)).then(
      () => this.#reader.step({ t: 'reserved', refusal: null }),
      (error: unknown) => {
        const reason = reasonOf(error);
        if (reason.t === 'failed') this.#reader.fault(error);
        else this.#reader.step({ t: 'reserved', refusal: replyTo(reason) });
      },
    );
  }

  settle(page: number, trades: number): void {
    const { charges, onFault } = this.#services;
    charges.settle(this.#chargeId(page), this.#unitsOf(trades)).catch(onFault);
  }

  giveBack(page: number): void {
    const { charges, onFault } = this.#services;
    charges.giveBack(this.#chargeId(page)).catch(onFault);
  }

  #reasonOf(error: unknown): RefusalReason {
    const reason = reasonOf(error);
    if (reason.t === 'failed' || reason.t === 'day-damaged') this.#services.onFault(error);
    return reason;
  }

  #chargeId(page: number): string {
    return `${this.#id}.${this.#opened}.${page}`;
  }

  #unitsOf(trades: number): number {
    return trades * this.#stream.unitsPerTrade;
  }
}
