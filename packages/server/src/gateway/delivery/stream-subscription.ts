/**
 * One subscription of one connection: the shell around its delivery. It carries out what the delivery
 * orders, at the hub, the replays and the account's budget, and hands it what happens there. Whatever
 * answers after its end finds nothing to do, except that what was reserved is given back.
 */

import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Caller } from '../../accounts/auth/caller.ts';
import type { Charges } from '../../accounts/limits/charges.ts';
import { type ColdOpens, idleTopicsOf } from '../../accounts/limits/cold-opens.ts';
import { Block } from '../../blocks/block.ts';
import type { Clock } from '../../platform/clock.ts';
import { type RefusalReason, reasonOf } from '../../platform/refusal.ts';
import type { Replay, ReplayPage, Replays } from '../../runs/replay.ts';
import type { Attachment } from '../../topics/attachment.ts';
import { Flush } from '../../topics/flush.ts';
import type { RingPiece } from '../../topics/ring.ts';
import type { Refusal, Subscriber } from '../../topics/topic.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';
import { Delivery } from './delivery.ts';
import type { DeliveryAction, DeliveryEvent, DeliveryReplay } from './delivery-events.ts';
import type { PagesAhead, Puller, PullTurns } from './pull-turns.ts';
import { replyTo, type StartRefusal, type StreamTimes } from './start-verdict.ts';
import type { StreamRequest } from './stream-request.ts';

/** A piece of the ring has about so many bytes. */
const PIECE_BYTES = 65_536;
/** A page is written once: one encoding is kept while that lasts. */
const PAGE_NAMES_MAX = 1;

export interface SubscriptionServices {
  readonly hub: TopicHub;
  readonly replays: Replays;
  readonly charges: Pick<Charges, 'reserve' | 'settle' | 'giveBack'>;
  readonly coldOpens: ColdOpens;
  /** The service's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time. */
  readonly timers: Pick<Clock, 'after'>;
  /** Whether others are known to have more of the tape; left out where nobody else has it. */
  readonly isBehind?: () => boolean;
  readonly onFault: (error: unknown) => void;
}

/** The connection's side of a subscription. */
export interface SubscriptionOwner {
  readonly turns: PullTurns;
  readonly pagesAhead: PagesAhead;
  /** Who pays. */
  readonly caller: Caller | null;
  write(sub: string, mode: StreamMode, flush: Flush): void;
  send(message: ServerMessage): void;
  /** The client knows of it. */
  begun(subscription: StreamSubscription): void;
  /** Nothing of this client can be judged here now. */
  sendAway(): void;
  /** It has ended by itself. */
  failed(subscription: StreamSubscription, reply: StartRefusal): void;
}

export class StreamSubscription implements Subscriber, Puller {
  readonly sub: string;
  readonly account: string;
  /** Unique among all subscriptions of all processes that share accounts. */
  readonly #id: string;
  readonly #request: StreamRequest;
  readonly #services: SubscriptionServices;
  readonly #owner: SubscriptionOwner;
  readonly #delivery: Delivery;
  #attachment: Attachment | null = null;
  #waiting: Disposable | null = null;
  #replay: Promise<Replay> | null = null;
  #replays = 0;
  /** It had a topic once: whatever brings it to another one is ours to pay. */
  #wasAttached = false;
  #isOver = false;

