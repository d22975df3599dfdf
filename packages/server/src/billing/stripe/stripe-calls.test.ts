import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import Stripe from 'stripe';
import {
  checkout,
  DAY_MS,
  HOUR_MS,
  NEVER,
  paid,
  started,
  stateOf,
} from '../../../testing/billing/provider-rig.ts';
import { StripeRig } from '../../../testing/billing/stripe/stripe-rig.ts';
import { payCheckout } from '../../../testing/billing/stripe/stripe-world-checkout.ts';
import { createLog } from '../../platform/log/log.ts';
import { type ProviderEvent, UpstreamError } from '../payment-provider.ts';
import { StripeClient } from './stripe-client.ts';
import { STRIPE_EVENTS } from './stripe-events.ts';

const open = (options = {}) => StripeRig.open({ isSocket: false, ...options });

test('an account has one customer at Stripe, who keeps the newest address', async () => {
  await using rig = await open();
  const { customers } = rig.server.world;
  const start = (email: string | null, accountId = 'acc_1') =>
    rig.provider.startCheckout({ ...checkout(), accountId, email }, NEVER);
  await start('first@example.com');
  await start('first@example.com');
  assert.equal(customers.length, 1, 'search does not find it yet');
  await rig.pass(DAY_MS);
  await start('second@example.com');
  await start(null);
  assert.deepEqual(
    customers.map(({ email }) => email),
    ['second@example.com'],
  );
  await start(null, 'acc_2');
  assert.equal(customers.length, 2);
  await assert.rejects(start(null, "acc' OR metadata['x']:'y"), UpstreamError);
});

test('a checkout that was made and never answered is the same when it is asked for later', async () => {
  await using rig = await open();
  await started(rig);
  await rig.pass(DAY_MS);
  const start = checkout();
  rig.reach('cut');
  await assert.rejects(rig.provider.startCheckout(start, NEVER), UpstreamError);
  rig.reach('up');
  assert.equal(await rig.checkouts(start.orderId), 1, 'the work was done');
  await rig.pass(2 * HOUR_MS);
  const { ref } = await rig.provider.startCheckout(start, NEVER);
  assert.equal(await rig.checkouts(start.orderId), 1);
  assert.equal((await rig.provider.fetch(ref, NEVER))?.orderId, start.orderId);
});

test('a refund is made once for its key, also when Stripe has forgotten the key', async () => {
  await using rig = await open();
  const ref = await paid(rig, 'purchase');
  const part = { key: 'withdrawal:ord_1', amountMinor: 1_000 };
  assert.equal(await rig.provider.refund(ref, part, NEVER), 'done');
  await rig.pass(3 * DAY_MS);
  assert.equal(await rig.provider.refund(ref, part, NEVER), 'done');
  const { refunds } = rig.server.world;
  assert.equal(refunds.length, 1);
  refunds[0]!.status = 'pending';
  assert.equal(await rig.provider.refund(ref, part, NEVER), 'pending');
  for (const status of ['failed', 'canceled', 'thought about']) {
    refunds[0]!.status = status;
    await assert.rejects(rig.provider.refund(ref, part, NEVER), UpstreamError, status);
  }
  const more = { key: 'withdrawal:ord_2', amountMinor: 1_000_000 };
  assert.equal(await rig.provider.refund(ref, more, NEVER), 'done');
  assert.equal(await stateOf(rig, ref), 'refunded', 'no more than there is');
});

test('a checkout that is paid while it is closed stays paid, and one that is ended then is ended', async () => {
  await using rig = await open();
  for (const call of ['closeCheckout', 'cancelNow'] as const) {
    const ref = await started(rig);
    rig.server.bend = (answer) => {
      rig.server.bend = null;
      payCheckout(rig.server.world, ref);
      return answer;
    };
    await rig.provider[call](ref, NEVER);
    assert.equal(await stateOf(rig, ref), call === 'cancelNow' ? 'ended' : 'paid');
  }
});

test('whatever an event is about leads to its checkout, and what is another’s leads nowhere', async () => {
  await using rig = await open();
  const { world } = rig.server;
  const running = await paid(rig);
  const bought = await paid(rig, 'purchase');
  for (const ref of [running, bought]) {
    await rig.refund(ref, 100);
    await rig.dispute(ref, 'open');
  }
  const locate = (id: string) => rig.provider.locate(id, NEVER);
  const lists = [world.invoices, world.intents, world.charges, world.refunds, world.disputes];
  for (const list of lists) {
    assert.deepEqual(await Promise.all(list.map(({ id }) => locate(id))), [running, bought]);
  }
  assert.equal(await locate(rig.subscriptionOf(running).id), running);
  assert.equal(await locate(running), running);
  for (const session of world.sessions) session.metadata = {};
  for (const list of [...lists, world.subscriptions, world.sessions]) {
    for (const { id } of list) assert.equal(await locate(id), null, id);
  }
  assert.equal(await rig.provider.fetch(running, NEVER), null, 'a checkout of another shop');
  for (const id of ['sub_x', 'in_x', 'pi_x', 'ch_x', 'py_x', 're_x', 'du_x', 'dp_x', 'evt_x']) {
    assert.equal(await locate(id), null, id);
  }
});

