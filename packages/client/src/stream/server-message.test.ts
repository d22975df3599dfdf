import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readServerMessage } from './server-message.ts';

const read = (message: object) => readServerMessage(JSON.stringify(message));
const hb = (cursor: string) => read({ t: 'hb', ts: '1', cursor });

test('a cursor is a day and two numbers without leading zeros, and nothing else', () => {
  const good = ['20261112.0.0', '20261112.10.1', `20261112.${'9'.repeat(19)}.${'1'.repeat(19)}`];
  for (const cursor of good) assert.notEqual(hb(cursor), 'bad', cursor);
  const bad = [
    ...['', '.', '..', '20261112', '20261112.', '20261112.1', '20261112.1.', '20261112..1'],
    ...['02026111.1.1', '2026111.21.1', '202611121.1.1', '20261112.01.1', '20261112.1.01'],
    ...['20261112.1.1.', '20261112.1.1.1', ' 20261112.1.1', '20261112.1.1\n', '20261112.-1.1'],
    ...['20261112.1e1.1', '2026111２.1.1', `20261112.${'1'.repeat(20)}.1`, '20261112.1.x'],
  ];
  for (const cursor of bad) assert.equal(hb(cursor), 'bad', cursor);
});

test('a time is nanoseconds in digits, whatever time came before it', () => {
  const pong = (ts: unknown) => read({ t: 'pong', ts });
  for (const ts of ['1', '1', '1794300000000000000']) assert.notEqual(pong(ts), 'bad');
  for (const ts of ['', '-1', '1.5', '1'.repeat(20), 1, null]) assert.equal(pong(ts), 'bad');
  assert.notEqual(pong('0'), 'bad');
});

test('the kind of a message is read from t, and from no other field [WS-03]', () => {
  const [sub, cursor, ts] = ['s1', '20261112.9.2', '1794300000000000000'];
  const object = { id: '20261112.9', final: false, ts };
  const fields = {
    upsert: { sub, cursor, ...object, data: {} },
    remove: { sub, cursor, ...object },
    hb: { ts },
    snapshot: { sub, cursor, items: [] },
    status: { sub, state: 'live', lagMs: 0 },
    subscribed: { sub, contract: 'ESZ6', tickSizeNanos: 250_000_000 },
    reset: { sub, reason: 'roll' },
    error: { code: 'INTERNAL', message: 'x' },
    pong: { ts },
    notice: { kind: 'reconnect' },
  };
  for (const [t, others] of Object.entries(fields)) {
    assert.deepEqual(read({ t, ...others }), { t, ...others });
    for (const name of ['type', 'T', 'op', 'event']) {
      assert.equal(read({ [name]: t, ...others }), 'bad', t);
      assert.equal(read({ t: 'of a newer server', [name]: t, ...others }), null, t);
    }
  }
});
