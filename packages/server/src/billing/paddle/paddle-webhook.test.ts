import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { paddleSignature, readPaddleWebhook } from './paddle-webhook.ts';

const NOW = 1_794_823_200_000_000_000n as EpochNs;
const SECOND_NS = 1_000_000_000n;
const EVENT_ID = `evt_${'0'.repeat(25)}1`;

function event(data: object, more: object = {}): Buffer {
  return Buffer.from(
    JSON.stringify({
      event_id: EVENT_ID,
      event_type: 'transaction.completed',
      occurred_at: '2026-11-16T10:00:00.123456Z',
      data,
      ...more,
    }),
  );
}

const BODY = event({ id: `txn_${'0'.repeat(26)}` });

function read(secrets: readonly string[], signature: string, body = BODY, now: bigint = NOW) {
  return readPaddleWebhook(secrets, { 'paddle-signature': signature }, body, now as EpochNs);
}

test('any of our secrets fits any of the signatures while one is changed, here or there [SEC-29]', () => {
  for (const [ours, theirs, isGood] of [
    [['new', 'old'], ['old'], true],
    [['new', 'old'], ['new'], true],
    [['old'], ['new', 'old'], true],
    [['new'], ['new', 'old'], true],
    [['new'], ['old'], false],
    [[], ['new'], false],
    [['a', 'b'], ['c', 'd'], false],
  ] as const) {
    const signature = paddleSignature(theirs, BODY, NOW);
    assert.equal(read(ours, signature) !== null, isGood, `${ours} / ${theirs}`);
  }
  const many = paddleSignature(['x', 'x', 'x', 'x', 'x'], BODY, NOW);
  assert.equal(read(['x'], many), null, 'more than anybody sends');
});

test('a signature is good for five minutes before and after its time, by our clock [SEC-29]', () => {
  const signature = paddleSignature(['s'], BODY, NOW);
  for (const [seconds, isGood] of [
    [0n, true],
    [300n, true],
    [-300n, true],
    [301n, false],
    [-301n, false],
  ] as const) {
    assert.equal(
      read(['s'], signature, BODY, NOW + seconds * SECOND_NS) !== null,
      isGood,
      String(seconds),
    );
  }
  const [, hex] = signature.split(';h1=');
  for (const broken of [
    `ts=1;h1=${hex}`,
    `ts=01;h1=${hex}`,
    `h1=${hex}`,
    `${signature};`,
    ` ${signature}`,
    signature.replace('ts=', 'ts=-'),
    signature.replace(';h1=', ';h2='),
    signature.toUpperCase(),
  ]) {
    assert.equal(read(['s'], broken), null, broken);
  }
});

test('an event names its object, an adjustment its transaction; what cannot be read is not taken', () => {
  const signed = (body: Buffer) => read(['s'], paddleSignature(['s'], body, NOW), body);
  const transaction = `txn_${'0'.repeat(26)}`;
  assert.deepEqual(signed(BODY), {
    id: EVENT_ID,
    objectRef: transaction,
    at: 1_794_823_200_123_000_000n,
  });
  const adjustment = { id: `adj_${'0'.repeat(26)}`, transaction_id: transaction };
  assert.equal(signed(event(adjustment))!.objectRef, transaction);
  for (const body of [
    event({}),
    event({ id: 7 }),
    event({ id: `adj_${'0'.repeat(26)}` }),
    event({ id: transaction }, { event_id: 'evt_1' }),
    event({ id: transaction }, { occurred_at: 'yesterday' }),
    event({ id: transaction }, { data: null }),
    Buffer.from('null'),
    Buffer.from('[]'),
    Buffer.from([0x7b, 0xff, 0x7d]),
  ]) {
    assert.equal(signed(body), null, body.toString());
  }
});
