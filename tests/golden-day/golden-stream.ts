/**
 * The golden day as a stream, read from a socket. The tape advances second by second. The digest
 * covers what each topic has published at each second's end, so the flush edges within a second do
 * not matter. Then other clients resume in the middle, or start at a time.
 */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { SessionKind } from '@tapeloom/core/calendar/session';
import { extendSessionBook, sessionTable } from '@tapeloom/core/calendar/session-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { utcDay } from '@tapeloom/core/utc-day';
import { createSimUniverse } from '@tapeloom/server/markets/sim/sim-universe';
import { FLOOD, InProcessStream } from '../../packages/server/testing/stream/in-process-stream.ts';
import {
  openClient,
  type StreamClient,
} from '../../packages/server/testing/stream/stream-client.ts';
import { MemoryTape, type MemoryTrade } from '../../packages/server/testing/tape/memory-tape.ts';
import { ManualClock } from '../../simulation/clock/manual-clock.ts';
import { compare, type Digests, digestOf, type LogItem, Present } from './golden-digest.ts';
import { LIVE_START, SYMBOL } from './golden-tape.ts';
import { GOLDEN_TOPICS, type GoldenTopic } from './golden-topics.ts';

const SECOND = 1_000_000_000n;
/** After this many rounds without a message, none is under way. */
const QUIET_ROUNDS = 2;
const LOG_KINDS: readonly string[] = ['snapshot', 'upsert', 'remove', 'reset'];
/** On a past day, at midnight of the open day, and in a dense stretch; all whole seconds. */
const START_TIMES = ['2026-11-10T15:00:03Z', '2026-11-11', '2026-11-11T15:30:05Z'];
const SUBSCRIPTIONS_PER_CLIENT = 16;

interface Heard extends LogItem {
  readonly final?: boolean;
}

export async function streamDigests(
  trades: readonly MemoryTrade[],
  liveSeconds: number,
): Promise<Digests> {
  await using stream = await streamUpTo(LIVE_START, trades);
  const live = new GoldenStream(stream);
  for (const mode of ['live', 'confirmed'] as const) {
    for (const topic of GOLDEN_TOPICS) await live.subscribe(topic, mode, 'live');
  }
  await live.settle();
  let at: bigint = LIVE_START;
  for (let second = 0; second < liveSeconds; second += 1) {
    const next = (at + SECOND) as EpochNs;
    stream.tape.commit(
      trades.filter((trade) => trade.at >= at && trade.at < next),
      next,
    );
    await stream.jump(1_000);
    await live.settle();
    live.endSecond();
    at = next;
  }
  const digests = live.digests();
  Object.assign(digests, await comeBack(stream, live));
  assert.deepEqual(stream.faults, []);
  return digests;
}

async function streamUpTo(
  start: EpochNs,
  trades: readonly MemoryTrade[],
): Promise<InProcessStream> {
  const { book } = createSimUniverse({ seed: 1, printsScale: 1 }, utcDay(20261111));
  const calendar = calendarNamed(book.contract(SYMBOL)!.calendar);
  const sessions = extendSessionBook(null, calendar, utcDay(20260901), utcDay(20261201), start);
  const tape = new MemoryTape(SYMBOL, 1_000);
  tape.commit(
    trades.filter(({ at }) => at < start),
    start,
  );
  return await InProcessStream.start({
    ...FLOOD,
    clock: new ManualClock(start),
    tape,
    book,
    sessions: sessionTable(sessions, 'full'),
    sessionsOf: (kind: SessionKind) => sessionTable(sessions, kind),
  });
}

