/** The results of a withdrawal at any provider: money, receipts, subscription and rights. */

import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OrderRecord } from '../../src/accounts/orders/orders-store.ts';
import type {
  Declared,
  WithdrawalRecord,
  WithdrawalRefused,
} from '../../src/accounts/orders/withdrawals-store.ts';
import { openSqliteAccountStore } from '../../src/accounts/store/sqlite/sqlite-account-store.ts';
import { type OpenStore, PaymentsOverRig } from './payments-over-rig.ts';
import { DAY_MS, HOUR_MS, type ProviderRig } from './provider-rig.ts';

/** The rest of the price after six days of a month, whatever its length. */
const [LEFT_MINOR_MIN, LEFT_MINOR_MAX] = [6_200, 6_400];

export class Withdrawer {
  readonly over: PaymentsOverRig;
  readonly accountId: string;
  readonly order: OrderRecord;

  private constructor(over: PaymentsOverRig, accountId: string, order: OrderRecord) {
    this.over = over;
    this.accountId = accountId;
    this.order = order;
  }

  /** Has paid for a month and used six days. */
  static async afterSixDays(over: PaymentsOverRig): Promise<Withdrawer> {
    const { rig } = over;
    const accountId = await over.account();
    const order = await over.order(accountId, 'subscription');
    await rig.pay(order.ref);
    await over.receive(await rig.sent());
    assert.equal(await over.planOf(accountId), 'live');
    await rig.pass(6 * DAY_MS);
    return new Withdrawer(over, accountId, order);
  }

  /** The same buyer, over another store. */
  in(over: PaymentsOverRig): Withdrawer {
    return new Withdrawer(over, this.accountId, this.order);
  }

  tryToDeclare(): Promise<Declared | WithdrawalRefused> {
    const { accountId, order, over } = this;
    const wish = { accountId, orderId: order.id, sessionId: null, address: '192.0.2.9' };
    return over.billing.withdrawals.declare({ ...wish, name: null });
  }

  async declare(): Promise<WithdrawalRecord> {
    const { accountId, over } = this;
    const { withdrawals } = over.billing;
    const declared = await this.tryToDeclare();
    assert.ok(!('refused' in declared));
    assert.equal(await over.planOf(accountId), 'sandbox', 'the rights are gone at once');
    await withdrawals.idle();
    return this.withdrawal();
  }

  async withdrawal(): Promise<WithdrawalRecord> {
    return (await this.over.store.withdrawals.withdrawalOf(this.order))!;
  }

  async later(ms: number): Promise<WithdrawalRecord> {
    await this.over.rig.pass(ms);
    await this.over.billing.withdrawals.carryOut();
    return this.withdrawal();
  }

  /** The receipts as the customer sees them. */
  async receipts() {
    const receipts = await this.over.billing.receipts.receiptsOf(this.accountId, this.order.id);
    return receipts!.map(({ state, totalMinor, refundedMinor }) => [
      state,
      totalMinor,
      refundedMinor,
    ]);
  }
}

export function testWithdrawalsOver(
  name: string,
  open: () => Promise<ProviderRig>,
  openStore?: OpenStore,
): void {
  test(`${name}: who withdraws gets the part still to come back, sees it in the receipts, and is never charged again`, async () => {
    await using rig = await open();
    await using over = await PaymentsOverRig.open(rig, { openStore });
    const ada = await Withdrawer.afterSixDays(over);
    assert.deepEqual(await ada.receipts(), [['paid', 7_900, 0]]);
    await rig.pass(1_000);
    const { state, amountMinor } = await ada.declare();
    assert.equal(state, 'done');
    assert.ok(LEFT_MINOR_MIN < amountMinor && amountMinor < LEFT_MINOR_MAX, String(amountMinor));
    assert.deepEqual(await ada.receipts(), [['paid', 7_900, amountMinor]]);
    assert.equal((await over.again(ada.order)).state, 'ended');
    await over.receive((await rig.sent()).toReversed());
    await rig.pass(65 * DAY_MS);
    await over.receive(await rig.sent());
    await over.payments.look(ada.order);
    assert.deepEqual(await ada.receipts(), [['paid', 7_900, amountMinor]], 'it did not renew');
    assert.equal(await over.planOf(ada.accountId), 'sandbox');
  });

  for (const reach of ['down', 'cut'] as const) {
    const fault = reach === 'down' ? 'is away' : 'does what it is asked and loses the answer';
    test(`${name}: a withdrawal while the provider ${fault} is carried out later, and the money comes back once`, async () => {
      await using rig = await open();
      await using over = await PaymentsOverRig.open(rig, { openStore });
      const ada = await Withdrawer.afterSixDays(over);
      rig.reach(reach);
      const declared = await ada.declare();
      assert.equal(declared.state, 'open');
      assert.equal((await ada.later(HOUR_MS)).amountMinor, declared.amountMinor);
      rig.reach('up');
      assert.equal((await ada.later(2 * HOUR_MS)).state, 'done');
      assert.deepEqual(await ada.receipts(), [['paid', 7_900, declared.amountMinor]]);
      assert.equal((await over.again(ada.order)).state, 'ended');
    });
  }
}

/** The store is restored from a backup before the withdrawal, of which the provider knows everything. */
export function testForgottenWithdrawalsOver(name: string, open: () => Promise<ProviderRig>): void {
  for (const by of ['customer', 'operator'] as const) {
    test(`${name}: a withdrawal that the store has forgotten, declared again by the ${by}, gives no money back twice`, async () => {
      await using rig = await open();
      await using cleanup = new AsyncDisposableStack();
      const directory = await mkdtemp(join(tmpdir(), 'tapeloom-forgotten-'));
      cleanup.defer(() => rm(directory, { recursive: true }));
      const [path, older] = [join(directory, 'accounts'), join(directory, 'older')];
      const over = (file: string) =>
        PaymentsOverRig.open(rig, { openStore: () => openSqliteAccountStore(file) });
      let ada: Withdrawer;
      {
        await using before = await over(path);
        ada = await Withdrawer.afterSixDays(before);
      }
      await copyFile(path, older);
      await using known = await over(path);
      const { state, amountMinor } = await ada.in(known).declare();
      assert.equal(state, 'done');
      // By then the provider remembers only the refund, not its idempotency key.
      await rig.pass(2 * DAY_MS);

      await using forgotten = await over(older);
      const again = ada.in(forgotten);
      assert.equal((await forgotten.again(ada.order)).withdrawnAt, null);
      if (by === 'customer') {
        const declared = await again.tryToDeclare();
        assert.ok('refused' in declared && declared.refused === 'no-right');
        assert.equal(declared.why, 'ended');
      } else {
        const call = { now: rig.now(), actor: { kind: 'operator' } } as const;
        const nobody = { accountId: null, sessionId: null, address: null, name: null } as const;
        const wish = {
          orderId: ada.order.id,
          via: 'operator',
          offerName: 'Live',
          email: null,
        } as const;
        const declared = await forgotten.store.withdrawals.declare(call, { ...nobody, ...wish });
        assert.ok(!('refused' in declared));
        assert.equal((await again.later(HOUR_MS)).state, 'done');
      }
      assert.deepEqual(await again.receipts(), [['paid', 7_900, amountMinor]]);
      assert.equal(await forgotten.planOf(ada.accountId), 'sandbox');
    });
  }
}
