/**
 * Plays the example sessions line by line: a real gateway over a simulated tape with real accounts,
 * and one client at a time. Time passes only where a session says so.
 */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { PLANS, type Plan } from '@tapeloom/core/entitlement/plan';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { Contract } from '@tapeloom/core/instrument/contract';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { addDays, epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import type { HandedOutKey } from '../packages/server/testing/accounts/memory-accounts.ts';
import { AccountStream } from '../packages/server/testing/stream/account-stream.ts';
import { DAY } from '../packages/server/testing/stream/in-process-stream.ts';
import { clientFrame } from '../packages/server/testing/stream/raw-socket.ts';
import { StallingSocket } from '../packages/server/testing/stream/stalling-socket.ts';
import { StreamClient } from '../packages/server/testing/stream/stream-client.ts';
import { MemoryTape } from '../packages/server/testing/tape/memory-tape.ts';
import { maskedBy, type Session, type SessionLine } from './protocol-sessions.ts';
import { WAIT_LIMIT_MS } from './running-service.ts';

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, h: 3_600_000 };
const TICKS_PER_POINT = 4;
const TEXT_FRAME = 0x81;

/** The contracts of the examples, and an alias that rolls at the end of the day. */
const BOOK = new InstrumentBook(['ESZ6', 'ESH7'].map(contract), [
  {
    alias: 'ES.c.0',
    dataset: 'sim',
    root: 'ES',
    rolls: [
      { from: addDays(DAY, -90), symbol: 'ESZ6' },
      { from: addDays(DAY, 1), symbol: 'ESH7' },
    ],
  },
]);

/** The client of a session, on a real socket or on a socket that can stop reading. */
interface Peer {
  readonly messages: readonly ServerMessage[];
  readonly closing: { readonly code: number; readonly reason: string } | null;
  send(text: string): void;
  end(): void;
}

type Direction = (stage: SessionStage, words: readonly string[]) => Promise<void>;

