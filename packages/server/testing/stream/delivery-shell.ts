/**
 * Performs a delivery's actions over a world of look-ups, and responds when told. It checks every action: nothing
 * follows an end, cursors ascend, a replay costs the trades it covered.
 */

import assert from 'node:assert/strict';
import { type Cursor, compareCursors, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { Block } from '../../src/blocks/block.ts';
import { Delivery } from '../../src/gateway/delivery/delivery.ts';
import type {
  DeliveryAction,
  DeliveryEvent,
  DeliveryStart,
} from '../../src/gateway/delivery/delivery-events.ts';
import { FREE_RESUME_NS, type StartRights } from '../../src/gateway/delivery/start-verdict.ts';
import { Flush } from '../../src/topics/flush.ts';
import { updatesOf } from './block-updates.ts';
import { type DeliveryWorld, ReplayModel } from './delivery-world.ts';
import { frameTexts } from './server-frames.ts';

const HEALTHY = { lagMs: 0, partialSince: null } as const;
export const SUB = 'a';
/** The next piece is pulled while fewer messages are pending. */
const PENDING_MESSAGES_MAX = 12;

export class DeliveryShell {
  readonly delivery: Delivery;
  readonly sent: ServerMessage[] = [];
  readonly #orders: DeliveryAction['t'][];
  /** Sent and not read yet. */
  queue: ServerMessage[] = [];
  readonly #start: DeliveryStart;
  readonly #world: DeliveryWorld;
  readonly #name: string;
  readonly #pending: (() => void)[];
  #replay: ReplayModel | null = null;
  #wantsPermit = false;
  #isFollowing = false;
  #isOver = false;
  /** The number of the present topic; 0 before the first. */
  #topic = 0;
  #replays = 0;
  #charged = 0;
  #lastWritten: Cursor | null = null;

  constructor(
    world: DeliveryWorld,
    start: DeliveryStart,
    rights: StartRights,
    run: { readonly pending: (() => void)[]; readonly orders: DeliveryAction['t'][] },
    name: string,
  ) {
    this.#world = world;
    this.#pending = run.pending;
    this.#orders = run.orders;
    this.#name = name;
    this.#start = start;
    this.delivery = new Delivery(start, 'AA', world.options.mode, rights);
    this.step({ t: 'begin' });
  }

  step(event: DeliveryEvent): void {
    const actions = this.delivery.step(event, this.#world.times);
    for (const action of actions) {
      if (this.#isOver) assert.equal(action.t, 'void', 'nothing follows the end');
      this.#orders.push(action.t);
      this.#run(action);
    }
  }

  get hasReplay(): boolean {
    return this.#replay !== null;
  }

  end(): void {
    const actions = this.delivery.step({ t: 'end' }, this.#world.times);
    for (const { t } of actions) assert.ok(t === 'close-replay' || t === 'return-permit');
    this.#isOver = true;
    this.#wantsPermit = false;
  }

  publish(flush: Block): void {
    if (!this.#isFollowing || this.#isOver) return;
    this.#write(new Flush(flush));
  }

  beat(): void {
    if (this.#isOver) return;
    const { delivery } = this;
    const { log, head } = this.#world;
    const cursor = delivery.cursorAt(formatCursor(log.flushes[head]!.position));
    if (cursor !== null) this.#send({ t: 'hb', sub: SUB, cursor, ts: '0' });
  }

  read(count: number): readonly ServerMessage[] {
    const read = this.queue.splice(0, count);
    this.grantPermit();
    return read;
  }

  grantPermit(): void {
    if (!this.#wantsPermit || this.#isOver || this.queue.length >= PENDING_MESSAGES_MAX) return;
    this.#wantsPermit = false;
    this.step({ t: 'permit' });
  }

  becomeReady(): void {
    if (!this.#isOver) this.step({ t: 'status', ...HEALTHY, state: 'live' });
    if (!this.#isOver) this.step({ t: 'ready' });
  }

  /** The tape was repaired: its topic is over. */
  repair(): void {
    if (this.#isOver || this.#topic === 0) return;
    this.#isFollowing = false;
    this.step({ t: 'outdated' });
  }

  #run(action: DeliveryAction): void {
    const world = this.#world;
    const topic = this.#topic;
    switch (action.t) {
      case 'locate':
        this.#later(() =>
          this.step(
            world.isFull
              ? { t: 'locate-failed', why: { t: 'full', what: 'questions' } }
              : { t: 'located', place: world.locate(parseCursor(action.cursor)!) },
          ),
        );
        return;
      case 'wait':
        this.#later(() => this.step({ t: 'waited' }));
        return;
      case 'attach': {
        this.#topic += 1;
        const ready = world.isReady;
        const state = ready ? 'live' : 'warming';
        this.step({ t: 'attached', topic: { ...HEALTHY, key: 'topic', state, ready } });
        return;
      }
      case 'send-reset':
        if (action.reason !== 'source_gap') this.#checkReset();
        this.#lastWritten = null;
        this.#send({ t: 'reset', sub: SUB, reason: action.reason });
        return;
      case 'send-subscribed': {
        const name = { instrument: 'AA', contract: 'AA', tickSizeNanos: 1 };
        this.#send({ t: 'subscribed', sub: SUB, topic: action.topic, ...name });
        return;
      }
      case 'send-status':
        this.#send({ t: 'status', sub: SUB, state: action.state, lagMs: action.lagMs });
        return;
      case 'request-permit':
        // A permit requested for the previous topic may still be outstanding.
        assert.ok(!this.#wantsPermit || topic > 1, 'one request at a time');
        this.#wantsPermit = true;
        return;
      case 'return-permit':
        this.#later(() => this.grantPermit());
        return;
      case 'request-snapshot':
        assert.ok(world.isReady, 'only of a topic that is ready');
        this.#later(() => this.#snapshot(topic));
        return;
      default:
        this.#runBackfill(action);
    }
  }

  #runBackfill(action: DeliveryAction): void {
    const world = this.#world;
    switch (action.t) {
      case 'open-replay':
        this.#replays += 1;
        this.#replay = new ReplayModel(world, action.replay);
        this.#charged = 0;
        return;
      case 'next-page': {
        const replay = this.#replay!;
        this.#later(() => {
          if (this.#replay !== replay) return;
          if (world.isFull && !replay.hasBegun)
            this.step({ t: 'replay-failed', why: { t: 'full', what: 'thread' } });
          else this.step({ t: 'page', page: replay.page(action.until) });
        });
        return;
      }
      case 'close-replay':
        this.#replay = null;
        return;
      case 'reserve': {
        this.#later(() => {
          const isGranted = world.reserve(this.#id(action.page), action.trades);
          const refusal = { code: 'QUOTA_EXCEEDED', message: 'no budget' } as const;
          this.step({ t: 'reserved', refusal: isGranted ? null : refusal });
        });
        return;
      }
      case 'settle':
        world.settle(this.#id(action.page), action.trades);
        this.#charged += action.trades;
        return;
      case 'void':
        world.giveBack(this.#id(action.page));
        return;
      case 'write-page': {
        const { blocks, position } = action.page;
        for (const block of blocks) this.#write(new Flush(new Block(block)));
        this.#checkCharge(parseCursor(position)!);
        return;
      }
      case 'pull-ring': {
        const piece = world.pull(parseCursor(action.after)!);
        this.#isFollowing = piece?.isNewest === true;
        this.step({ t: 'piece', piece });
        return;
      }
      case 'write-piece':
        for (const flush of action.piece.flushes) this.#write(flush);
        return;
      case 'fail':
        this.#send({ t: 'error', sub: SUB, ...action.reply });
        this.#isOver = true;
        return;
      default:
        assert.fail(`an order of its own: ${action.t}`);
    }
  }

  #later(run: () => void): void {
    this.#pending.push(run);
  }

  #id(page: number): string {
    return `${this.#name}.${this.#replays}.${page}`;
  }

  #snapshot(topic: number): void {
    if (this.#isOver || topic !== this.#topic) return;
    const { log, head, options } = this.#world;
    this.#isFollowing = true;
    this.#write(new Flush(log.snapshotAt(head, options.mode)));
    this.step({ t: 'snapshot' });
  }

  /** A reset needs a later flush that is older than 15 minutes. */
  #checkReset(): void {
    const after = this.#lastWritten ?? (this.#start.t === 'cursor' ? this.#start.cursor : null);
    assert.ok(after !== null, 'who starts without a cursor is not reset');
    const { log, times, options } = this.#world;
    const isOld = ({ edge, flush }: (typeof log.flushes)[number]) =>
      edge <= times.visible - FREE_RESUME_NS &&
      updatesOf(flush).some(
        ({ cursor, final }) =>
          (final || options.mode === 'live') && compareCursors(parseCursor(cursor)!, after) > 0,
      );
    assert.ok(log.flushes.some(isOld), 'the cursor was good');
  }

  /** A replay has cost each trade it covered before midnight once. */
  #checkCharge(position: Cursor): void {
    const replay = this.#replay!;
    const { log } = this.#world;
    const due = log.tradesBetween(replay.from, position, replay.chargedBefore);
    assert.equal(this.#charged, due);
  }

  #write(flush: Flush): void {
    const updates = updatesOf(flush.block).slice(flush.first, flush.end);
    for (const { cursor, kind } of updates) {
      const place = parseCursor(cursor)!;
      const isBeyond = this.#lastWritten === null || compareCursors(place, this.#lastWritten) > 0;
      assert.ok(isBeyond || kind === 'snapshot', 'cursors ascend');
      this.#lastWritten = place;
    }
    const frames = flush.framesFor(SUB, this.#world.options.mode);
    if (frames === null) return;
    for (const text of frameTexts(frames.bytes)) this.#send(JSON.parse(text));
  }

  #send(message: ServerMessage): void {
    assert.ok(!this.#isOver, 'nothing of a subscription follows its end');
    this.sent.push(message);
    this.queue.push(message);
  }
}
