import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import type { Clock } from '../platform/clock.ts';
import { createLog } from '../platform/log/log.ts';
import { askTestProvider, ORDER_ACTIONS, PROVIDER_ACTIONS } from './ask-test-provider.ts';
import { testPaymentsPath } from './payment-files.ts';
import { BUYER_CHANGES } from './test-payment.ts';
import { TestPayments } from './test-payments.ts';

const TERMS = {
  kind: 'subscription',
  offerName: 'Live',
  amountMinor: 7_900,
  currency: 'EUR',
  country: 'DE',
  returnUrl: 'http://127.0.0.1/orders',
  backUrl: 'http://127.0.0.1/plans',
} as const;

async function withPayments(run: (data: string, payments: TestPayments) => Promise<void>) {
  const data = await mkdtemp(join(tmpdir(), 'tapeloom-asked-'));
  const payments = await TestPayments.open({
    directory: testPaymentsPath(data),
    clock: new ManualClock(1_794_823_200_000_000_000n),
    log: createLog({ level: 'silent', readable: false, write: () => {} }),
    webhookUrl: () => 'http://127.0.0.1/v1/webhooks/test',
    send: async () => 200,
  });
  try {
    await run(data, payments);
  } finally {
    await payments[Symbol.asyncDispose]();
    await rm(data, { recursive: true });
  }
}

/** Every wait ends at once, after the provider has looked. */
function clockOf(look: () => Promise<void>): Clock {
  const after = (_ms: number, run: () => void) => {
    void look().then(run);
    return { [Symbol.dispose]: () => {} };
  };
  return { ...new ManualClock(0n), now: () => 0n as never, after, every: after };
}

test('what an operator asks for is played by the running service, and answered', async () => {
  await withPayments(async (data, payments) => {
    const { ref } = await payments.start({ ...TERMS, orderId: 'ord_1' });
    await payments.change(ref, BUYER_CHANGES.pay);
    const clock = clockOf(() => payments.look());
    const ask = (action: string, orderId: string | null) =>
      askTestProvider(data, { action, orderId }, clock);
    assert.deepEqual(await ask('fail', 'ord_1'), { done: 'past_due' });
    assert.deepEqual(await ask('renew', 'ord_1'), { done: 'paid' });
    assert.deepEqual(await ask('refund', 'ord_1'), { done: 'refunded' });
    assert.match(String(Object.values(await ask('refund', 'ord_1'))), /no money to give back/);
    assert.deepEqual(await ask('renew', 'ord_2'), {
      refused: 'The provider test has no such order.',
    });
    assert.deepEqual(await ask('toString', 'ord_1'), {
      refused: 'There is no "toString" to play.',
    });
    const [secret] = payments.secrets;
    for (const action of PROVIDER_ACTIONS.toReversed()) {
      assert.deepEqual(await ask(action, null), { done: action });
      if (action === 'rotate') assert.deepEqual(payments.secrets[1], secret);
      else assert.equal(payments.reach, action);
    }
    assert.deepEqual(await readdir(join(testPaymentsPath(data), 'asked')), []);
  });
  assert.deepEqual(ORDER_ACTIONS, ['renew', 'fail', 'refund', 'dispute', 'win', 'cancel', 'end']);
});

test('without a running service nothing is played, now or later', async () => {
  const data = await mkdtemp(join(tmpdir(), 'tapeloom-asked-'));
  const clock = clockOf(() => Promise.resolve());
  const ask = () => askTestProvider(data, { action: 'renew', orderId: 'ord_1' }, clock);
  const refused = /does not run/;
  assert.match(String(Object.values(await ask())), refused);
  await mkdir(join(testPaymentsPath(data), 'asked'), { recursive: true });
  assert.match(String(Object.values(await ask())), refused);
  assert.deepEqual(await readdir(join(testPaymentsPath(data), 'asked')), []);
  await rm(data, { recursive: true });
});

test('a request that cannot be read is answered, and the others are played', async () => {
  await withPayments(async (data, payments) => {
    const asked = join(testPaymentsPath(data), 'asked');
    for (const text of ['', '{', '[]', '{"action":1}', 'null']) {
      await writeFile(join(asked, `${crypto.randomUUID()}.json`), text);
    }
    const clock = clockOf(() => payments.look());
    assert.deepEqual(await askTestProvider(data, { action: 'down', orderId: null }, clock), {
      done: 'down',
    });
  });
});
