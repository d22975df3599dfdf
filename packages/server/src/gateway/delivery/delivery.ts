/**
 * One subscription's way from `subscribe` to live, as a state machine without I/O. Its output ascends by cursor,
 * without a gap or a duplicate, because every page, piece and flush begins where the one before it ended. Pages, pieces
 * and snapshots are pulled: each needs the send permit, which is granted while little is pending. A stream that starts
 * in the past is `warming` until it follows its topic.
 */

import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { RefusalReason } from '../../platform/refusal.ts';
import type { CursorPlace, ReplayPage } from '../../runs/replay.ts';
import type { RingPiece } from '../../topics/ring.ts';
import { Backfill } from './backfill.ts';
import type {
  DeliveryAction,
  DeliveryEvent,
  DeliveryStart,
  TopicFacts,
} from './delivery-events.ts';
import { FULL_WAIT_MS } from './full-retries.ts';
import { type PlannedReplay, StartSearch, type StartStep } from './start-search.ts';
import { replyTo, type StartRefusal, type StartRights, type StreamTimes } from './start-verdict.ts';
import { ToldStatus } from './told-status.ts';

/** How long a replay at its end waits for the tape or the topic. */
const TRY_AGAIN_MS = 250;

type Actions = readonly DeliveryAction[];
type Phase = 'locating' | 'attaching' | 'ring' | 'replaying' | 'snapshot' | 'live' | 'ended';

const NOTHING: Actions = [];

/**
 * The phases. Point 4 is no phase: it decides what follows when the ring does not have the output.
 *
 * 1. `locating`: finds the cursor's position on the tape (`start-search.ts`). A cursor beyond what this key may see is
 *    waited for briefly. Then it is rejected, or answered by a `reset` where the key has a delay. A cursor of another
 *    contract or of another computation gets a `reset` too, and the stream starts afresh (6).
 * 2. `attaching`: the topic is held, `subscribed` and `status` are sent. A start from a cursor waits until the topic
 *    has caught up, since only then its ring has everything that can be requested of it.
 * 3. `ring`: pieces of the ring after the cursor; after the newest one the subscription follows (7).
 * 4. Output that the ring does not have is replayed (5) if all of it is young or the rights cover its day. Otherwise
 *    `reset` `cursor_expired` is sent and the stream starts afresh (6). If the tape has a gap in a day to be replayed,
 *    the reason is `source_gap`.
 * 5. `replaying`: pages. A charged page is reserved before it is written and settled as it is written. If it is
 *    interrupted between, it is given back. Inside the ring the ring resumes (3); if the ring has moved past, the
 *    replay does. A charged replay goes up to today's midnight, so that no ring changes its cost.
 * 6. `snapshot`: requested when the topic has caught up; after it the subscription follows (7).
 * 7. `live`: the topic's flushes reach the connection without passing here.
 * 8. `ended`: the only remaining action is to give back a pending reservation.
 */
export class Delivery {
  readonly #mode: StreamMode;
  readonly #search: StartSearch;
  #phase: Phase = 'locating';
  #topic: TopicFacts | null = null;
  #status = new ToldStatus();
  #isReplayed = false;
  #backfill: Backfill | null = null;
  /** A backfill that was left while one of its pages was being reserved. */
  #left: Backfill | null = null;
  #isAwaitingTape = false;
  #hasPermit = false;
  /** Everything published up to here is written, or the client had it before. */
  #through = '';
  #position: string | null = null;

  constructor(start: DeliveryStart, contract: string, mode: StreamMode, rights: StartRights) {
    this.#search = new StartSearch(start, contract, rights);
    this.#mode = mode;
  }

  /** Whether the topic's flushes follow. */
  get isLive(): boolean {
    return this.#phase === 'live';
  }

  /** Whether it is catching up from history at a price. */
  get isCharged(): boolean {
    return this.#backfill?.isCharged === true;
  }

