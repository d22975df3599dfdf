import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import type { SubscribeMessage } from '@tapeloom/protocol/client-messages';
import { Connection, type ConnectionEvent, EARLY_MESSAGES_MAX } from './connection.ts';
import type { StreamRequest } from './stream-request.ts';

const DAY = utcDay(20261112);
const ACCEPTED: ConnectionEvent = {
  t: 'judged',
  authentication: { verdict: 'accepted', principal: { accountId: 'a', keyId: 'k' } },
};

function text(message: unknown): ConnectionEvent {
  return { t: 'text', text: JSON.stringify(message), ts: '1', day: DAY };
}

/** Contracts are named by the instrument, followed by the day: every alias rolls daily. */
function resolve(message: SubscribeMessage, day: number): StreamRequest {
  const contract = message.instrument === 'alias' ? `${day}` : message.instrument;
  const spec = { contract, indicator: 'bars', params: {}, delaySeconds: 0 };
  return { message, spec, tickSizeNanos: 1, mode: 'live', depth: 500 };
}

function connection(): Connection {
  return new Connection({ resolve, subscriptionsMax: 3 });
}

function open(): Connection {
  const made = connection();
  made.step({ t: 'opened', authorization: 'Bearer x' });
  made.step(ACCEPTED);
  return made;
}

function subscribe(sub: string, instrument = 'AA') {
  return text({ t: 'subscribe', sub, instrument, indicator: 'bars' });
}

function kinds(actions: readonly { readonly t: string }[]): readonly string[] {
  return actions.map((action) => action.t);
}

test('a header is judged, and what arrives meanwhile waits for the verdict', () => {
  const one = connection();
  const judging = one.step({ t: 'opened', authorization: 'Bearer x' });
  assert.deepEqual(judging, [{ t: 'judge', authorization: 'Bearer x' }]);
  const ping = text({ t: 'ping' });
  assert.deepEqual(one.step(ping), []);
  assert.deepEqual(one.step(ACCEPTED), [{ t: 'replay', events: [ping] }]);
  assert.equal(one.principal?.keyId, 'k');
});

test('a client that sends too much before its key is judged is closed with 1008', () => {
  const one = connection();
  one.step({ t: 'opened', authorization: 'Bearer x' });
  for (let sent = 0; sent < EARLY_MESSAGES_MAX; sent += 1) {
    assert.deepEqual(one.step(text({ t: 'ping' })), []);
  }
  const [close] = one.step(text({ t: 'ping' }));
  assert.ok(close?.t === 'close' && close.code === 1008);
  assert.deepEqual(one.step(ACCEPTED), []);
});

test('after a close nothing is answered any more', () => {
  const events: readonly ConnectionEvent[] = [
    text({ t: 'ping' }),
    subscribe('b'),
    { t: 'binary' },
    { t: 'overflow' },
    { t: 'shutdown' },
    { t: 'heartbeat', ts: '1', cursors: new Map([['a', '20261112.1.1']]) },
    { t: 'status', sub: 'a', state: 'live', lagMs: 0 },
    { t: 'tape-day', day: utcDay(20261113) },
  ];
  const closing: readonly ConnectionEvent[] = [
    { t: 'binary' },
    { t: 'overflow' },
    { t: 'shutdown' },
  ];
  for (const close of closing) {
    const one = open();
    one.step(subscribe('a', 'alias'));
    assert.equal(one.step(close).at(-1)?.t, 'close');
    for (const event of events) assert.deepEqual(one.step(event), []);
  }
});

test('a subscription is attached, told of, and gone after its end', () => {
  const one = open();
  assert.deepEqual(kinds(one.step(subscribe('a'))), ['subscribe']);
  const attached = { t: 'attached', sub: 'a', topic: 'x', state: 'live', lagMs: 0 } as const;
  assert.deepEqual(
    one.step(attached).map((action) => action.t === 'send' && action.message.t),
    ['subscribed', 'status'],
  );
  const ended = { t: 'ended', sub: 'a', reply: { code: 'INTERNAL', message: 'm' } } as const;
  assert.deepEqual(one.step(ended), [
    { t: 'unsubscribe', sub: 'a' },
    { t: 'send', message: { t: 'error', sub: 'a', code: 'INTERNAL', message: 'm' } },
  ]);
  assert.deepEqual([one.step(ended), one.step(attached)], [[], []]);
  assert.deepEqual(kinds(one.step(subscribe('a'))), ['subscribe']);
});

test('a new tape day moves aliases that roll, and nothing else', () => {
  const one = open();
  one.step(subscribe('symbol'));
  one.step(subscribe('rolls', 'alias'));
  assert.deepEqual(one.step({ t: 'tape-day', day: DAY }), []);
  const actions = one.step({ t: 'tape-day', day: utcDay(20261113) });
  assert.deepEqual(kinds(actions), ['unsubscribe', 'send', 'subscribe']);
  const [, reset, next] = actions;
  assert.deepEqual(reset, { t: 'send', message: { t: 'reset', sub: 'rolls', reason: 'roll' } });
  assert.ok(next?.t === 'subscribe' && next.request.spec.contract === '20261113');
});
