/**
 * One subscription's way from `subscribe` to live, as a machine without I/O.
 *
 * 1. `locating`: where on the tape does the cursor lie? One that no stream can have reached is refused,
 *    one ahead of this node is waited for a little. One of another contract, of another computation, or
 *    beyond what this key may see is told by a `reset`, and the stream starts afresh (6).
 * 2. `attaching`: the topic is held, `subscribed` and `status` are sent. From a cursor the topic is
 *    waited for until it has caught up, since only then its ring has all that can be asked of it.
 * 3. `ring`: pieces of the ring after the cursor; from the newest on the subscription follows (7).
 * 4. What the ring does not have is replayed (5) where the cursor is young or the rights cover its day.
 *    Otherwise the client is told by `reset` `cursor_expired`, and the stream starts afresh (6).
 * 5. `replaying`: pages, one after the other. A page that costs something is reserved before it is
 *    written and settled as it is; cut off between, it is given back. As soon as the replay stands
 *    inside the ring, the ring goes on (3); where the ring has moved past it, the replay does. A charged
 *    replay always goes up to today's midnight, so that its cost does not depend on the ring.
 * 6. `snapshot`: asked for when the topic has caught up; from it on the subscription follows (7).
 * 7. `live`: the topic's flushes reach the connection without passing here.
 * 8. `ended`: nothing is ordered any more but to give back what was still being reserved.
 *
 * Pages, pieces and snapshots are pulled: each takes a turn, which is given while little waits on the
 * connection. What is written ascends by cursor from the start on, without a gap and without doubling,
 * because every page, piece and flush begins where the one before it ended. A stream that starts in the
 * past is `warming` until it follows, whatever its topic is.
 */

