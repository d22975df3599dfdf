/** A hub whose engines are simulated by the test, and subscribers that record what they receive. */

import assert from 'node:assert/strict';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { parseCursor } from '@tapeloom/core/cursor';
import type { UtcDay } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { emptyBlock } from '../../src/blocks/block.ts';
import type { EngineCommand, EngineMessage, TopicSpec } from '../../src/topics/engine-link.ts';
import type { Flush } from '../../src/topics/flush.ts';
import type { RingPiece } from '../../src/topics/ring.ts';
import type { Refusal, Subscriber, Topic } from '../../src/topics/topic.ts';
import { TopicHub } from '../../src/topics/topic-hub.ts';
import { TEST_DATASET } from '../tape/one-dataset.ts';
import { cursorsIn, type FlushPress, type MessagePlan } from './published-flushes.ts';

export const DAY = utcDay(20261112);
export const READY = { warm: true, lagMs: 0, partialSince: null } as const;
export const MIDNIGHT = `${DAY}.0.0`;
export const OPEN = epochNs(DAY, 36_000_000_000_000);
export const CLOSE = epochNs(DAY, 72_000_000_000_000);
const SESSIONS = createSessionTable([{ date: DAY, open: OPEN, close: CLOSE }]);

export function spec(size: number, delaySeconds = 0): TopicSpec {
  return { contract: 'ESZ6', indicator: 'bars', params: { size }, delaySeconds };
}

/** An engine simulated by the test. */
export class PlayedEngine {
  readonly sent: EngineCommand[] = [];
  hear: (message: EngineMessage) => void = () => {};
  lose: (cause: Error) => void = () => {};
  readonly link = {
    send: (command: EngineCommand) => this.sent.push(command),
    listen: (hear: (message: EngineMessage) => void, lost: (cause: Error) => void) => {
      this.hear = hear;
      this.lose = lost;
    },
  };

  kinds(): readonly string[] {
    return this.sent.map((command) => command.t);
  }

  /** Makes a topic publish from here on. */
  goLive(topic: number, press: FlushPress): void {
    this.hear({ t: 'live', topic, floor: press.floor });
    this.hear({ t: 'ready', topic, position: MIDNIGHT, ...READY });
  }

  publish(topic: number, press: FlushPress, padding = 10): void {
    const plan: MessagePlan = { kind: 'upsert', final: false, id: 'a', padding };
    this.hear({ t: 'flush', topic, ...press.next([plan], 1_000) });
  }
}

/** A subscriber on its topic. */
export class Attachment {
  readonly topic: Topic;
  readonly #hub: TopicHub;
  readonly #subscriber: Subscriber;

  constructor(hub: TopicHub, topic: Topic, subscriber: Subscriber) {
    this.#hub = hub;
    this.topic = topic;
    this.#subscriber = subscriber;
  }

  get isReady(): boolean {
    return this.topic.isReadyFor(this.#subscriber);
  }

  get floor(): string | null {
    return this.topic.ring?.floorOf(this.#subscriber.mode) ?? null;
  }

  pull(after: string, bytesMax: number): RingPiece | null {
    return this.topic.pull(this.#subscriber, parseCursor(after)!, bytesMax);
  }

  requestSnapshot(): void {
    this.#hub.requestSnapshot(this.topic, this.#subscriber);
  }

  detach(): void {
    this.#hub.detach(this.topic, this.#subscriber);
  }
}

export class TopicStage implements Disposable {
  readonly clock = new ManualClock(OPEN);
  readonly engines: readonly PlayedEngine[];
  readonly hub: TopicHub;

  /** `timeOf`: the dataset of a contract. */
  constructor(
    engines = 1,
    ringBytesMax = 1e9,
    timeOf: (contract: string) => string = () => TEST_DATASET,
  ) {
    const { clock } = this;
    const fullSessions = () => SESSIONS;
    this.hub = new TopicHub({
      ...{ clock, timers: clock, fullSessions, ringBytesMax },
      datasets: [TEST_DATASET],
      timeOf,
    });
    this.engines = Array.from({ length: engines }, () => new PlayedEngine());
    this.hub.connect(this.engines.map(({ link }) => link));
  }

  get engine(): PlayedEngine {
    return this.engines[0]!;
  }

  attach(of: TopicSpec, subscriber: Subscriber, since: string | null = null): Attachment {
    const topic = this.hub.attach(of, subscriber, since);
    assert.ok(!('code' in topic), 'code' in topic ? topic.code : '');
    return new Attachment(this.hub, topic, subscriber);
  }

  refusal(of: TopicSpec, subscriber = new Listener()): string | null {
    const answer = this.hub.attach(of, subscriber);
    return 'code' in answer ? answer.code : null;
  }

  /** A ready topic of this account; it is watched until it is detached. */
  watched(of: TopicSpec, account: string, engine = this.engine): Attachment {
    const attachment = this.attach(of, new Listener(500, account));
    const opened = engine.sent.at(-1);
    assert.ok(opened?.t === 'open');
    engine.hear({ t: 'ready', topic: opened.topic, position: MIDNIGHT, ...READY });
    return attachment;
  }

  [Symbol.dispose](): void {
    this.hub[Symbol.dispose]();
    assert.equal(this.clock.timerCount, 0);
  }
}

export class Listener implements Subscriber {
  readonly mode = 'live';
  readonly depth: number;
  readonly account: string;
  idleTopicsMax = 10_000;
  readonly heard: string[] = [];
  readonly cursors: string[] = [];

  constructor(depth = 500, account = 'one') {
    this.depth = depth;
    this.account = account;
  }

  refuseOpen: () => Refusal | null = () => null;
  shows: (day: UtcDay) => boolean = () => true;
  ready = () => this.heard.push('ready');
  snapshot = () => this.heard.push('snapshot');
  flush = (flush: Flush) => {
    this.heard.push('flush');
    this.cursors.push(...cursorsIn([flush], 'live'));
  };
  status = (state: string) => this.heard.push(state);
  outdated = () => this.heard.push('outdated');
  ended = (code: string) => this.heard.push(code);
}

/** An empty flush or snapshot. */
export const FRAMES = { block: emptyBlock(DAY, 0, 0) };