/** Clients that resume, or start at times of all ages, receive exactly what was published. */
async function comeBack(stream: InProcessStream, live: GoldenStream): Promise<Digests> {
  const back = new GoldenStream(stream);
  for (const topic of GOLDEN_TOPICS) {
    const heard = live.heard(`${topic.name}, live`);
    const { cursor } = heard[Math.floor(heard.length / 2)]!;
    await back.subscribe(topic, 'live', { cursor });
    for (const time of START_TIMES) await back.subscribe(topic, 'live', { time });
  }
  await back.settle();
  for (const { name } of GOLDEN_TOPICS) {
    const heard = live.heard(`${name}, live`);
    const { cursor } = heard[Math.floor(heard.length / 2)]!;
    assert.deepEqual(
      back.heard(`${name}, live after ${cursor}`),
      heard.filter((item) => compare(item.cursor, cursor) > 0),
      `${name} resumed`,
    );
  }
  back.endSecond();
  return back.digests((name) => !name.includes(' after '));
}

class GoldenStream {
  readonly #stream: InProcessStream;
  readonly #clients: StreamClient[] = [];
  /** Messages by subscription, in the order of arrival. */
  readonly #heard = new Map<string, Heard[]>();
  /** By subscription: the messages up to the end of the last second, and the states so far. */
  readonly #seconds = new Map<string, { heard: number; present: Present; states: string[] }>();
  readonly #names = new Map<string, string>();
  /** Subscriptions past warming; before that, silence may mean that results are computed. */
  readonly #arrived = new Set<string>();
  #taken: number[] = [];

  constructor(stream: InProcessStream) {
    this.#stream = stream;
  }

  async subscribe(
    { name, indicator, params }: GoldenTopic,
    mode: 'live' | 'confirmed',
    from: 'live' | { readonly cursor: string } | { readonly time: string },
  ): Promise<void> {
    const sub = `s${this.#names.size}`;
    if (this.#names.size % SUBSCRIPTIONS_PER_CLIENT === 0) {
      this.#clients.push(await openClient(this.#stream));
      this.#taken.push(0);
    }
    const start =
      from === 'live' ? '' : ` ${'time' in from ? `from ${from.time}` : `after ${from.cursor}`}`;
    this.#names.set(sub, `${name}, ${mode}${start}`);
    this.#heard.set(this.#names.get(sub)!, []);
    const client = this.#clients.at(-1)!;
    client.send({ t: 'subscribe', sub, instrument: SYMBOL, indicator, params, mode, from });
    await client.answered();
  }

  /** Resolves when everything that follows from the tape so far has arrived. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS || this.#arrived.size < this.#names.size; ) {
      for (let turns = 0; turns < 4; turns += 1) await turn();
      await Promise.all(this.#clients.map((client) => client.answered()));
      quiet = this.#take() ? 0 : quiet + 1;
    }
  }

  heard(name: string): readonly Heard[] {
    return this.#heard.get(name)!;
  }

  /** Call when all messages up to a whole second have arrived. */
  endSecond(): void {
    for (const [name, heard] of this.#heard) {
      const second = this.#seconds.getOrInsertComputed(name, () => {
        return { heard: 0, present: new Present(), states: [] };
      });
      second.states.push(JSON.stringify(second.present.changes(heard.slice(second.heard))));
      second.heard = heard.length;
    }
  }

  digests(isWanted: (name: string) => boolean = () => true): Digests {
    const digests: Digests = {};
    for (const [name, { states }] of this.#seconds) {
      if (isWanted(name)) digests[`stream ${name}`] = digestOf(states.length, states.join('\n'));
    }
    return digests;
  }

  #take(): boolean {
    let isNew = false;
    for (const [index, client] of this.#clients.entries()) {
      for (const message of client.messages.slice(this.#taken[index])) {
        assert.notEqual(message.t, 'error', JSON.stringify(message));
        if (message.t === 'status' && 'sub' in message && message.state !== 'warming') {
          this.#arrived.add(String(message.sub));
        }
        if (!LOG_KINDS.includes(message.t)) continue;
        const { sub, ...item } = message as Heard & { readonly sub: string };
        this.#heard.get(this.#names.get(sub)!)!.push(item);
        isNew = true;
      }
      this.#taken[index] = client.messages.length;
    }
    return isNew;
  }
}