import { type Cursor, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import type { StreamState } from '@tapeloom/protocol/status-states';
import type { CursorPlace, ReplayPage } from '../history/replay.ts';
import type { RingPiece } from '../topics/ring.ts';
import { Backfill } from './backfill.ts';
import type {
  DeliveryAction,
  DeliveryEvent,
  DeliveryReplay,
  ReplayFailure,
  TopicFacts,
} from './delivery-events.ts';
import {
  AHEAD_MS_MAX,
  judgeDay,
  judgeGap,
  judgePlace,
  judgeTime,
  midnightOf,
  type StartRefusal,
  type StartRights,
  type StreamTimes,
} from './start-verdict.ts';

/** The first wait for a cursor ahead of this node; the next ones are longer. */
const LOOK_AGAIN_MS = 50;
/** How long a replay that has all waits for the tape or the topic. */
const TRY_AGAIN_MS = 250;
/** No trade is before it: nothing is charged. */
const NEVER = 0n as EpochNs;

export type DeliveryStart =
  | { readonly t: 'live' }
  | { readonly t: 'cursor'; readonly cursor: Cursor }
  | { readonly t: 'time'; readonly time: EpochNs };

type Actions = readonly DeliveryAction[];
type Phase = 'locating' | 'attaching' | 'ring' | 'replaying' | 'snapshot' | 'live' | 'ended';

const NOTHING: Actions = [];

export class Delivery {
  readonly #contract: string;
  readonly #rights: StartRights;
  #start: DeliveryStart;
  #phase: Phase = 'locating';
  /** Where the cursor lies, once that is known. */
  #place: CursorPlace = { t: 'gone' };
  #waitedMs = 0;
  #topic: TopicFacts | null = null;
  /** The state last sent. */
  #told: StreamState | null = null;
  /** Whether the topic's state is the subscription's own. */
  #showsTopic = false;
  #isReplayed = false;
  #backfill: Backfill | null = null;
  #hasTurn = false;
  /** All that was published up to here is written, or was the client's before. */
  #through = '';
  #position: string | null = null;

  constructor(start: DeliveryStart, contract: string, rights: StartRights) {
    this.#start = start;
    this.#contract = contract;
    this.#rights = rights;
  }

  /** Whether the topic's flushes follow. */
  get isLive(): boolean {
    return this.#phase === 'live';
  }

  /** Whether it is being caught up from history at a price. */
  get isCharged(): boolean {
    return this.#backfill?.isCharged === true && this.#phase !== 'ended';
  }

  /** The flush position that what was replayed or pulled so far has reached; null before that. */
  get position(): string | null {
    return this.#position;
  }

  step(event: DeliveryEvent, times: StreamTimes): Actions {
    if (this.#phase === 'ended') return this.#afterEnd(event);
    switch (event.t) {
      case 'begin':
        return this.#begin(times);
      case 'located':
        return this.#located(event.place, times);
      case 'waited':
        return this.#waited(times);
      case 'attached':
        return this.#attached(event.topic, times);
      case 'ready':
        return this.#ready();
      case 'status':
        return this.#status(event.state, event.lagMs);
      case 'turn':
        return this.#turn(times);
      case 'snapshot':
        this.#phase = 'live';
        return this.#endTurn();
      case 'page':
        return this.#takePage(event.page);
      case 'replay-failed':
        return this.#replayFailed(event.why);
      case 'reserved':
        return this.#reserved(event.refusal);
      case 'piece':
        return this.#takePiece(event.piece, times);
      case 'fault':
        return this.#fault();
      case 'end':
        return this.#end();
      default:
        return event satisfies never;
    }
  }

  #begin(times: StreamTimes): Actions {
    const start = this.#start;
    if (start.t === 'live') return this.#afresh();
    if (start.t === 'time') {
      const from = judgeTime(start.time, times, this.#rights);
      if (typeof from !== 'bigint') return this.#fail(from);
      this.#start = { t: 'time', time: from };
      this.#phase = 'attaching';
      return [{ t: 'attach', since: null }];
    }
    const verdict = judgeDay(start.cursor, this.#contract, times, this.#rights);
    if (verdict.t === 'reset') return this.#reset(verdict.reason);
    if (verdict.t === 'refuse') return this.#fail(verdict.reply);
    return [{ t: 'locate', cursor: formatCursor(start.cursor) }];
  }

  #located(place: CursorPlace, times: StreamTimes): Actions {
    if (this.#phase !== 'locating' || this.#start.t !== 'cursor') return NOTHING;
    const verdict = judgePlace(this.#start.cursor, place, this.#waitedMs, times, this.#rights);
    switch (verdict.t) {
      case 'wait':
        return [{ t: 'wait', ms: this.#waitMs }];
      case 'refuse':
        return this.#fail(verdict.reply);
      case 'reset':
        return this.#reset(verdict.reason);
      case 'attach':
        this.#place = place;
        this.#through = formatCursor(this.#start.cursor);
        if (this.#topic !== null) return this.#closeGap(this.#start.cursor, times);
        this.#phase = 'attaching';
        return [{ t: 'attach', since: this.#through }];
      default:
        return verdict satisfies never;
    }
  }

  #waited(times: StreamTimes): Actions {
    if (this.#phase === 'replaying') return [{ t: 'want-turn' }];
    if (this.#phase !== 'locating') return NOTHING;
    this.#waitedMs += this.#waitMs;
    return this.#begin(times);
  }

  /** Twice as long each time, and no longer than is waited in all. */
  get #waitMs(): number {
    return Math.min(Math.max(LOOK_AGAIN_MS, this.#waitedMs), AHEAD_MS_MAX - this.#waitedMs);
  }

  /** What the client has is of no use: says why, and starts afresh. */
  #reset(reason: ResetReason): Actions {
    this.#position = null;
    return [{ t: 'send-reset', reason }, ...this.#afresh()];
  }

  #afresh(): Actions {
    this.#phase = 'snapshot';
    this.#showsTopic = true;
    if (this.#topic === null) return [{ t: 'attach', since: null }];
    return this.#topic.ready ? [{ t: 'want-turn' }] : NOTHING;
  }

  #attached(topic: TopicFacts, times: StreamTimes): Actions {
    this.#topic = topic;
    const subscribed: DeliveryAction = { t: 'send-subscribed', topic: topic.key };
    if (this.#phase === 'snapshot') {
      const asking: Actions = topic.ready ? [{ t: 'want-turn' }] : NOTHING;
      return [subscribed, ...this.#tellTopic(), ...asking];
    }
    if (this.#start.t === 'time') {
      const { time } = this.#start;
      const replay = { from: { time }, until: times.visible, chargedBefore: midnightOf(times.now) };
      return [subscribed, ...this.#tellPast(time, times), ...this.#replay(replay)];
    }
    if (!topic.ready) return [subscribed, ...this.#tell('warming', topic.lagMs)];
    this.#phase = 'ring';
    return [subscribed, { t: 'want-turn' }];
  }

  #ready(): Actions {
    if (this.#topic === null || this.#topic.ready) return NOTHING;
    this.#topic = { ...this.#topic, ready: true };
    if (this.#phase === 'attaching') this.#phase = 'ring';
    return this.#phase === 'ring' || this.#phase === 'snapshot' ? [{ t: 'want-turn' }] : NOTHING;
  }

  #turn(times: StreamTimes): Actions {
    this.#hasTurn = true;
    switch (this.#phase) {
      case 'snapshot':
        return [{ t: 'request-snapshot' }];
      case 'ring':
        return [{ t: 'pull-ring', after: this.#through }];
      case 'replaying':
        return this.#replayTurn(this.#backfill!, times);
      default:
        return this.#endTurn();
    }
  }

  #takePiece(piece: RingPiece | null, times: StreamTimes): Actions {
    if (piece === null) return this.#outOfRing(times);
    const actions: DeliveryAction[] = [];
    if (this.#backfill !== null) actions.push({ t: 'close-replay' });
    this.#backfill = null;
    this.#phase = 'ring';
    if (!this.#isReplayed) actions.push(...this.#showTopic());
    actions.push({ t: 'write-piece', piece });
    this.#through = piece.through;
    this.#position = piece.position ?? this.#position;
    if (!piece.isNewest) return [...actions, ...this.#endTurn(), { t: 'want-turn' }];
    this.#phase = 'live';
    return [...actions, ...this.#showTopic(), ...this.#endTurn()];
  }

  #outOfRing(times: StreamTimes): Actions {
    if (this.#phase === 'replaying') return this.#fetch(this.#backfill!, times);
    const start = this.#start;
    if (start.t === 'cursor' && formatCursor(start.cursor) === this.#through) {
      return [...this.#endTurn(), ...this.#closeGap(start.cursor, times)];
    }
    // The ring moved past a reader that was already being served: it comes back from where it is.
    this.#start = { t: 'cursor', cursor: parseCursor(this.#through)! };
    this.#phase = 'locating';
    this.#waitedMs = 0;
    return [...this.#endTurn(), { t: 'locate', cursor: this.#through }];
  }

  #closeGap(cursor: Cursor, times: StreamTimes): Actions {
    const how = judgeGap(cursor, this.#place, times, this.#rights);
    if (how === 'expired' || this.#place.t !== 'on-tape') return this.#expire();
    const chargedBefore = how === 'charged-replay' ? midnightOf(times.now) : NEVER;
    const from = { cursor: formatCursor(cursor) };
    const replay = { from, until: times.visible, chargedBefore };
    return [...this.#tellPast(this.#place.at, times), ...this.#replay(replay)];
  }

  #expire(): Actions {
    return [...this.#showTopic(), ...this.#reset('cursor_expired')];
  }

  #replay(replay: DeliveryReplay): Actions {
    this.#phase = 'replaying';
    this.#isReplayed = true;
    this.#showsTopic = false;
    this.#backfill = new Backfill(replay);
    return [{ t: 'open-replay', replay }, { t: 'want-turn' }];
  }

  #replayTurn(backfill: Backfill, times: StreamTimes): Actions {
    if (backfill.hasPage) {
      const reserve = backfill.reserve();
      return reserve === null ? this.#writePage(backfill) : [reserve];
    }
    const position = parseCursor(this.#position ?? '');
    const mayLeave = this.#topic!.ready && position !== null && backfill.isPaidAt(position);
    return mayLeave ? [{ t: 'pull-ring', after: this.#through }] : this.#fetch(backfill, times);
  }

  #fetch(backfill: Backfill, { visible }: StreamTimes): Actions {
    const next = backfill.next(visible) ?? ({ t: 'wait', ms: TRY_AGAIN_MS } as const);
    return [...this.#endTurn(), next];
  }

  #takePage(page: ReplayPage): Actions {
    if (this.#backfill === null) return NOTHING;
    this.#backfill.take(page);
    return [{ t: 'want-turn' }];
  }

  #reserved(refusal: StartRefusal | null): Actions {
    if (refusal === null) return this.#writePage(this.#backfill!);
    this.#backfill!.giveBack(false);
    return this.#fail(refusal);
  }

  #writePage(backfill: Backfill): Actions {
    const [{ position }, actions] = backfill.write();
    this.#through = position;
    this.#position = position;
    return [...actions, ...this.#endTurn(), { t: 'want-turn' }];
  }

  #replayFailed(why: ReplayFailure): Actions {
    if (this.#backfill === null) return NOTHING;
    this.#backfill = null;
    switch (why) {
      case 'full':
        return this.#fail({ code: 'CAPACITY', message: 'Too many replays run; try again later.' });
      case 'failed':
        return this.#fail({ code: 'INTERNAL', message: 'The replay failed; try again.' });
      case 'not-on-tape': {
        if (this.#start.t === 'cursor' && this.#position === null) return this.#expire();
        return this.#fail({ code: 'NOT_COVERED', message: 'Data of this time is missing.' });
      }
      default:
        return why satisfies never;
    }
  }

  #status(state: StreamState, lagMs: number): Actions {
    if (this.#topic === null) return NOTHING;
    this.#topic = { ...this.#topic, state, lagMs };
    return this.#showsTopic ? this.#tellTopic() : NOTHING;
  }

  #showTopic(): Actions {
    this.#showsTopic = true;
    return this.#tellTopic();
  }

  #tellTopic(): Actions {
    return this.#tell(this.#topic!.state, this.#topic!.lagMs);
  }

  /** It stands at `at`, and has to come up to what is visible. */
  #tellPast(at: EpochNs, { visible }: StreamTimes): Actions {
    return this.#tell('warming', at < visible ? Number((visible - at) / 1_000_000n) : 0);
  }

  #tell(state: StreamState, lagMs: number): Actions {
    if (state === this.#told) return NOTHING;
    this.#told = state;
    return [{ t: 'send-status', state, lagMs }];
  }

  #endTurn(): Actions {
    if (!this.#hasTurn) return NOTHING;
    this.#hasTurn = false;
    return [{ t: 'end-turn' }];
  }

  #fault(): Actions {
    const given = this.#backfill?.giveBack(true) ?? NOTHING;
    const message = 'The subscription failed; try again.';
    return [...given, ...this.#fail({ code: 'INTERNAL', message })];
  }

  #fail(reply: StartRefusal): Actions {
    return [...this.#end(), { t: 'fail', reply }];
  }

  #end(): Actions {
    this.#phase = 'ended';
    const closing: Actions = this.#backfill === null ? NOTHING : [{ t: 'close-replay' }];
    return [...closing, ...this.#endTurn()];
  }

  /** What was being reserved when the end came is given back as soon as that is known. */
  #afterEnd(event: DeliveryEvent): Actions {
    if (event.t !== 'reserved' && event.t !== 'fault') return NOTHING;
    return this.#backfill?.giveBack(event.t === 'fault' || event.refusal === null) ?? NOTHING;
  }
}