  /** Where a client could resume, once it has output: the last flush position that was written. */
  cursorAt(topicPosition: string | null): string | null {
    if (!this.isLive || topicPosition === null) return this.#position;
    // A node that lags behind the client's cursor returns no cursor until it has passed it.
    const [topic, through] = [parseCursor(topicPosition), parseCursor(this.#through)];
    const isBehind = topic !== null && through !== null && compareCursors(topic, through) < 0;
    return isBehind ? null : topicPosition;
  }

  step(event: DeliveryEvent, times: StreamTimes): Actions {
    if (this.#phase === 'ended') return this.#afterEnd(event);
    switch (event.t) {
      case 'begin':
        return this.#seek(this.#search.begin(times), times);
      case 'located':
        return this.#located(event.place, times);
      case 'locate-failed':
        return this.#locateFailed(event.why);
      case 'waited':
        return this.#waited(times);
      case 'attached':
        return this.#attached(event.topic, times);
      case 'ready':
        return this.#ready();
      case 'status':
        return this.#status.topicIs(event);
      case 'permit':
        return this.#permitted(times);
      case 'snapshot':
        this.#phase = 'live';
        return this.#returnPermit();
      case 'page':
        return this.#takePage(event.page);
      case 'replay-failed':
        return this.#replayFailed(event.why);
      case 'reserved':
        return this.#reserved(event.refusal);
      case 'piece':
        return this.#takePiece(event.piece, times);
      case 'outdated':
        return this.#outdated();
      case 'fault':
        return this.#fault();
      case 'end':
        return this.#end();
      default:
        return event satisfies never;
    }
  }

  #seek(next: StartStep, times: StreamTimes): Actions {
    switch (next.t) {
      case 'afresh':
        return this.#afresh();
      case 'locate':
      case 'wait':
        return [next];
      case 'reset':
        return this.#reset(next.reason);
      case 'refuse':
        return this.#fail(next.reply);
      case 'elsewhere':
        this.#phase = 'ended';
        return [{ t: 'send-away' }];
      case 'attach':
        return this.#attach(next.from, times);
      default:
        return next satisfies never;
    }
  }

  #attach(from: Cursor | null, times: StreamTimes): Actions {
    if (from !== null) this.#through = formatCursor(from);
    if (from !== null && this.#topic !== null) return this.#closeGap(from, times);
    this.#phase = 'attaching';
    return [{ t: 'attach', since: from === null ? null : this.#through }];
  }

  #located(place: CursorPlace, times: StreamTimes): Actions {
    const { cursor } = this.#search;
    if (this.#phase !== 'locating' || cursor === null) return NOTHING;
    return this.#seek(this.#search.located(cursor, place, times), times);
  }

  #locateFailed(why: RefusalReason): Actions {
    if (this.#phase !== 'locating') return NOTHING;
    const mayRetry = why.t === 'full' && this.#search.turnAway();
    return mayRetry ? [{ t: 'wait', ms: FULL_WAIT_MS }] : this.#fail(replyTo(why));
  }

  #waited(times: StreamTimes): Actions {
    if (this.#phase === 'replaying') return this.#tryAgain();
    return this.#phase === 'locating' ? this.#seek(this.#search.waited(times), times) : NOTHING;
  }

  /** The client's state is worthless: sends the reason and starts afresh. */
  #reset(reason: ResetReason): Actions {
    this.#position = null;
    this.#through = '';
    return [{ t: 'send-reset', reason }, ...this.#status.showTopic(), ...this.#afresh()];
  }

  #afresh(): Actions {
    this.#phase = 'snapshot';
    if (this.#topic === null) return [{ t: 'attach', since: null }];
    return this.#topic.ready ? [{ t: 'request-permit' }] : NOTHING;
  }

  #attached(topic: TopicFacts, times: StreamTimes): Actions {
    this.#topic = topic;
    const subscribed: DeliveryAction = { t: 'send-subscribed', topic: topic.key };
    const status = this.#status.topicIs(topic);
    if (this.#phase === 'snapshot') {
      const asking: Actions = topic.ready ? [{ t: 'request-permit' }] : NOTHING;
      return [subscribed, ...status, ...this.#status.showTopic(), ...asking];
    }
    const planned = this.#search.replayFromTime(times);
    if (planned !== null) return [subscribed, ...this.#replay(planned, times)];
    if (topic.ready) {
      this.#phase = 'ring';
      return [subscribed, { t: 'request-permit' }];
    }
    return [subscribed, ...this.#status.showPast(this.#search.at(times), times.visible)];
  }

  #ready(): Actions {
    if (this.#topic === null || this.#topic.ready) return NOTHING;
    this.#topic = { ...this.#topic, ready: true };
    if (this.#phase === 'replaying') return this.#tryAgain();
    if (this.#phase === 'attaching') this.#phase = 'ring';
    const isNext = this.#phase === 'ring' || this.#phase === 'snapshot';
    return isNext ? [{ t: 'request-permit' }] : NOTHING;
  }

  #permitted(times: StreamTimes): Actions {
    this.#hasPermit = true;
    switch (this.#phase) {
      case 'snapshot':
        // A permit requested for a topic that has closed since must not be used for its successor.
        return this.#topic?.ready === true ? [{ t: 'request-snapshot' }] : this.#returnPermit();
      case 'ring':
        return [{ t: 'pull-ring', after: this.#through }];
      case 'replaying':
        return this.#replayStep(this.#backfill!, times);
      default:
        return this.#returnPermit();
    }
  }

  #takePiece(piece: RingPiece | null, times: StreamTimes): Actions {
    if (piece === null) return this.#outOfRing(times);
    const actions: DeliveryAction[] = [];
    if (this.#backfill !== null) actions.push({ t: 'close-replay' });
    this.#backfill = null;
    this.#phase = 'ring';
    if (!this.#isReplayed) actions.push(...this.#status.showTopic());
    actions.push({ t: 'write-piece', piece });
    this.#through = piece.through;
    this.#position = piece.position ?? this.#position;
    if (!piece.isNewest) return [...actions, ...this.#returnPermit(), { t: 'request-permit' }];
    this.#phase = 'live';
    return [...actions, ...this.#status.showTopic(), ...this.#returnPermit()];
  }

  #outOfRing(times: StreamTimes): Actions {
    if (this.#phase === 'replaying') return this.#fetch(this.#backfill!, times);
    const { cursor } = this.#search;
    if (cursor !== null && formatCursor(cursor) === this.#through) {
      return [...this.#returnPermit(), ...this.#closeGap(cursor, times)];
    }
    // The ring moved past a subscription that was already being served: it is located again at its current cursor.
    this.#search.moveTo(parseCursor(this.#through)!);
    this.#phase = 'locating';
    return [...this.#returnPermit(), { t: 'locate', cursor: this.#through }];
  }

  #closeGap(cursor: Cursor, times: StreamTimes): Actions {
    const planned = this.#search.replayBehind(cursor, times);
    return typeof planned === 'string' ? this.#leaveReplay(planned) : this.#replay(planned, times);
  }

  /** The client's state is of a tape that was repaired: the stream starts afresh on the topic's successor. */
  #outdated(): Actions {
    if (this.#backfill?.isReserving === true) this.#left = this.#backfill;
    this.#topic = null;
    this.#isAwaitingTape = false;
    this.#status = new ToldStatus();
    return [...this.#returnPermit(), ...this.#leaveReplay('source_gap')];
  }

  #expire(): Actions {
    return this.#leaveReplay('cursor_expired');
  }

  #leaveReplay(reason: ResetReason): Actions {
    const closing: Actions = this.#backfill === null ? NOTHING : [{ t: 'close-replay' }];
    this.#backfill = null;
    return [...closing, ...this.#status.showTopic(), ...this.#reset(reason)];
  }

  #replay({ at, isProbe, replay }: PlannedReplay, { visible }: StreamTimes): Actions {
    this.#phase = 'replaying';
    this.#isReplayed = true;
    this.#backfill = new Backfill(replay, isProbe);
    const past = this.#status.showPast(at, visible);
    return [...past, ...this.#backfill.open(), { t: 'request-permit' }];
  }

  #replayStep(backfill: Backfill, times: StreamTimes): Actions {
    if (backfill.hasPage) {
      const reserve = backfill.reserve();
      return reserve === null ? this.#writePage(backfill) : [reserve];
    }
    const position = parseCursor(this.#position ?? '');
    const mayLeave = this.#topic!.ready && position !== null && backfill.isPaidAt(position);
    return mayLeave ? [{ t: 'pull-ring', after: this.#through }] : this.#fetch(backfill, times);
  }

  #fetch(backfill: Backfill, { visible }: StreamTimes): Actions {
    const next = backfill.next(visible);
    this.#isAwaitingTape = next === null;
    return [...this.#returnPermit(), next ?? { t: 'wait', ms: TRY_AGAIN_MS }];
  }

  /** A replay that was at its end may find more, or a topic to follow. */
  #tryAgain(): Actions {
    if (!this.#isAwaitingTape) return NOTHING;
    this.#isAwaitingTape = false;
    const opening = this.#backfill?.isTurnedAway === true ? this.#backfill.open() : NOTHING;
    return [...opening, { t: 'request-permit' }];
  }

  #takePage(page: ReplayPage): Actions {
    if (this.#backfill === null) return NOTHING;
    return this.#backfill.take(page, this.#mode) ? [{ t: 'request-permit' }] : this.#expire();
  }

  #reserved(refusal: StartRefusal | null): Actions {
    const given = this.#giveBack(refusal === null, this.#left);
    if (given !== null) return given;
    if (refusal === null) return this.#writePage(this.#backfill!);
    this.#backfill!.giveBack(false);
    return this.#fail(refusal);
  }

  #writePage(backfill: Backfill): Actions {
    const [{ position }, actions] = backfill.write();
    this.#through = position;
    this.#position = position;
    return [...actions, ...this.#returnPermit(), { t: 'request-permit' }];
  }

  #replayFailed(why: RefusalReason): Actions {
    if (this.#backfill === null) return NOTHING;
    if (why.t === 'full' && this.#backfill.turnAway()) {
      this.#isAwaitingTape = true;
      return [{ t: 'close-replay' }, { t: 'wait', ms: FULL_WAIT_MS }];
    }
    // A start at a time that has written nothing yet fails. A stream that has begun restarts from a snapshot.
    const isBegun = this.#search.cursor !== null || this.#position !== null;
    const isOfAnotherTape =
      why.t === 'not-on-tape' || why.t === 'day-damaged' || why.t === 'outdated';
    if (isOfAnotherTape && isBegun) return this.#leaveReplay('source_gap');
    return this.#fail(replyTo(why));
  }

  #returnPermit(): Actions {
    if (!this.#hasPermit) return NOTHING;
    this.#hasPermit = false;
    return [{ t: 'return-permit' }];
  }

  #fault(): Actions {
    const given = this.#giveBack(true, this.#left ?? this.#backfill) ?? NOTHING;
    const message = 'The subscription failed; try again.';
    return [...given, ...this.#fail({ code: 'INTERNAL', message })];
  }

  #fail(reply: StartRefusal): Actions {
    return [...this.#end(), { t: 'fail', reply }];
  }

  #end(): Actions {
    this.#phase = 'ended';
    const closing: Actions = this.#backfill === null ? NOTHING : [{ t: 'close-replay' }];
    return [...closing, ...this.#returnPermit()];
  }

  /** A reservation that was pending at the end is given back as soon as its result is known. */
  #afterEnd(event: DeliveryEvent): Actions {
    if (event.t !== 'reserved' && event.t !== 'fault') return NOTHING;
    const mayBeTaken = event.t === 'fault' || event.refusal === null;
    return this.#giveBack(mayBeTaken, this.#left ?? this.#backfill) ?? NOTHING;
  }

  /** Null when nothing was being reserved for it. */
  #giveBack(mayBeTaken: boolean, backfill: Backfill | null): Actions | null {
    this.#left = null;
    return backfill?.isReserving === true ? backfill.giveBack(mayBeTaken) : null;
  }
}
