import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BillingRig } from '../../testing/billing/billing-rig.ts';
import { type Buyer, buyer, withdrawalOf } from '../../testing/billing/withdrawing-buyer.ts';
import { withdrawalForm } from './withdrawal-form.ts';

async function send(ada: Buyer, fields: Readonly<Record<string, string>>) {
  const route = withdrawalForm(() => ada.rig.billing.withdrawals);
  const request = { path: '/withdrawal', query: new URLSearchParams(), styles: [] } as const;
  const form = new URLSearchParams(fields);
  const answer = await route.handle({ ...request, method: 'POST', form, theme: null, icon: null });
  assert.ok('html' in answer);
  return answer;
}

test('a customer without scripts and without a session withdraws by order number and e-mail address', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const owner = (await rig.store.people.ownerOf(ada.accountId))!;
  const email = ` ${owner.email.toUpperCase()}`;
  const { status, html } = await send(ada, { order: ada.order.id, email, name: 'Ada <b>' });
  assert.equal(status, 200);
  assert.match(html, /<h1>Your withdrawal is recorded<\/h1>/);
  assert.match(html, /Ada &lt;b&gt;/);
  assert.equal((await withdrawalOf(ada)).email, owner.email);
  assert.equal(await rig.planOf(ada.accountId), 'sandbox');
  // A repeated form changes nothing.
  assert.equal((await send(ada, { order: ada.order.id, email })).status, 200);
});

test('an order number alone, or an address alone, changes nothing and says nothing', async () => {
  await using rig = await BillingRig.open();
  const ada = await buyer(rig);
  const { email } = (await rig.store.people.ownerOf(ada.accountId))!;
  for (const fields of [
    { order: ada.order.id, email: 'eve@example.com' },
    { order: ada.order.id, email: '' },
    { order: 'ord_unknown', email },
    { order: '', email: '' },
  ]) {
    const { status, html } = await send(ada, fields);
    assert.equal(status, 404);
    assert.match(html, /No order with this number belongs to this e-mail address/);
  }
  assert.equal(await rig.planOf(ada.accountId), 'live');
});

test('an order that cannot be withdrawn from says why', async () => {
  await using rig = await BillingRig.open();
  const bob = await buyer(rig, 'history');
  const { email } = (await rig.store.people.ownerOf(bob.accountId))!;
  const { status, html } = await send(bob, { order: bob.order.id, email });
  assert.equal(status, 409);
  assert.match(html, /ended when access was provided/);
});
