/**
 * One client of one stream through scripted disconnects and reconnects. The client keeps the rules of the protocol, and
 * must end with the state of the one log behind ring, replays and snapshots.
 */

import assert from 'node:assert/strict';
import { parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { StreamMode } from '@tapeloom/protocol/client-messages';
import type { DeliveryAction, DeliveryStart } from '../../src/gateway/delivery/delivery-events.ts';
import { midnightOf, type StartRights } from '../../src/gateway/delivery/start-verdict.ts';
import { DeliveryShell, SUB } from './delivery-shell.ts';
import { DeliveryWorld } from './delivery-world.ts';
import { RuleKeepingClient } from './rule-keeping-client.ts';
import type { LogStep } from './stream-log.ts';

const START = epochNs(utcDay(20261112), 18 * 3_600_000_000_000);
const DAY_NS = 86_400_000_000_000n;

export interface Move {
  readonly t:
    | 'publish'
    | 'read'
    | 'answer'
    | 'evict'
    | 'beat'
    | 'cut'
    | 'restart'
    | 'ready'
    | 'fill'
    | 'repair'
    | 'unsubscribe';
  readonly n: number;
}

export interface Script {
  readonly log: readonly LogStep[];
  readonly moves: readonly Move[];
  readonly mode: StreamMode;
  readonly starts: 'live' | 'time';
  readonly historyDays: number | null;
  readonly budget: number;
  readonly pageFlushes: number;
  readonly pieceEntries: number;
}

export class DeliveryRun {
  readonly world: DeliveryWorld;
  readonly client = new RuleKeepingClient();
  /** All actions, in order. */
  readonly orders: DeliveryAction['t'][] = [];
  readonly #script: Script;
  readonly pending: (() => void)[] = [];
  readonly #startTime: EpochNs;
  #shell: DeliveryShell;
  #subscriptions = 0;

  constructor(script: Script) {
    this.#script = script;
    this.world = new DeliveryWorld({ ...script, start: START });
    const { log, head } = this.world;
    this.#startTime = log.flushes[Math.trunc(head / 2)]!.edge;
    this.#shell = this.#subscribe(0);
  }

  get shell(): DeliveryShell {
    return this.#shell;
  }

  take({ t, n }: Move): void {
    const { world } = this;
    switch (t) {
      case 'publish':
        this.#publish();
        return;
      case 'read':
        this.#read(n % 8);
        return;
      case 'answer':
        this.#answer(n);
        return;
      case 'evict':
        world.evicted += n % (world.head - world.evicted + 1);
        return;
      case 'beat':
        this.#shell.beat();
        return;
      case 'cut':
        this.#read(n % 5);
        this.#resume(n);
        return;
      case 'restart':
        this.#resume(n, () => {
          world.evicted += n % (world.head - world.evicted + 1);
          world.isReady = false;
        });
        return;
      case 'ready':
        this.#becomeReady();
        return;
      case 'fill':
        world.isFull = n % 3 > 0;
        return;
      case 'repair':
        this.#shell.repair();
        return;
      case 'unsubscribe': {
        const { sent } = this.#shell;
        this.#shell.end();
        const count = sent.length;
        this.#publish();
        assert.equal(sent.length, count);
        this.#read(Number.POSITIVE_INFINITY);
        this.#shell = this.#subscribe(n);
        return;
      }
      default:
        t satisfies never;
    }
  }

  /** Lets everything finish without further disconnects. */
  settle(): void {
    this.world.isFull = false;
    this.#becomeReady();
    for (let round = 0; round < 5_000; round += 1) {
      this.#read(Number.POSITIVE_INFINITY);
      if (this.pending.length === 0 && this.#shell.queue.length === 0) break;
      // The tape continues, so that no wait for it lasts for ever.
      if (round % 50 === 49) this.#publish();
      this.#answer(round);
    }
    this.#shell.beat();
    this.#read(Number.POSITIVE_INFINITY);
  }

  #publish(): void {
    const { world } = this;
    if (!world.isReady || world.head + 1 >= world.log.flushes.length) return;
    world.head += 1;
    this.#shell.publish(world.log.flushes[world.head]!.flush);
  }

  #read(count: number): void {
    for (const message of this.#shell.read(count)) this.client.hear(message);
    if (!this.client.isRefused) return;
    this.client.isRefused = false;
    this.client.hear({ t: 'reset', sub: SUB, reason: 'cursor_expired' });
    this.#shell = this.#start({ t: 'live' });
  }

  #answer(n: number): void {
    const [answer] = this.pending.splice(n % Math.max(1, this.pending.length), 1);
    answer?.();
  }

  #becomeReady(): void {
    if (this.world.isReady) return;
    this.world.isReady = true;
    this.#shell.becomeReady();
  }

  resumeFrom(start: DeliveryStart): void {
    this.#shell.end();
    this.#shell = this.#start(start);
  }

  #resume(n: number, between: () => void = () => {}): void {
    this.#shell.end();
    between();
    this.#shell = this.#subscribe(n);
  }

  /** Usually from the last cursor received, sometimes from an earlier one since the last snapshot. */
  #subscribe(n: number): DeliveryShell {
    const { cursors } = this.client;
    const index = n % 3 === 0 ? n % Math.max(1, cursors.length) : cursors.length - 1;
    const cursor = cursors[index];
    if (cursor !== undefined) return this.#start({ t: 'cursor', cursor: parseCursor(cursor)! });
    if (this.#script.starts === 'live') return this.#start({ t: 'live' });
    return this.#start({ t: 'time', time: this.#startTime });
  }

  #start(start: DeliveryStart): DeliveryShell {
    this.#subscriptions += 1;
    const { historyDays } = this.#script;
    const rights: StartRights = {
      historyFrom: (now) =>
        historyDays === null ? null : ((midnightOf(now) - BigInt(historyDays) * DAY_NS) as EpochNs),
      contractOn: () => 'AA',
      epochReset: () => null,
    };
    return new DeliveryShell(this.world, start, rights, this, `${this.#subscriptions}`);
  }
}
