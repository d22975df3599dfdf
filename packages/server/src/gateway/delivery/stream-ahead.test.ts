/** Cursors beyond what a key may see: the response and its timing reveal nothing of the hidden tape. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { RANK_MAX } from '@tapeloom/core/numbers';
import { addDays } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { AccountStream } from '../../../testing/stream/account-stream.ts';
import { DAY, FLOOD } from '../../../testing/stream/in-process-stream.ts';
import { StallingSocket } from '../../../testing/stream/stalling-socket.ts';
import { subscribe } from '../../../testing/stream/stream-client.ts';
import { AHEAD_MS_MAX } from '../../runs/ahead-wait.ts';

const STEP_MS = 50;
const TRADES_SEEN = 5;
const TRADES_HIDDEN = 30;
const MINUTE_MS = 60_000;

/** Trades of which a delayed key sees the first few, the others each a second after the one before. */
async function market(): Promise<AccountStream> {
  const desk = await AccountStream.start(FLOOD);
  for (let seen = 0; seen < TRADES_SEEN; seen += 1) desk.stream.trade({ price: 100 + seen });
  await desk.stream.pass(10 * MINUTE_MS);
  for (let hidden = 0; hidden < TRADES_HIDDEN; hidden += 1) {
    desk.stream.trade({ price: 200 + hidden });
    await desk.stream.pass(1_000);
  }
  return desk;
}

interface Told {
  readonly afterMs: number;
  /** Without the name of its subscription. */
  readonly message: ServerMessage;
}

/** The first message about each subscription, and how much time had passed by then. */
async function firstTold(
  desk: AccountStream,
  socket: StallingSocket,
  cursors: readonly string[],
): Promise<readonly Told[]> {
  const from = desk.clock.now();
  const heard = socket.messages.length;
  const subs = cursors.map((_, index) => `${heard}.${index}`);
  await socket.send(
    ...cursors.map((cursor, index) => subscribe(subs[index]!, { from: { cursor } })),
  );
  const told = new Map<string, Told>();
  for (let ms = 0; ms <= 2 * AHEAD_MS_MAX && told.size < subs.length; ms += STEP_MS) {
    for (let turns = 0; turns < 5; turns += 1) await turn();
    for (const message of socket.messages.slice(heard)) {
      const sub = 'sub' in message ? message.sub : undefined;
      if (sub === undefined || told.has(sub)) continue;
      const afterMs = Number((desk.clock.now() - from) / 1_000_000n);
      told.set(sub, { afterMs, message: { ...message, sub: '' } as ServerMessage });
    }
    await desk.stream.pass(STEP_MS);
  }
  await socket.send(...subs.map((sub) => ({ t: 'unsubscribe', sub })));
  return subs.map((sub) => told.get(sub)!);
}

/** Ranks that a delayed key does not see for a while: trades that have happened, and others. */
const hiddenRanks = fc.oneof(
  fc.integer({ min: TRADES_SEEN + 10, max: TRADES_SEEN + TRADES_HIDDEN }),
  fc.integer({ min: TRADES_SEEN + TRADES_HIDDEN + 1, max: TRADES_SEEN + TRADES_HIDDEN + 9 }),
  fc.integer({ min: TRADES_SEEN + TRADES_HIDDEN + 1, max: RANK_MAX }),
);
const hiddenCursors = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant(0), hiddenRanks, fc.nat({ max: 9 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(1, 2, 400), fc.nat(), fc.nat({ max: 9 })) },
);

test('a key with a delay is told the same after the same time, whether a cursor ahead exists or not [DET-13] [SEC-25]', async () => {
  for (const plan of ['sandbox', 'history'] as const) {
    await using desk = await market();
    const socket = await StallingSocket.open(desk.stream, (await desk.key(plan)).text);
    await fc.assert(
      fc.asyncProperty(hiddenCursors, hiddenCursors, async (...pair) => {
        const cursors = pair.map(([days, rank, k]) => `${addDays(DAY, days)}.${rank}.${k}`);
        const [one, other] = await firstTold(desk, socket, cursors);
        assert.deepEqual(one, {
          afterMs: AHEAD_MS_MAX,
          message: { t: 'reset', sub: '', reason: 'entitlement_changed' },
        });
        assert.deepEqual(other, one);
      }),
      { numRuns: 20 },
    );
    socket.destroy();
  }
});

test('a key without a delay is told that nobody has reached such a cursor, after the same time [DET-13]', async () => {
  await using desk = await market();
  const socket = await StallingSocket.open(desk.stream, (await desk.key('live')).text);
  const last = TRADES_SEEN + TRADES_HIDDEN;
  const ahead = [
    `${DAY}.${last + 1}.0`,
    `${DAY}.99999.1`,
    `${addDays(DAY, 1)}.0.0`,
    '20990101.1.1',
  ];
  const [at, ...told] = await firstTold(desk, socket, [`${DAY}.${last}.7`, ...ahead]);
  assert.deepEqual([at!.afterMs, at!.message.t], [0, 'subscribed']);
  for (const { afterMs, message } of told) {
    assert.ok(message.t === 'error' && message.code === 'INVALID_PARAMETERS');
    assert.deepEqual(message.errors, [
      { path: '/from/cursor', message: 'This cursor is ahead of the stream.' },
    ]);
    assert.equal(afterMs, AHEAD_MS_MAX);
  }
  socket.destroy();
});

test('a cursor that the edge reaches while it is waited for is gone on from, the one at the edge at once', async () => {
  await using desk = await market();
  const socket = await StallingSocket.open(desk.stream, (await desk.key('sandbox')).text);
  // The first hidden trade is seen ten minutes after it happened, the next ones each a second later.
  await desk.stream.pass(10 * MINUTE_MS - TRADES_HIDDEN * 1_000 - 900);
  const edge = `${DAY}.${TRADES_SEEN}.50`;
  const next = `${DAY}.${TRADES_SEEN + 1}.0`;
  const [seen, reached] = await firstTold(desk, socket, [edge, next]);
  assert.deepEqual([seen!.afterMs, seen!.message.t], [0, 'subscribed']);
  assert.equal(reached!.message.t, 'subscribed');
  assert.ok(reached!.afterMs > 900 && reached!.afterMs < AHEAD_MS_MAX);
  socket.destroy();
});

test('who leaves while a cursor is waited for leaves no timer behind, and holds its slot until then', async () => {
  await using desk = await market();
  const key = await desk.key('sandbox');
  const timers = desk.clock.timerCount;
  const socket = await StallingSocket.open(desk.stream, key.text);
  const connected = desk.clock.timerCount;
  const ahead = { from: { cursor: `${DAY}.${TRADES_SEEN + 20}.1` } };
  await socket.send(subscribe('a', ahead), subscribe('b', ahead), subscribe('c', ahead));
  await desk.stream.pass(1_000);
  assert.equal(desk.clock.timerCount, connected + 2);
  assert.deepEqual(
    socket.messages.map((it) => (it.t === 'error' ? [it.sub, it.code] : it.t)),
    [['c', 'QUOTA_EXCEEDED']],
  );
  await socket.send({ t: 'unsubscribe', sub: 'a' });
  assert.equal(desk.clock.timerCount, connected + 1);
  socket.destroy();
  while (desk.stream.gateway.metrics.connections > 0) await turn();
  assert.equal(desk.clock.timerCount, timers);
  assert.equal(desk.stream.gateway.metrics.subscriptions, 0);
});
