/**
 * An engine that computes nothing: every topic is live at once with an empty snapshot and publishes
 * the flushes it is given. They look like flushes of small tick bars: finished bars of about 300
 * bytes each. Cursors ascend over all flushes ever made.
 */

import { type Cursor, formatCursor } from '@tapeloom/core/cursor';
import type { Rank } from '@tapeloom/core/numbers';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import { Block } from '@tapeloom/server/blocks/block';
import { BlockWriter } from '@tapeloom/server/blocks/block-writer';
import type { Clock } from '@tapeloom/server/platform/clock';
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
  readonly #writer = new BlockWriter();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  listen(hear: (message: EngineMessage) => void): void {
    this.#hear = hear;
    this.#pulse();
    this.#clock.every(PULSE_MS, () => this.#pulse());
  }

  send(command: EngineCommand): void {
    if (!('topic' in command)) return;
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
        const at = this.#place();
        this.#writer.add('snapshot', false, at, '"items":[]', 0);
        const block = this.#writer.take(at.day);
        this.#hear({ t: 'snapshot', topic, request: command.request, block });
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
    const { day } = this.#place();
    for (let index = 0; index < messages; index += 1) {
      this.#rank += 1;
      const id = `${1_794_700_800 + this.#rank}`;
      this.#writer.add('upsert', true, { ...this.#place(), day }, membersOf(id, this.#rank), 0);
    }
    const { parts: block } = this.#writer.take(day);
    return { t: 'flush', topic: this.#topic, position: this.#cursor(), block };
  }

  play(flush: FlushMessage): void {
    const block = new Block(flush.block);
    block.fromNs.fill(Number(this.#clock.now() - epochNs(block.day, 0)));
    this.#hear({ ...flush, topic: this.#topic });
  }

  #pulse(): void {
    const watermarks = new Map([['SIM', this.#clock.now()]]);
    this.#hear({ t: 'pulse', watermarks, topics: [] });
  }

  #cursor(): string {
    return formatCursor(this.#place());
  }

  #place(): Cursor {
    return { day: dayOf(this.#clock.now()), rank: this.#rank as Rank, k: 1 };
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