  constructor(
    id: string,
    request: StreamRequest,
    services: SubscriptionServices,
    owner: SubscriptionOwner,
  ) {
    this.sub = request.message.sub;
    this.account = owner.caller?.accountId ?? '';
    this.#id = id;
    this.#request = request;
    this.#services = services;
    this.#owner = owner;
    this.#delivery = new Delivery(request.start, request.spec.contract, request.mode, {
      ...request.rules,
      // Plans change while it runs.
      historyFrom: (now) => owner.caller?.entitlements.historyFrom(now) ?? null,
    });
  }

  get mode(): StreamMode {
    return this.#request.mode;
  }

  get depth(): number {
    return this.#request.depth;
  }

  get idleTopicsMax(): number {
    return this.#owner.caller === null ? 0 : idleTopicsOf(this.#owner.caller);
  }

  refuseOpen(): Refusal | null {
    const { caller } = this.#owner;
    if (caller === null || this.#request.isMoved || this.#wasAttached) return null;
    return this.#services.coldOpens.take(caller);
  }

  /** Where the client could resume: the position of the last flush, page or piece it was given. */
  get cursor(): string | null {
    return this.#delivery.cursorAt(this.#attachment?.topic.position ?? null);
  }

  /** Whether it follows its topic: what there was before is sent. */
  get isLive(): boolean {
    return this.#delivery.isLive;
  }

  /** Whether it is being caught up from history at a price. */
  get isCharged(): boolean {
    return this.#delivery.isCharged;
  }

  begin(): void {
    this.#step({ t: 'begin' });
  }

  /** Nothing of it follows. */
  end(): void {
    if (this.#isOver) return;
    this.#step({ t: 'end' });
    this.#leave();
  }

  turn(): void {
    this.#step({ t: 'turn' });
  }

  shows(day: UtcDay): boolean {
    const { rules, spec } = this.#request;
    return rules.contractOn(day) === spec.contract;
  }

  ready(): void {
    this.#step({ t: 'ready' });
  }

  snapshot(snapshot: Flush): void {
    this.flush(snapshot);
    this.#step({ t: 'snapshot' });
  }

  flush(flush: Flush): void {
    this.#owner.write(this.sub, this.mode, flush);
  }

  status(state: StreamState, lagMs: number, partialSince: EpochNs | null): void {
    this.#step({ t: 'status', state, lagMs, partialSince });
  }

  outdated(): void {
    this.#attachment = null;
    this.#step({ t: 'outdated' });
  }

  ended(code: ErrorCode, message: string): void {
    this.#fail({ code, message });
  }

  #step(event: DeliveryEvent): void {
    for (const action of this.#delivery.step(event, this.#times())) this.#run(action);
  }

  #times(): StreamTimes {
    const { hub, clock, isBehind } = this.#services;
    const { delaySeconds } = this.#request.spec;
    const now = clock.now();
    const allowed = (now - BigInt(delaySeconds) * SECOND_NS_BIG) as typeof now;
    return {
      now,
      tape: hub.tapeTime ?? now,
      visible: hub.tapeTimeOf(delaySeconds) ?? allowed,
      allowed,
      isBehind: isBehind?.() ?? false,
    };
  }

  #run(action: DeliveryAction): void {
    switch (action.t) {
      case 'locate':
        this.#locate(action.cursor);
        return;
      case 'wait':
        this.#waiting = this.#services.timers.after(action.ms, () => this.#step({ t: 'waited' }));
        return;
      case 'attach':
        this.#attach(action.since);
        return;
      case 'send-reset':
        this.#owner.send({ t: 'reset', sub: this.sub, reason: action.reason });
        return;
      case 'send-subscribed':
        this.#sendSubscribed(action.topic);
        return;
      case 'send-status':
        this.#owner.send({ ...action, t: 'status', sub: this.sub });
        return;
      case 'want-turn':
        this.#owner.turns.want(this);
        return;
      case 'end-turn':
        this.#owner.turns.end(this);
        return;
      case 'request-snapshot':
        this.#attachment?.requestSnapshot();
        return;
      case 'pull-ring':
        this.#step({
          t: 'piece',
          piece: this.#attachment?.pull(action.after, PIECE_BYTES) ?? null,
        });
        return;
      case 'write-piece':
        this.#writePiece(action.piece);
        return;
      case 'fail':
        this.#fail(action.reply);
        return;
      case 'send-away':
        this.#owner.sendAway();
        return;
      default:
        this.#runReplay(action);
    }
  }

  #runReplay(
    action: Exclude<DeliveryAction, { t: 'locate' | 'wait' | 'attach' | 'fail' | 'send-away' }>,
  ): void {
    const { charges, onFault } = this.#services;
    switch (action.t) {
      case 'open-replay':
        this.#openReplay(action.replay);
        return;
      case 'next-page':
        this.#owner.pagesAhead.take(this, () => this.#nextPage(action.until));
        return;
      case 'close-replay':
        this.#closeReplay();
        return;
      case 'reserve':
        this.#reserve(action.page, action.trades);
        return;
      case 'settle':
        charges.settle(this.#chargeId(action.page), this.#unitsOf(action.trades)).catch(onFault);
        return;
      case 'void':
        charges.giveBack(this.#chargeId(action.page)).catch(onFault);
        return;
      case 'write-page':
        this.#owner.pagesAhead.free(this);
        this.#writePage(action.page);
        return;
      default:
    }
  }

  #locate(cursor: string): void {
    const { contract, delaySeconds } = this.#request.spec;
    // Without a delay there is nothing on the tape that may not be seen.
    const seenUntil = delaySeconds === 0 ? null : this.#times().allowed;
    this.#services.replays.locate(contract, cursor, seenUntil).then(
      (place) => this.#step({ t: 'located', place }),
      (error: unknown) => this.#fault(error),
    );
  }

  #attach(since: string | null): void {
    const attachment = this.#services.hub.attach(this.#request.spec, this, since);
    if ('code' in attachment) {
      this.#fail(attachment);
      return;
    }
    this.#attachment = attachment;
    this.#wasAttached = true;
    const { key, state, lagMs, partialSince } = attachment.topic;
    const ready = attachment.isReady;
    this.#step({ t: 'attached', topic: { key, state, lagMs, partialSince, ready } });
  }

  #sendSubscribed(topic: string): void {
    const { message, spec, tickSizeNanos } = this.#request;
    const { contract } = spec;
    const { instrument } = message;
    this.#owner.send({
      t: 'subscribed',
      sub: this.sub,
      topic,
      instrument,
      contract,
      tickSizeNanos,
    });
    this.#owner.begun(this);
  }

  #writePiece({ flushes }: RingPiece): void {
    for (const flush of flushes) this.flush(flush);
  }

  #writePage({ blocks }: ReplayPage): void {
    for (const block of blocks) this.flush(new Flush(new Block(block), PAGE_NAMES_MAX));
  }

  #openReplay({ from, until, chargedBefore }: DeliveryReplay): void {
    const { contract, indicator, params } = this.#request.spec;
    const { mode, depth } = this;
    this.#replays += 1;
    this.#replay = this.#services.replays.open({
      account: this.#owner.caller?.accountId,
      contract,
      indicator,
      params,
      from: 'cursor' in from ? { t: 'after', ...from } : { t: 'at', ...from, depth, mode },
      until,
      chargedBefore,
    });
    // Whoever asks for its first page is told.
    this.#replay.catch(() => {});
  }

  #nextPage(until: Extract<DeliveryAction, { t: 'next-page' }>['until']): void {
    const opening = this.#replay;
    if (opening === null) return;
    const answer = (event: DeliveryEvent) => {
      if (this.#replay === opening) this.#step(event);
    };
    opening
      .then((replay) => replay.next(until))
      .then(
        (page) => answer({ t: 'page', page }),
        (error: unknown) => answer({ t: 'replay-failed', why: this.#reasonOf(error) }),
      );
  }

  #reasonOf(error: unknown): RefusalReason {
    const reason = reasonOf(error);
    if (reason.t === 'failed' || reason.t === 'day-damaged') this.#services.onFault(error);
    return reason;
  }

  #closeReplay(): void {
    this.#owner.pagesAhead.free(this);
    const closing = this.#replay;
    this.#replay = null;
    closing?.then((replay) => replay[Symbol.asyncDispose]()).catch(() => {});
  }

  #reserve(page: number, trades: number): void {
    const { charges } = this.#services;
    const { caller } = this.#owner;
    // Without a caller nothing was begun.
    if (caller === null) return;
    charges.reserve('replay', this.#chargeId(page), caller, this.#unitsOf(trades)).then(
      () => this.#step({ t: 'reserved', refusal: null }),
      (error: unknown) => {
        const reason = reasonOf(error);
        if (reason.t === 'failed') this.#fault(error);
        else this.#step({ t: 'reserved', refusal: replyTo(reason) });
      },
    );
  }

  #chargeId(page: number): string {
    return `${this.#id}.${this.#replays}.${page}`;
  }

  #unitsOf(trades: number): number {
    return trades * this.#request.unitsPerTrade;
  }

  #fault(error: unknown): void {
    this.#services.onFault(error);
    this.#step({ t: 'fault' });
  }

  #fail(reply: StartRefusal): void {
    if (this.#isOver) return;
    this.end();
    this.#owner.failed(this, reply);
  }

  #leave(): void {
    this.#isOver = true;
    this.#waiting?.[Symbol.dispose]();
    this.#attachment?.detach();
    this.#attachment = null;
    this.#owner.turns.leave(this);
  }
}
