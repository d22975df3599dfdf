/**
 * An engine that computes nothing: every topic is live at once with an empty snapshot, and publishes the
 * flushes it is handed. They look like those of small tick bars: so many finished bars of about 300
 * bytes each. Cursors ascend over all flushes ever made.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Clock } from '@tapeloom/server/platform/clock';
import { FrameEncoder } from '@tapeloom/server/runs/frame-encoder';
import type {
  EngineCommand,
  EngineLink,
  EngineMessage,
  FlushMessage,
} from '@tapeloom/server/topics/engine-link';

const PULSE_MS = 1_000;

export class FanoutPlayer implements EngineLink {
  readonly #clock: Clock;
  #hear: (message: EngineMessage) => void = () => {};
  #topic = 0;
  #rank = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  listen(hear: (message: EngineMessage) => void): void {
    this.#hear = hear;
    this.#pulse();
    this.#clock.every(PULSE_MS, () => this.#pulse());
  }

  send(command: EngineCommand): void {
    if (command.t === 'repaired') return;
    const { topic } = command;
    switch (command.t) {
      case 'open':
        this.#topic = topic;
        this.#hear({ t: 'live', topic, floor: this.#cursor() });
        this.#hear({
          t: 'ready',
          topic,
          position: this.#cursor(),
          warm: true,
          lagMs: 0,
          partialSince: null,
        });
        return;
      case 'snapshot': {
        const frames = new FrameEncoder();
        const about = { kind: 'snapshot', id: '', final: false, cursor: this.#cursor() } as const;
        frames.add(about, '"items":[]');
        this.#hear({ t: 'snapshot', topic, request: command.request, ...frames.take() });
        return;
      }
      case 'wanted':
      case 'close':
        return;
      default:
        command satisfies never;
    }
  }

  makeFlush(messages: number): FlushMessage {
    const frames = new FrameEncoder();
    for (let index = 0; index < messages; index += 1) {
      this.#rank += 1;
      const id = `${1_794_700_800 + this.#rank}`;
      const about = { kind: 'upsert', id, final: true, cursor: this.#cursor() } as const;
      frames.add(about, membersOf(id, this.#rank));
    }
    const position = this.#cursor();
    return { t: 'flush', topic: this.#topic, edge: this.#clock.now(), position, ...frames.take() };
  }

  play(flush: FlushMessage): void {
    this.#hear({ ...flush, topic: this.#topic, edge: this.#clock.now() });
  }

  #pulse(): void {
    const promise = this.#clock.now();
    this.#hear({ t: 'pulse', promise: promise as EpochNs, topics: [] });
  }

  #cursor(): string {
    return `${dayOf(this.#clock.now())}.${this.#rank}.1`;
  }
}

function membersOf(id: string, number: number): string {
  const price = 20_000 + (number % 97);
  const data = {
    open: price,
    high: price + 3,
    low: price - 2,
    close: price + 1,
    volume: 40 + (number % 13),
    buyVolume: 22,
    sellVolume: 18,
    trades: 10,
    delta: 4,
    deltaHigh: 9,
    deltaLow: -3,
    end: `${id}000000000`,
  };
  return `"id":"${id}","final":true,"ts":"${id}000000000","data":${JSON.stringify(data)}`;
}