const DIRECTIONS: readonly (readonly [RegExp, Direction])[] = [
  [/^a client connects with a key of the plan (\w+)$/, (stage, [plan]) => stage.arrive(plan!)],
  [/^the client connects again$/, (stage) => stage.connect()],
  [/^a browser connects, without a header$/, (stage) => stage.connectBare()],
  [/^its web server gets a token for it: POST \/v1\/stream-tokens$/, (stage) => stage.getToken()],
  [
    /^(\d+) lots? (?:is|are) (bought|sold) at ([\d.]+)$/,
    (stage, [size, side, price]) => stage.trade(Number(size), side!, Number(price)),
  ],
  [/^(\d+) (s|min|h) pass$/, (stage, [count, unit]) => stage.pass(Number(count), unit!)],
  [/^it is (\d\d:\d\d:\d\d) UTC$/, (stage, [time]) => stage.wait(time!)],
  [/^the connection breaks$/, (stage) => stage.leave()],
  [/^the client stops reading, and (\d+) trades follow$/, (stage, [n]) => stage.flood(Number(n))],
  [/^the account's plan becomes (\w+)$/, (stage, [plan]) => stage.changePlan(plan!)],
  [/^the server restarts$/, (stage) => stage.restart()],
];

export async function play({ lines }: Session): Promise<void> {
  const tape = new MemoryTape('ESZ6', 1_000);
  await using desk = await AccountStream.start({ tape, book: BOOK, limits: { silenceMs: 30_000 } });
  const isAboutSlowness = (line: SessionLine) => 'text' in line && /stops reading/.test(line.text);
  await using stage = new SessionStage(desk, lines.some(isAboutSlowness));
  for (const line of lines) await stage.perform(line);
  await stage.finish();
}

class SessionStage implements AsyncDisposable {
  readonly #desk: AccountStream;
  readonly #mayStall: boolean;
  #key: HandedOutKey | null = null;
  #token = '';
  #peer: Peer | null = null;
  /** The peer's socket if it can stop reading. */
  #stalling: StallingSocket | null = null;
  /** How many messages of this connection were compared. */
  #heard = 0;
  /** Whether unlisted messages may precede a close. */
  #mayHaveMore = false;

  constructor(desk: AccountStream, mayStall: boolean) {
    this.#desk = desk;
    this.#mayStall = mayStall;
  }

  async perform(line: SessionLine): Promise<void> {
    switch (line.t) {
      case 'client':
        return this.#send(line.text.replace('"token":"…"', `"token":"${this.#token}"`));
      case 'server':
        return this.#expect(line.text);
      case 'many':
        this.#mayHaveMore = true;
        return;
      case 'close':
        return this.#expectClose(`${line.code} ${line.reason}`);
      case 'direction':
        return this.#follow(line.text);
      default:
        line satisfies never;
    }
  }

  async arrive(plan: string): Promise<void> {
    this.#key = await this.#desk.key(planNamed(plan));
    await this.connect();
  }

  async connect(): Promise<void> {
    const { stream } = this.#desk;
    const key = this.#key!;
    await this.leave();
    this.#heard = 0;
    if (this.#mayStall) {
      this.#stalling = await StallingSocket.open(stream, key.text);
      this.#peer = stallingPeer(this.#stalling);
    } else this.#peer = peerOf(await this.#desk.connect(key).opened());
  }

  async connectBare(): Promise<void> {
    this.#peer = peerOf(await new StreamClient(this.#desk.stream.url).opened());
  }

  async getToken(): Promise<void> {
    this.#key = await this.#desk.key('live');
    this.#token = await this.#desk.accounts.token(this.#key);
  }

  /** The results are published at the next edge, at most one and a half steps later. */
  async trade(size: number, side: string, price: number): Promise<void> {
    const { stream } = this.#desk;
    stream.trade({ price: price * TICKS_PER_POINT, size, side: side === 'bought' ? 1 : -1 });
    await stream.pass(30);
  }

  async pass(count: number, unit: string): Promise<void> {
    await this.#desk.stream.pass(count * UNITS_MS[unit]!);
  }

  async wait(time: string): Promise<void> {
    const { clock, stream } = this.#desk;
    clock.advanceTo(parseInstant(`2026-11-12T${time}Z`)!);
    stream.promise();
    await turn();
  }

  async flood(count: number): Promise<void> {
    const { stream } = this.#desk;
    this.#stalling!.stall();
    stream.trade(...Array.from({ length: count }, () => ({ price: 24_421 })));
    await stream.pass(30);
    await this.#until(() => stream.gateway.metrics.subscriptions === 0, 'a close');
    this.#stalling!.readOn();
  }

  async changePlan(plan: string): Promise<void> {
    await this.#desk.accounts.setPlan(this.#key!.record.accountId, planNamed(plan));
  }

  async restart(): Promise<void> {
    await this.#desk.stream.gateway.drain();
  }

  /** Ends the connection and waits until the server has noticed. */
  async leave(): Promise<void> {
    const { metrics } = this.#desk.stream.gateway;
    this.#peer?.end();
    this.#peer = null;
    await this.#until(() => metrics.connections === 0, 'the end of the connection');
  }

  /** An unlisted message is a fault of the page. */
  async finish(): Promise<void> {
    if (this.#peer?.closing === null) {
      await this.#send('{"t":"ping","id":"the end"}');
      await this.#expect('{"t":"pong","id":"the end","ts":"…"}');
    }
    assert.deepEqual(this.#desk.stream.faults, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  /** Resolves when the server has received the text; later events follow it. */
  async #send(text: string): Promise<void> {
    const { metrics } = this.#desk.stream.gateway;
    const before = metrics.messagesReceivedTotal;
    this.#peer!.send(text);
    await this.#until(() => metrics.messagesReceivedTotal > before, `the server to read ${text}`);
  }

  async #follow(text: string): Promise<void> {
    for (const [pattern, direction] of DIRECTIONS) {
      const words = pattern.exec(text)?.slice(1);
      if (words !== undefined) return direction(this, words);
    }
    throw new Error(`nobody knows how to play "${text}"`);
  }

  async #expect(text: string): Promise<void> {
    const peer = this.#peer!;
    await this.#until(() => peer.messages.length > this.#heard || peer.closing !== null, text);
    const message = peer.messages[this.#heard];
    assert.ok(message !== undefined, `closed (${peer.closing?.code}) instead of ${text}`);
    this.#heard += 1;
    assert.equal(JSON.stringify(maskedBy(JSON.parse(text), message)), text);
  }

  async #expectClose(text: string): Promise<void> {
    const peer = this.#peer!;
    await this.#until(() => peer.closing !== null, `close ${text}`);
    if (!this.#mayHaveMore) assert.deepEqual(peer.messages.slice(this.#heard), []);
    assert.equal(`${peer.closing?.code} ${peer.closing?.reason}`, text);
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + WAIT_LIMIT_MS;
    while (!isSo()) {
      assert.ok(performance.now() < deadline, `waited in vain for ${what}`);
      await turn();
    }
  }
}

function peerOf(client: StreamClient): Peer {
  let closing: Peer['closing'] = null;
  void client.closed.then((close) => {
    closing = close;
  });
  return {
    messages: client.messages,
    get closing() {
      return closing;
    },
    send: (text) => client.send(text),
    end: () => client[Symbol.dispose](),
  };
}

function stallingPeer(socket: StallingSocket): Peer {
  return {
    messages: socket.messages,
    get closing() {
      return socket.closing;
    },
    send: (text) => void socket.sendFrames(clientFrame(TEXT_FRAME, Buffer.from(text))),
    end: () => socket.destroy(),
  };
}

function planNamed(name: string): Plan {
  const plan = PLANS.find((known) => known === name);
  assert.ok(plan !== undefined, `there is no plan ${name}`);
  return plan;
}

function contract(symbol: string): Contract {
  return {
    symbol,
    dataset: 'sim',
    root: 'ES',
    name: `E-mini S&P 500 ${symbol}`,
    exchange: 'SIM',
    currency: 'USD',
    tickSizeNanos: 1_000_000_000 / TICKS_PER_POINT,
    lotSizeNanos: 1_000_000_000,
    pointValueNanos: 50_000_000_000,
    calendar: 'sim',
    expiresAt: epochNs(addDays(DAY, 60), 0),
  };
}
