/**
 * One subscription of one connection: the shell around its delivery. It carries out the delivery's actions on the hub,
 * the replays and the account's budget, and passes their events back. It owns its topic, its replay, its timer, its
 * send permit and its slot for a page, and gives all of them back when it ends. An action may end it: of the actions
 * that follow, only those that settle a reservation or give it back are carried out.
 */

import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { SECOND_NS_BIG } from '@tapeloom/core/units';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ErrorCode } from '@tapeloom/protocol/error-codes';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { Caller } from '../../accounts/auth/caller.ts';
import { type ColdOpens, idleTopicsOf } from '../../accounts/limits/cold-opens.ts';
import { Block } from '../../blocks/block.ts';
import type { Clock } from '../../platform/clock.ts';
import { reasonOf } from '../../platform/refusal.ts';
import type { ReplayPage } from '../../runs/replay.ts';
import { Flush } from '../../topics/flush.ts';
import type { RingPiece } from '../../topics/ring.ts';
import type { Refusal, Subscriber, Topic } from '../../topics/topic.ts';
import type { TopicHub } from '../../topics/topic-hub.ts';
import type { PieceSender, SendPermit } from '../wire/send-permit.ts';
import { Delivery } from './delivery.ts';
import type { DeliveryAction, DeliveryEvent, ReplayAction } from './delivery-events.ts';
import type { PagesAhead } from './pages-ahead.ts';
import type { StartRefusal, StreamTimes } from './start-verdict.ts';
import type { StreamRequest } from './stream-request.ts';
import { type ReplayServices, SubscriptionReplay } from './subscription-replay.ts';

/** A piece of the ring has about so many bytes. */
const PIECE_BYTES = 65_536;
/** A page is written once, so one cached encoding is enough. */
const PAGE_NAMES_MAX = 1;

export interface SubscriptionServices extends ReplayServices {
  readonly hub: TopicHub;
  readonly coldOpens: ColdOpens;
  /** The service's time. */
  readonly clock: Pick<Clock, 'now'>;
  /** Real time. */
  readonly timers: Pick<Clock, 'after'>;
  /** Whether other nodes are known to have more of the tape; absent on a single node. */
  readonly isBehind?: () => boolean;
}

/** The connection's side of a subscription. */
export interface SubscriptionOwner {
  readonly permit: SendPermit;
  readonly pagesAhead: PagesAhead;
  /** The account that is charged. */
  readonly caller: Caller | null;
  write(sub: string, mode: StreamMode, flush: Flush): void;
  send(message: ServerMessage): void;
  /** `subscribed` was sent. */
  begun(subscription: StreamSubscription): void;
  /** This node cannot judge a start of this client now. */
  sendAway(): void;
  failed(subscription: StreamSubscription, reply: StartRefusal): void;
}

