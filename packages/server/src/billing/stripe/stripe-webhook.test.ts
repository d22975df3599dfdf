import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { createLog } from '../../platform/log/log.ts';
import { stripeProvider } from './stripe-provider.ts';
import { stripeSignature } from './stripe-webhook.ts';

const NOW_S = 1_794_823_200;
const NOW = (BigInt(NOW_S) * 1_000_000_000n) as EpochNs;
const EVENT = {
  id: 'evt_1',
  object: 'event',
  created: NOW_S - 10,
  livemode: false,
  data: { object: { id: 'sub_1', object: 'subscription' } },
};

function providerOf(webhookSecrets: readonly string[], key = 'sk_test_1') {
  return stripeProvider({
    key,
    webhookSecrets,
    isTaxAutomatic: false,
    url: 'http://127.0.0.1:9',
    clock: new ManualClock(NOW),
    log: createLog({ level: 'silent', readable: true, write: () => undefined }),
  });
}

function sent(secrets: readonly string[], event: unknown = EVENT, at = NOW_S) {
  const body = Buffer.from(JSON.stringify(event));
  return { headers: { 'stripe-signature': stripeSignature(secrets, body, at) }, body };
}

function read(
  provider: ReturnType<typeof providerOf>,
  { headers, body }: ReturnType<typeof sent>,
): string | null {
  return provider.readWebhook(headers, body, NOW)?.objectRef ?? null;
}

test('a secret is rotated in the middle: each of two opens what either of them signed, and none after it went [SEC-29]', () => {
  const [before, during, after] = [['old'], ['old', 'new'], ['new']].map((one) => providerOf(one));
  const byOld = sent(['old']);
  const byBoth = sent(['old', 'new']);
  const byNew = sent(['new']);
  assert.deepEqual(
    [before!, during!, after!].map((one) => [byOld, byBoth, byNew].map((by) => read(one, by))),
    [
      ['sub_1', 'sub_1', null],
      ['sub_1', 'sub_1', 'sub_1'],
      [null, 'sub_1', 'sub_1'],
    ],
  );
  assert.equal(read(providerOf([]), byBoth), null, 'without a secret nothing is believed');
});

test('an event of test mode says nothing to a live key, nor one of live mode to a test key [SEC-29]', () => {
  const live = { ...EVENT, livemode: true };
  for (const key of ['sk_live_1', 'rk_live_1']) {
    assert.equal(read(providerOf(['s'], key), sent(['s'])), null, key);
    assert.equal(read(providerOf(['s'], key), sent(['s'], live)), 'sub_1', key);
  }
  for (const key of ['sk_test_1', 'rk_test_1']) {
    assert.equal(read(providerOf(['s'], key), sent(['s'], live)), null, key);
  }
});

test('a signature is good for five minutes before and after its time, by our clock [SEC-29]', () => {
  const provider = providerOf(['s']);
  for (const [at, isGood] of [
    [NOW_S - 300, true],
    [NOW_S + 300, true],
    [NOW_S - 301, false],
    [NOW_S + 301, false],
  ] as const) {
    assert.equal(read(provider, sent(['s'], EVENT, at)) !== null, isGood, String(at - NOW_S));
  }
});

test('two bodies that read the same have not the same signature [SEC-29]', () => {
  const provider = providerOf(['s']);
  const body = Buffer.from(JSON.stringify({ ...EVENT, note: '\uFFFD' }));
  const broken = Buffer.from(
    body.toString('latin1').replace('\u00EF\u00BF\u00BD', '\u00FF'),
    'latin1',
  );
  const decoded = new TextDecoder().decode(broken);
  assert.equal(decoded, body.toString(), 'decoded, they are one');
  const headers = { 'stripe-signature': stripeSignature(['s'], body, NOW_S) };
  assert.equal(provider.readWebhook(headers, body, NOW)?.id, 'evt_1');
  assert.equal(provider.readWebhook(headers, broken, NOW), null);
});

test('what is signed and cannot be used is nobody’s, and a thing without a name is its own [SEC-29]', () => {
  const provider = providerOf(['s']);
  for (const event of [
    null,
    [],
    'event',
    { ...EVENT, object: 'v2.core.event' },
    { ...EVENT, id: 'other' },
    { ...EVENT, created: 'today' },
    { ...EVENT, livemode: undefined },
  ]) {
    assert.equal(read(provider, sent(['s'], event)), null, JSON.stringify(event));
  }
  for (const data of [undefined, null, {}, { object: null }, { object: { id: 7 } }]) {
    assert.equal(read(provider, sent(['s'], { ...EVENT, data })), 'evt_1', JSON.stringify(data));
  }
  const { body } = sent(['s']);
  const [time, signature] = stripeSignature(['s'], body, NOW_S).split(',') as [string, string];
  for (const header of [`${time},${time},${signature}`, time, signature, `v1=,${time}`]) {
    assert.equal(provider.readWebhook({ 'stripe-signature': header }, body, NOW), null, header);
  }
  const more = `${time},v0=${'0'.repeat(64)},v1=${'0'.repeat(64)},${signature}`;
  assert.equal(provider.readWebhook({ 'stripe-signature': more }, body, NOW)?.id, 'evt_1');
});
