import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaddleRig, RIG_KEY, RIG_URL } from '../../../testing/billing/paddle/paddle-rig.ts';
import { checkout, fetched, NEVER, stateOf } from '../../../testing/billing/provider-rig.ts';
import { UpstreamError } from '../payment-provider.ts';

test('a checkout is a transaction with its own price and product, the tax as agreed, and our page as its address', async () => {
  await using rig = await PaddleRig.open();
  const { transactions, customers, addresses } = rig.local.books;
  for (const [taxIncluded, mode, total] of [
    [true, 'internal', '7900'],
    [false, 'external', '9401'],
  ] as const) {
    const start = { ...checkout(), taxIncluded };
    const { ref, url } = await rig.provider.startCheckout(start, NEVER);
    const transaction = transactions.get(ref)!;
    const price = transaction.items[0]!.price!;
    assert.deepEqual(price.unit_price, { amount: '7900', currency_code: 'EUR' });
    assert.deepEqual(price.billing_cycle, { interval: 'month', frequency: 1 });
    assert.deepEqual([price.tax_mode, price.product!.name], [mode, 'Live']);
    assert.deepEqual(price.quantity, { minimum: 1, maximum: 1 });
    assert.equal(transaction.details!.totals!.grand_total, total);
    assert.deepEqual(transaction.custom_data, { tapeloom_order: start.orderId });
    assert.deepEqual([transaction.status, transaction.collection_mode], ['ready', 'automatic']);
    const kept = new URL(transaction.checkout!.url!);
    assert.equal(kept.searchParams.get('customer'), transaction.customer_id);
    kept.searchParams.delete('customer');
    assert.equal(kept.href, url, 'Paddle adds the transaction as we do');
    assert.ok(
      url.startsWith(`${RIG_URL}/pay/paddle?return=%2Forders%3Forder%3D1&back=%2Fplans&_ptxn=`),
    );
    // The charge includes added tax; the agreed price does not.
    rig.local.books.pay(ref);
    const { amountMinor, currency } = await fetched(rig, ref);
    assert.deepEqual([amountMinor, currency], [7_900, 'EUR']);
    const [receipt] = await rig.provider.receipts(ref, NEVER);
    assert.equal(receipt!.totalMinor, Number(total));
    assert.ok(receipt!.taxMinor! > 1_000);
  }
  const once = await rig.provider.startCheckout(checkout('purchase'), NEVER);
  assert.equal(transactions.get(once.ref)!.items[0]!.price!.billing_cycle, null);
  assert.deepEqual([customers.size, addresses.size], [1, 1], 'found again, not made again');
});

test('one order has one checkout after a restart, and after answers that were lost on the way', async () => {
  await using rig = await PaddleRig.open();
  const start = checkout();
  for (const lost of [/^\/customers$/, /\/addresses$/, /^\/transactions$/]) {
    rig.reach('cut');
    rig.local.isLost = (path) => lost.test(path);
    await assert.rejects(rig.provider.startCheckout(start, NEVER), UpstreamError, String(lost));
    rig.restart();
  }
  rig.reach('up');
  const first = await rig.provider.startCheckout(start, NEVER);
  rig.restart();
  assert.deepEqual(await rig.provider.startCheckout(start, NEVER), first);
  assert.equal(await rig.checkouts(start.orderId), 1);
  const { customers, addresses } = rig.local.books;
  assert.deepEqual([customers.size, addresses.size], [1, 1]);
});

test('a customer who was archived, or is written in other letters, is taken up again', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const known = books.addCustomer('Buyer@Example.com');
  known.status = 'archived';
  const { ref } = await rig.provider.startCheckout(checkout(), NEVER);
  assert.equal(books.transactions.get(ref)!.customer_id, known.id);
  assert.equal(known.status, 'active');
  known.status = 'archived';
  const next = await rig.provider.startCheckout({ ...checkout(), email: known.email }, NEVER);
  assert.equal(books.transactions.get(next.ref)!.customer_id, known.id);
  const nobody = rig.provider.startCheckout({ ...checkout(), email: null }, NEVER);
  await assert.rejects(nobody, /without an e-mail address/);
});

test('where Paddle wants a postal code the buyer gives it there, and such a checkout can be closed all the same', async () => {
  await using rig = await PaddleRig.open();
  const { books } = rig.local;
  const start = { ...checkout(), country: 'US' };
  const { ref } = await rig.provider.startCheckout(start, NEVER);
  assert.equal(books.transactions.get(ref)!.status, 'draft');
  assert.equal(await stateOf(rig, ref), 'open');
  for (let times = 0; times < 2; times += 1) {
    await rig.provider.closeCheckout(ref, NEVER);
    assert.equal(await stateOf(rig, ref), 'failed');
  }
  assert.throws(() => books.pay(ref));
  const left = [...books.addresses.values()].filter(({ status }) => status === 'active');
  assert.deepEqual(left, [], 'the address that closed it is put away');
  const second = await rig.provider.startCheckout({ ...checkout(), country: 'US' }, NEVER);
  books.pay(second.ref);
  assert.equal(await stateOf(rig, second.ref), 'paid');
  // Paddle has the postal code now.
  const third = await rig.provider.startCheckout({ ...checkout(), country: 'US' }, NEVER);
  assert.equal(books.transactions.get(third.ref)!.status, 'ready');
});

test('whoever was told to wait is not asked again before that, and no fault tells a key or an address', async () => {
  await using rig = await PaddleRig.open();
  const start = { ...checkout(), email: 'secret.buyer@example.com' };
  rig.local.reach = 'limited';
  const said: string[] = [];
  const refusedOf = async () => {
    const error = await rig.provider.startCheckout(start, NEVER).catch((it: unknown) => it);
    assert.ok(error instanceof UpstreamError);
    said.push(`${error.stack} ${JSON.stringify(error)}`);
    return error.message;
  };
  assert.match(await refusedOf(), /too_many_requests/);
  rig.local.reach = 'up';
  assert.match(await refusedOf(), /request limit was reached, so the service did not /);
  assert.equal(rig.local.asked.length, 1);
  rig.clock.leap(20_000);
  await rig.provider.startCheckout(start, NEVER);
  rig.reach('down');
  rig.restart();
  await refusedOf();
  rig.reach('up');
  rig.local.books.customers.clear();
  rig.local.lie = () => ({ nothing: 'of use' });
  await refusedOf();
  for (const text of said) {
    assert.ok(!text.includes(RIG_KEY) && !text.includes('secret.buyer'), text);
  }
});
