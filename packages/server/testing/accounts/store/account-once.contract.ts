/** The account store's contract: requests with an idempotency key. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { KeyRecord } from '../../../src/accounts/keys/keys-store.ts';
import {
  type Done,
  type OnceRequest,
  PAGE_REQUEST,
  REMEMBERED_MAX,
} from '../../../src/accounts/store/once.ts';
import type { StoreCall } from '../../../src/accounts/store/store-call.ts';
import { ALL_RIGHTS, DAY_NS, SECOND_NS, type StoreRig } from './account-store-rig.ts';

export function testOnce(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a key asked for again with the same idempotency key is made once, however many ask`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const manager = await rig.key(accountId);
    const once = asked('robot');
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        rig.either(index).createKey(by(rig, manager, once), accountId, ALL_RIGHTS, rig.secret()),
      ),
    );
    const created = made.filter((one) => 'id' in one);
    assert.equal(created.length, 1);
    const before = { refused: 'done-before', answer: created[0]!.id };
    assert.deepEqual(
      made.filter((one) => 'refused' in one),
      Array.from({ length: 11 }, () => before),
    );
    assert.equal((await rig.store.listKeys(rig.now, accountId)).length, 2);
    const told = await rig.store.audit({ accountId, limit: 10 });
    assert.equal(told.filter(({ kind }) => kind === 'key.created').length, 2);
    // Without an idempotency key, every request is a new one.
    const plain = await rig.store.createKey(rig.by(manager), accountId, ALL_RIGHTS, rig.secret());
    assert.ok('id' in plain);
  });

  test(`${adapter}: a rotation asked for again is made once, and says which key it made`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const manager = await rig.key(accountId);
    const old = await rig.key(accountId);
    const rotate = (index: number, once?: OnceRequest) =>
      rig.either(index).rotateKey(by(rig, manager, once), accountId, old.id, 0, rig.secret());
    const made = await Promise.all([0, 1, 2, 3].map((index) => rotate(index, asked('r'))));
    const rotations = made.filter((one) => 'created' in one);
    assert.equal(rotations.length, 1);
    const answer = rotations[0]!.created.id;
    for (const one of made) {
      if ('refused' in one) assert.deepEqual(one, { refused: 'done-before', answer });
    }
    assert.deepEqual(await rotate(0), { refused: 'already-rotated' });
    assert.deepEqual(await rotate(0, asked('other')), { refused: 'already-rotated' });
  });

  test(`${adapter}: an idempotency key with another request is refused, and belongs to the key that sent it`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const [one, two] = [await rig.key(accountId), await rig.key(accountId)];
    const create = (key: KeyRecord, once: OnceRequest) =>
      rig.store.createKey(by(rig, key, once), accountId, ALL_RIGHTS, rig.secret());
    assert.ok('id' in (await create(one, asked('same', 'first'))));
    assert.deepEqual(await create(one, asked('same', 'second')), { refused: 'another-request' });
    assert.ok('id' in (await create(two, asked('same', 'first'))));
    assert.ok('id' in (await create(two, asked('Same', 'first'))), 'case counts');
    // An ended key gets no stored response.
    await rig.store.revokeKey(rig.operator, accountId, one.id);
    assert.deepEqual(await create(one, asked('same', 'first')), { refused: 'actor-ended' });
  });

  test(`${adapter}: only what was done is remembered, for 24 hours`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const manager = await rig.key(accountId);
    const others: KeyRecord[] = [];
    for (let count = 0; count < 9; count += 1) others.push(await rig.key(accountId));
    const create = () =>
      rig.store.createKey(by(rig, manager, asked('a')), accountId, ALL_RIGHTS, rig.secret());
    assert.deepEqual(await create(), { refused: 'too-many-keys' });
    await rig.store.revokeKey(rig.operator, accountId, others[0]!.id);
    const made = await create();
    assert.ok('id' in made);
    await rig.store.revokeKey(rig.operator, accountId, others[1]!.id);
    rig.pass(DAY_NS - 1n);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await create(), { refused: 'done-before', answer: made.id });
    rig.pass(1n);
    const again = await create();
    assert.ok('id' in again && again.id !== made.id, 'also before it was cleared away');
    assert.deepEqual(await create(), { refused: 'done-before', answer: again.id });
    rig.pass(DAY_NS);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await create(), { refused: 'too-many-keys' });
  });

  test(`${adapter}: a charge is settled and remembered at once, or neither, by whoever comes first`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const key = await rig.key(accountId);
    const requests = Array.from({ length: 6 }, () => rig.request(accountId, { keyId: key.id }));
    for (const request of requests) await rig.store.reserve(rig.now, request);
    const ends = await Promise.all(
      requests.map(({ id }, index) =>
        rig.either(index).settleOnce(rig.now, id, { amount: 7 }, done(rig, key, 'x', `t${index}`)),
      ),
    );
    const first = ends.indexOf(null);
    const refused = { refused: 'done-before', answer: `t${first}` };
    assert.deepEqual(
      ends.filter((end) => end !== null),
      Array.from({ length: 5 }, () => refused),
    );
    rig.pass(SECOND_NS);
    const month = await rig.store.usageOf(rig.now, accountId, '2026-09');
    assert.deepEqual([month.used.computeUnits, month.reserved.computeUnits], [7, 50]);
    const find = (request: string) =>
      rig.other.findOnce(rig.now, { accountId, keyId: key.id, once: asked('x', request) });
    assert.deepEqual(await find('request'), refused);
    assert.deepEqual(await find('another'), { refused: 'another-request' });
    const other = rig.request(accountId, { keyId: key.id });
    const elsewhere = { ...done(rig, key, 'x', 't'), once: asked('x', 'another') };
    assert.deepEqual(await rig.store.settleOnce(rig.now, other.id, { amount: 1 }, elsewhere), {
      refused: 'another-request',
    });
    rig.pass(DAY_NS);
    assert.equal(await find('request'), null);
  });

  test(`${adapter}: a session that acts as a key is remembered as one`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const keyId = rig.unique('ses');
    const once = asked('page', `${PAGE_REQUEST}x`);
    const page = { accountId, keyId, once, answer: 't', expiresAt: rig.later(DAY_NS) };
    const { id } = rig.request(accountId, { keyId });
    assert.equal(await rig.store.settleOnce(rig.now, id, { amount: 0 }, page), null);
    const before = { refused: 'done-before', answer: 't' };
    assert.deepEqual(await rig.other.findOnce(rig.now, page), before);
    assert.deepEqual(await rig.other.settleOnce(rig.now, id, { amount: 0 }, page), before);
  });

  test(`${adapter}: an account has room for so many, over all its keys; then it is told when there is again`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const [one, two] = [await rig.key(accountId), await rig.key(accountId)];
    for (let count = 0; count < REMEMBERED_MAX; count += 1) {
      const key = count % 2 === 0 ? one : two;
      const settled = await rig.store.settleOnce(
        rig.now,
        'none',
        { amount: 0 },
        done(rig, key, `${count}`, 't'),
      );
      assert.equal(settled, null);
      if (count === 0) rig.pass(SECOND_NS);
    }
    const until = (rig.now - SECOND_NS + DAY_NS) as EpochNs;
    const full = { refused: 'too-many-remembered', until };
    const create = (once?: OnceRequest) =>
      rig.store.createKey(by(rig, one, once), accountId, ALL_RIGHTS, rig.secret());
    assert.deepEqual(await create(asked('more')), full);
    assert.deepEqual(
      await rig.store.findOnce(rig.now, { accountId, keyId: one.id, once: asked('more') }),
      full,
    );
    assert.equal((await rig.store.listKeys(rig.now, accountId)).length, 2, 'nothing was made');
    // Pages are stored separately, without using the others' slots.
    const page = { ...done(rig, one, 'page', 't'), once: asked('page', `${PAGE_REQUEST}x`) };
    assert.equal(await rig.store.settleOnce(rig.now, 'none', { amount: 0 }, page), null);
    assert.deepEqual(await rig.store.findOnce(rig.now, page), {
      refused: 'done-before',
      answer: 't',
    });
    // Stored responses remain, requests without the header proceed, and other accounts have free slots.
    const known = await rig.store.findOnce(rig.now, { accountId, keyId: one.id, once: asked('0') });
    assert.deepEqual(known, { refused: 'done-before', answer: 't' });
    assert.ok('id' in (await create()));
    const another = await rig.account();
    const key = await rig.key(another.id);
    const call = by(rig, key, asked('more'));
    assert.ok('id' in (await rig.store.createKey(call, another.id, ALL_RIGHTS, rig.secret())));
    rig.now = until;
    assert.ok('id' in (await create(asked('more'))));
  });
}

function asked(idempotencyKey: string, request = 'request'): OnceRequest {
  return { idempotencyKey, request };
}

function by(rig: StoreRig, key: KeyRecord, once?: OnceRequest): StoreCall {
  return {
    now: rig.now,
    actor: { kind: 'key', keyId: key.id, ...(once === undefined ? {} : { once }) },
  };
}

function done(rig: StoreRig, key: KeyRecord, idempotencyKey: string, answer: string): Done {
  const { id: keyId, accountId } = key;
  return { accountId, keyId, once: asked(idempotencyKey), answer, expiresAt: rig.later(DAY_NS) };
}