export class StreamSubscription implements Subscriber, PieceSender {
  readonly sub: string;
  readonly account: string;
  readonly #request: StreamRequest;
  readonly #services: SubscriptionServices;
  readonly #owner: SubscriptionOwner;
  readonly #delivery: Delivery;
  readonly #replay: SubscriptionReplay;
  #topic: Topic | null = null;
  #timer: Disposable | null = null;
  /** It was attached before: another topic is then no cold open at the caller's expense. */
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
    this.#request = request;
    this.#services = services;
    this.#owner = owner;
    this.#delivery = new Delivery(request.start, request.spec.contract, request.mode, {
      ...request.rules,
      // Plans change while it runs.
      historyFrom: (now) => owner.caller?.entitlements.historyFrom(now) ?? null,
    });
    this.#replay = new SubscriptionReplay(id, request, services, {
      get caller() {
        return owner.caller;
      },
      step: (event) => this.#step(event),
      fault: (error) => this.#fault(error),
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

  /** Where the client could resume: the position of the last flush, page or piece written to it. */
  get cursor(): string | null {
    return this.#delivery.cursorAt(this.#topic?.position ?? null);
  }

  /** Whether it follows its topic: everything before is sent. */
  get isLive(): boolean {
    return this.#delivery.isLive;
  }

  get isCharged(): boolean {
    return this.#delivery.isCharged;
  }

  begin(): void {
    this.#step({ t: 'begin' });
  }

  end(): void {
    if (this.#isOver) return;
    this.#step({ t: 'end' });
    this.#leave();
  }

  permitted(): void {
    this.#step({ t: 'permit' });
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
    this.#topic = null;
    this.#step({ t: 'outdated' });
  }

  ended(code: ErrorCode, message: string): void {
    this.#fail({ code, message });
  }

  #step(event: DeliveryEvent): void {
    for (const action of this.#delivery.step(event, this.#times())) {
      if (!this.#isOver || action.t === 'void' || action.t === 'settle') this.#run(action);
    }
  }

  #times(): StreamTimes {
    const { hub, clock, isBehind } = this.#services;
    const { contract, delaySeconds } = this.#request.spec;
    const now = clock.now();
    const allowed = (now - BigInt(delaySeconds) * SECOND_NS_BIG) as typeof now;
    return {
      now,
      tape: hub.tapeTimeOf(contract) ?? now,
      visible: hub.tapeTimeOf(contract, delaySeconds) ?? allowed,
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
        this.#timer?.[Symbol.dispose]();
        this.#timer = this.#services.timers.after(action.ms, () => this.#step({ t: 'waited' }));
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
      case 'request-permit':
        this.#owner.permit.request(this);
        return;
      case 'return-permit':
        this.#owner.permit.giveBack(this);
        return;
      case 'request-snapshot':
        if (this.#topic !== null) this.#services.hub.requestSnapshot(this.#topic, this);
        return;
      case 'pull-ring':
        this.#pullRing(parseCursor(action.after)!);
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

  #runReplay(action: ReplayAction): void {
    switch (action.t) {
      case 'open-replay':
        this.#replay.open(action.replay);
        return;
      case 'next-page':
        this.#owner.pagesAhead.take(this, () => this.#replay.next(action.until));
        return;
      case 'close-replay':
        this.#closeReplay();
        return;
      case 'reserve':
        this.#replay.reserve(action.page, action.trades);
        return;
      case 'settle':
        this.#replay.settle(action.page, action.trades);
        return;
      case 'void':
        this.#replay.giveBack(action.page);
        return;
      case 'write-page':
        this.#owner.pagesAhead.free(this);
        this.#writePage(action.page);
        return;
      default:
        action satisfies never;
    }
  }

  #locate(cursor: string): void {
    const { contract, delaySeconds } = this.#request.spec;
    // Without a delay the caller may see all of the tape.
    const seenUntil = delaySeconds === 0 ? null : this.#times().allowed;
    this.#services.replays.locate(contract, cursor, seenUntil).then(
      (place) => this.#step({ t: 'located', place }),
      (error: unknown) => {
        const why = reasonOf(error);
        if (why.t === 'failed') this.#fault(error);
        else this.#step({ t: 'locate-failed', why });
      },
    );
  }

  #attach(since: string | null): void {
    const { hub } = this.#services;
    const topic = hub.attach(this.#request.spec, this, since);
    if ('code' in topic) {
      this.#fail(topic);
      return;
    }
    // Attaching may have sent a status to other subscriptions of this connection, and overflowed it.
    if (this.#isOver) {
      hub.detach(topic, this);
      return;
    }
    this.#topic = topic;
    this.#wasAttached = true;
    const { key, state, lagMs, partialSince } = topic;
    const ready = topic.isReadyFor(this);
    this.#step({ t: 'attached', topic: { key, state, lagMs, partialSince, ready } });
  }

  #pullRing(after: Cursor): void {
    const piece = this.#topic?.pull(this, after, PIECE_BYTES) ?? null;
    this.#step({ t: 'piece', piece });
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
    this.#timer?.[Symbol.dispose]();
    if (this.#topic !== null) this.#services.hub.detach(this.#topic, this);
    this.#topic = null;
    this.#closeReplay();
    this.#owner.permit.leave(this);
  }

  #closeReplay(): void {
    if (this.#replay.isClosed) return;
    this.#replay.close();
    this.#owner.pagesAhead.free(this);
  }
}