test('events are told once each, however many fall into a second or wait in all', async () => {
  await using rig = await open();
  const { world } = rig.server;
  const from = rig.now();
  await paid(rig);
  const told = world.events[0]!.data.object as never;
  for (let count = 0; count < 1_300; count += 1) {
    if (count % 120 === 0) rig.clock.advance(1_000);
    world.emit('invoice.paid', told);
  }
  const seen: ProviderEvent[] = [];
  let next: EpochNs = from;
  for (let pages = 0; pages < 20; pages += 1) {
    const { events, nextFrom } = await rig.provider.eventsSince(next, 250, NEVER);
    seen.push(...events);
    next = nextFrom;
    if (events.length < 250) break;
  }
  assert.equal(seen.length, new Set(seen.map(({ id }) => id)).size);
  const wanted = world.events.filter(({ type }) => !/created|succeeded/.test(type));
  assert.deepEqual(
    seen.map(({ id }) => id),
    wanted.map(({ id }) => id),
  );
  assert.deepEqual((await rig.provider.eventsSince(next, 250, NEVER)).events, []);
});

test('limits, refused keys and failures are told in words that hold no key, and keys go with every post', async () => {
  await using rig = await open();
  const ref = await paid(rig);
  rig.server.limited = 1;
  await assert.rejects(rig.provider.fetch(ref, NEVER), /429 rate_limit/);
  const stranger = rig.providerWith([], 'sk_test_stranger_4711');
  await assert.rejects(stranger.fetch(ref, NEVER), (error: Error) => {
    assert.match(error.message, /refused the key: 401/);
    assert.doesNotMatch(error.message, /4711|\*\*\*/);
    return true;
  });
  rig.reach('down');
  await assert.rejects(rig.provider.fetch(ref, NEVER), /said 500/);
  rig.reach('up');
  await rig.provider.customerPortal(ref, 'https://tapeloom.example.com/orders', NEVER);
  const posts = rig.server.requests.filter(({ method }) => method === 'POST');
  assert.ok(posts.length > 2);
  assert.ok(posts.every(({ headers }) => headers['idempotency-key'] !== undefined));
  assert.ok(rig.logged.every((line) => !line.includes('sk_test_rig')));
});

test('what Stripe says of an address or a key is not repeated in the log', async () => {
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    readable: false,
    write: (line) => void lines.push(line),
  });
  for (const [status, message] of [
    [400, 'Invalid email address: ada@example.com'],
    [401, 'Invalid API Key provided: sk_test_****abcd'],
    [403, 'The provided key rk_live_*****abcd does not have access'],
  ] as const) {
    const error = { type: 'invalid_request_error', message };
    const client = new StripeClient({
      key: 'sk_test_1',
      url: 'https://stripe.example',
      request: async () => new Response(JSON.stringify({ error }), { status }),
    });
    const asked = client.ask(NEVER, (api) => api.customers.create({ email: 'ada@example.com' }));
    await asked.catch((fault: unknown) => log.warn({ error: fault }, 'told'));
  }
  assert.equal(lines.length, 3);
  for (const line of lines) assert.doesNotMatch(line, /ada@|abcd/);
});

test('the doctor reads what has to be set at Stripe, and says what is missing', async () => {
  await using rig = await open({ isTaxAutomatic: true });
  const outcomes = async () =>
    Object.fromEntries((await rig.provider.examine(NEVER)).map((one) => [one.what, one.outcome]));
  const asked = rig.server.requests.length;
  assert.deepEqual(await outcomes(), {
    key: 'warning',
    'webhook secrets': 'ok',
    account: 'ok',
    checkouts: 'ok',
    events: 'ok',
    'webhook endpoint': 'ok',
    'customer portal': 'ok',
    tax: 'ok',
  });
  assert.ok(rig.server.requests.slice(asked).every(({ method }) => method === 'GET'));
  const [endpoint] = rig.server.world.endpoints;
  endpoint!.enabled_events = ['checkout.session.completed'];
  rig.refuseWebhooks(10);
  await paid(rig);
  const findings = await rig.provider.examine(NEVER);
  const detail = (what: string) => findings.find((one) => one.what === what)?.detail ?? '';
  assert.match(detail('webhook endpoint'), /does not get .*invoice\.paid/);
  assert.match(detail('events'), /was not delivered to its webhook/);
  endpoint!.status = 'disabled';
  assert.equal((await outcomes())['webhook endpoint'], 'fault');
  rig.server.world.endpoints.length = 0;
  assert.equal((await outcomes())['webhook endpoint'], 'warning');
  const stranger = await rig.providerWith([], 'pk_test_1').examine(NEVER);
  assert.deepEqual(
    stranger.slice(0, 3).map(({ outcome }) => outcome),
    ['fault', 'fault', 'fault'],
  );
});

test('the operator’s page names the events that are listed, and the version that was tried', async () => {
  const page = new URL('../../../../../docs/operating/stripe.md', import.meta.url);
  const text = await readFile(page, 'utf8');
  const named = text.match(/`(?:checkout|customer|invoice|charge|refund)\.[a-z_.]+`/g) ?? [];
  assert.deepEqual(
    named.map((name) => name.slice(1, -1)),
    [...STRIPE_EVENTS],
  );
  assert.ok(text.includes(`(${Stripe.PACKAGE_VERSION}, API version \`${Stripe.API_VERSION}\`)`));
});
