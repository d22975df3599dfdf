/** What `subscribe` accepts and rejects, how a loop ends, and listeners that fail later. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamStage, speech } from '../../testing/stream-stage.ts';
import type { JoinedRequest } from '../joined/joined-reading.ts';
import type { HistoryRequest } from '../rest/history-request.ts';
import type { SubscribeRequest } from './subscription.ts';

const CURSOR = '20261112.5.1';

test('break out of a loop closes the subscription', async () => {
  const stage = new StreamStage();
  const { subscription, sub } = stage.subscribed();
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot(CURSOR, 'a'));
  for await (const _update of subscription) break;
  assert.equal(await subscription.ended, null);
  assert.equal(stage.client.connection, 'idle');
});

test('while others iterate or listen, break leaves it to them', async () => {
  const stage = new StreamStage();
  const { subscription, sub } = stage.subscribed();
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot(CURSOR, 'a'));
  const other = subscription[Symbol.asyncIterator]();
  for await (const _update of subscription) break;
  const forget = subscription.on('upsert', () => {});
  await other.return!();
  assert.equal(stage.client.connection, 'open');
  forget();
  for await (const _update of subscription) break;
  assert.equal(stage.client.connection, 'idle');
});

test('an async listener that rejects is a warning, as one that throws is', async () => {
  const stage = new StreamStage();
  const { subscription, sub } = stage.subscribed();
  const fault = new Error('later');
  subscription.on('snapshot', async () => {
    throw fault;
  });
  stage.client.on('connection', () => Promise.reject(fault) as unknown as undefined);
  stage.socket.say(speech(sub).subscribed, speech(sub).snapshot(CURSOR, 'a'));
  stage.socket.end();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(
    stage.warnings.map(({ code, cause }) => [code, cause]),
    [
      ['LISTENER_FAILED', fault],
      ['LISTENER_FAILED', fault],
    ],
  );
});

test('`from` takes every form of a time that history takes', () => {
  const ns = 1_794_182_400_000_000_000n;
  const times = [
    '2026-11-09',
    '2026-11-09T00:00:00Z',
    String(ns),
    ns,
    new Date('2026-11-09'),
    { epochNanoseconds: ns },
  ];
  for (const time of times) {
    for (const from of [time, { time }]) {
      const stage = new StreamStage();
      stage.subscribe({ from });
      stage.socket.open();
      const sent = stage.socket.sentOf('subscribe')[0]!.from as { readonly time: string };
      assert.equal(sent.time, typeof time === 'string' ? time : String(ns));
    }
  }
});

test('a wrong from, params, mode or signal is CONFIGURATION, and nothing is sent [CLIENT-27]', () => {
  const stage = new StreamStage();
  for (const wrong of [
    { from: 'yesterday' },
    { from: '' },
    { from: 5 },
    { from: null },
    { from: {} },
    { from: { cursor: 'abc' } },
    { from: { cursor: 5 } },
    { from: { time: 'soon' } },
    { from: new Date(Number.NaN) },
    { params: 'size=5' },
    { params: [1] },
    { params: null },
    { mode: 'fast' },
    { signal: {} },
    { signal: new AbortController() },
  ]) {
    assert.throws(() => stage.subscribe(wrong), { code: 'CONFIGURATION' }, JSON.stringify(wrong));
  }
  assert.equal(stage.sockets.length, 0);
});

test('an indicator that is misspelt does not compile; a text that is known later does', () => {
  const known: SubscribeRequest<'footprint'> = { indicator: 'footprint', instrument: 'ESZ6' };
  const later: string = ['bars', 'delta'].at(-1)!;
  const { client } = new StreamStage();
  client.subscribe({ indicator: later, instrument: 'ESZ6', params: { any: 1 } });
  client.subscribe(known);
  // These types are `never`: nothing can be assigned to them.
  const isRefused: [
    IsNever<SubscribeRequest<'footprnt'>['indicator']>,
    IsNever<HistoryRequest<'footprnt'>['indicator']>,
    IsNever<JoinedRequest<'footprnt'>['indicator']>,
    IsNever<SubscribeRequest<'footprint'>['indicator']>,
    IsNever<SubscribeRequest<string>['indicator']>,
  ] = [true, true, true, false, false];
  assert.equal(isRefused.length, 5);
});

type IsNever<T> = [T] extends [never] ? true : false;
