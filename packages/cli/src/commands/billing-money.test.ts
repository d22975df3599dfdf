import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrderRecord } from '@tapeloom/server/accounts/orders/orders-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { AccountsHandle } from '@tapeloom/server/accounts/store/thread/accounts-handle';
import { Billing } from '@tapeloom/server/billing/billing';
import { offerBook } from '@tapeloom/server/billing/offers';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { Payments } from '@tapeloom/server/billing/payments';
import { stripeProvider } from '@tapeloom/server/billing/stripe/stripe-provider';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { createLog } from '@tapeloom/server/platform/log/log';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { StripeServer } from '../../../server/testing/billing/stripe/stripe-server.ts';
import { payCheckout } from '../../../server/testing/billing/stripe/stripe-world-checkout.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const KEY = 'rk_test_onlyInTests';
const SECRET = 'whsec_onlyInTests';
const PUBLIC_URL = 'https://tapeloom.example.com';
const clock = createClock({ kind: 'system' });
const log = createLog({ level: 'silent', readable: false, write: () => undefined });
const data = mkdtempSync(join(tmpdir(), 'tapeloom-money-'));
const stripe = new StripeServer({
  ...{ key: KEY, secrets: [SECRET], webhookUrl: `${PUBLIC_URL}/v1/webhooks/stripe` },
  clock: () => clock.now(),
  send: async () => 200,
});
let url: string;
let store: AccountStore;
let billing: Billing;
let payments: Payments;
let service: NodeJS.Timeout;
let lock: Disposable;

before(async () => {
  url = await stripe.listen();
  lock = lockDirectory(data);
  store = await AccountsHandle.open({ path: accountsPath(data), onFault: assert.ifError });
  const provider = stripeProvider({
    ...{ key: KEY, webhookSecrets: [SECRET], isTaxAutomatic: false, url, clock, log },
  });
  const countries = [{ code: 'DE', provider: 'stripe' }];
  const offers = offerBook({ ...DEFAULT_PRICING, countries });
  const publicUrl = () => PUBLIC_URL;
  payments = new Payments({ store, providers: [provider], clock, log });
  billing = new Billing({ store, payments, offers: () => offers, publicUrl, clock, log });
  service = setInterval(() => void payments.reconcile(), 20);
});
after(async () => {
  clearInterval(service);
  await payments.idle();
  await store[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
  lock[Symbol.dispose]();
  rmSync(data, { recursive: true, force: true });
});

const run = (...words: readonly string[]) => answering(undefined, ...words);
const answering = (answers: readonly string[] | undefined, ...words: readonly string[]) =>
  runRecorded(commands, words, {
    env: {
      TAPELOOM_DATA: data,
      TAPELOOM_STRIPE_KEY: KEY,
      TAPELOOM_STRIPE_WEBHOOK_SECRETS: SECRET,
      TAPELOOM_STRIPE_URL: url,
    },
    ...(answers === undefined ? {} : { answers }),
  });

async function bought(name: string, offer: 'live' | 'history'): Promise<OrderRecord> {
  const call = { now: clock.now(), actor: { kind: 'operator' } } as const;
  const account = await store.createAccount(call, { name, grants: [] });
  assert.ok('id' in account);
  const order = await billing.checkout({
    ...{ accountId: account.id, sessionId: 'ses_1', offer, country: 'DE', address: '192.0.2.7' },
    waiver: { accepted: true, version: DEFAULT_PRICING.waiver.version },
  });
  assert.ok('id' in order);
  payCheckout(stripe.world, order.ref, 'card');
  return await payments.look(order);
}

test('a subscription is cancelled with its period without a question, and once', async () => {
  const order = await bought('a', 'live');
  const done = await run('billing', 'cancel', order.id);
  assert.deepEqual([done.code, done.out], [0, `${order.id}: paid → cancelled\n`], done.err);
  assert.match((await run('billing', 'cancel', order.id)).out, /is already cancelled/);
  const audit = await store.audit({ accountId: order.accountId, limit: 100 });
  const asked = audit.find(({ kind }) => kind === 'order.cancel-asked');
  assert.equal(asked?.details.isNow, false);
});

test('ending a subscription at once asks, and a purchase has nothing to cancel', async () => {
  const order = await bought('b', 'live');
  const no = await answering(['n'], 'billing', 'cancel', order.id, '--now');
  assert.deepEqual([no.code, no.err], [1, 'Nothing was changed.\n']);
  const done = await answering(['yes'], 'billing', 'cancel', order.id, '--now');
  assert.equal(done.out, `${order.id}: paid → ended\n`, done.err);
  const purchase = await bought('c', 'history');
  assert.match((await run('billing', 'cancel', purchase.id)).err, /paid once and does not renew/);
});

test('a part of a charge is given back and the rest later, never more than there was', async () => {
  const order = await bought('d', 'history');
  const refund = (...words: string[]) => run('billing', 'refund', order.id, ...words);
  assert.equal((await refund()).code, 2, 'nobody is there to be asked');
  for (const wrong of ['0', '-1', '1.234', 'x', '491']) {
    assert.equal((await refund('--amount', wrong, '--yes')).code, 2, wrong);
  }
  const part = await refund('--amount', '90.5', '--yes');
  assert.match(part.out, /: paid → paid, €90\.50 refunded\n$/, part.err);
  const asked = await answering(['y'], 'billing', 'refund', order.id);
  assert.match(asked.out, /: paid → refunded, €399\.50 refunded\n$/, asked.err);
  assert.match((await refund('--yes')).err, /its newest charge has already been refunded/);
});

test('a full refund of a subscription ends it, and so do the rights', async () => {
  const order = await bought('e', 'live');
  const done = await run('billing', 'refund', order.id, '--yes', '--json');
  assert.equal(done.code, 0, done.err);
  assert.notEqual(JSON.parse(done.out).state, 'paid');
  const [account] = [await store.findAccount(order.accountId)];
  assert.deepEqual(account!.grants, []);
});

test('a provider whose key is not set here is named', async () => {
  const order = await bought('f', 'live');
  const env = { TAPELOOM_DATA: data };
  const missing = await runRecorded(commands, ['billing', 'cancel', order.id], { env });
  assert.match(missing.err, /paid with stripe, but TAPELOOM_STRIPE_KEY is not set here/);
});
