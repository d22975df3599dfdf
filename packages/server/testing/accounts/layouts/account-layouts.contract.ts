/** The suite's part about layouts: states, stale saves, limits and deletion, over two handles on one store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DELETED_KEPT_NS,
  DELETED_LAYOUTS_MAX,
  LAYOUTS_MAX,
  type LayoutRecord,
  STATES_KEPT,
} from '../../../src/accounts/layouts/layouts-store.ts';
import { SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

/** Every kind of character that JSON leaves as it is, and one that it escapes. */
const ODD_TEXT = JSON.stringify({ note: 'é€𝄞 "\'\\ \u2028 \u0000 %s :name $1 ?', n: -0.1 });

async function made(rig: StoreRig, accountId: string, text = '{}'): Promise<LayoutRecord> {
  const layout = { name: rig.unique('layout'), text };
  const record = await rig.store.layouts.createLayout(rig.now, accountId, layout);
  return 'refused' in record ? assert.fail(record.refused) : record;
}

async function saved(rig: StoreRig, accountId: string, layout: LayoutRecord, text: string) {
  const change = { layout: { state: layout.state, text } };
  const after = await rig.other.layouts.changeLayout(rig.now, accountId, layout.id, change);
  return 'refused' in after ? assert.fail(after.refused) : after;
}

const listed = (rig: StoreRig, accountId: string) =>
  rig.other.layouts.layoutsOf(rig.now, accountId);

export function testLayouts(adapter: string, start: () => Promise<StoreRig>): void {
  testStates(adapter, start);
  testStale(adapter, start);
  testDeletion(adapter, start);
  testEnds(adapter, start);
}

function testStates(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a layout is kept as it was sent, with its size in UTF-8, and is its account's alone`, async () => {
    const rig = await start();
    const [{ id: mine }, { id: theirs }] = [await rig.account(), await rig.account()];
    const layout = await made(rig, mine, ODD_TEXT);
    assert.match(layout.id, /^lay_[0-9a-f]{20}$/);
    const bytes = Buffer.byteLength(ODD_TEXT);
    const { name } = layout;
    const record = { id: layout.id, name, createdAt: rig.now, updatedAt: rig.now };
    assert.deepEqual(layout, { ...record, deletedAt: null, state: 1, bytes });
    assert.deepEqual(await listed(rig, mine), [layout]);
    const { layouts } = rig.other;
    assert.deepEqual(await layouts.findLayout(mine, layout.id), { ...layout, text: ODD_TEXT });
    assert.deepEqual(await listed(rig, theirs), []);
    assert.equal(await layouts.findLayout(theirs, layout.id), null);
    assert.equal(await layouts.layoutStates(theirs, layout.id), null);
    assert.deepEqual(await layouts.wholeLayout(theirs, layout.id), []);
    const unknown = { refused: 'unknown-layout' };
    const foreign = [
      await layouts.changeLayout(rig.now, theirs, layout.id, { name: 'taken' }),
      await layouts.undeleteLayout(rig.now, theirs, layout.id),
      await layouts.restoreLayout(rig.now, theirs, layout.id, 1),
    ];
    assert.deepEqual(foreign, [unknown, unknown, unknown]);
    assert.equal(await layouts.deleteLayout(rig.now, theirs, layout.id), false);
    assert.deepEqual(await listed(rig, mine), [layout]);
  });

  test(`${adapter}: the last ten states are kept; an earlier one becomes the newest, and that can be undone`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    let layout = await made(rig, accountId, '"1"');
    const begun = rig.now;
    for (let state = 2; state <= 13; state += 1) {
      rig.pass(SECOND_NS);
      layout = await saved(rig, accountId, layout, `"${state}"`);
    }
    assert.deepEqual([layout.state, layout.bytes], [13, 4]);
    assert.deepEqual([layout.createdAt, layout.updatedAt], [begun, rig.now]);
    const { layouts } = rig.store;
    const states = (await layouts.layoutStates(accountId, layout.id))!;
    assert.deepEqual(
      states.map(({ state }) => state),
      [13, 12, 11, 10, 9, 8, 7, 6, 5, 4],
    );
    assert.deepEqual(states.at(-1), { state: 4, savedAt: begun + 3n * SECOND_NS, bytes: 3 });
    assert.equal(states.length, STATES_KEPT);
    rig.pass(SECOND_NS);
    const restored = await layouts.restoreLayout(rig.now, accountId, layout.id, 4);
    assert.deepEqual(restored, { ...layout, state: 14, bytes: 3, updatedAt: rig.now, text: '"4"' });
    assert.deepEqual(await rig.other.layouts.findLayout(accountId, layout.id), restored);
    const gone = await rig.other.layouts.restoreLayout(rig.now, accountId, layout.id, 4);
    assert.deepEqual(gone, { refused: 'unknown-state' });
    const back = await layouts.restoreLayout(rig.now, accountId, layout.id, 13);
    assert.ok('text' in back && back.text === '"13"' && back.state === 15);
    const whole = await layouts.wholeLayout(accountId, layout.id);
    assert.deepEqual(
      whole.map(({ state, text }) => [state, text]),
      [6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((state) => [
        state,
        `"${{ 14: 4, 15: 13 }[state] ?? state}"`,
      ]),
    );
  });
}

function testStale(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: of saves that replace the same state one wins, and the others learn the state that is there`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const { id } = await made(rig, accountId);
    const save = (n: number) => {
      const change = { name: `by ${n}`, layout: { state: 1, text: `"${n}"` } };
      return rig.either(n).layouts.changeLayout(rig.now, accountId, id, change);
    };
    const results = await Promise.all([0, 1, 2, 3].map(save));
    const won = results.findIndex((one) => 'id' in one);
    const others = results.filter((_, n) => n !== won);
    assert.deepEqual(others, new Array(3).fill({ refused: 'stale', state: 2 }));
    const found = await rig.store.layouts.findLayout(accountId, id);
    assert.deepEqual([found?.text, found?.name, found?.state], [`"${won}"`, `by ${won}`, 2]);
  });

  test(`${adapter}: a save that was repeated, or changes nothing, makes no state; nor does a new name`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const layout = await made(rig, accountId);
    const after = await saved(rig, accountId, layout, '"new"');
    rig.pass(SECOND_NS);
    assert.deepEqual(await saved(rig, accountId, layout, '"new"'), after);
    assert.deepEqual(await saved(rig, accountId, after, '"new"'), after);
    const { layouts } = rig.store;
    const change = (name: string) => layouts.changeLayout(rig.now, accountId, layout.id, { name });
    assert.deepEqual(await change(layout.name), after);
    const named = { ...after, name: 'another', updatedAt: rig.now };
    assert.deepEqual(await change('another'), named);
    assert.deepEqual(await listed(rig, accountId), [named]);
    assert.equal((await layouts.layoutStates(accountId, layout.id))?.length, 2);
  });

  test(`${adapter}: the last changed comes first`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const [a, b] = [await made(rig, accountId), await made(rig, accountId)];
    rig.pass(1n);
    await saved(rig, accountId, a, '"a"');
    rig.pass(1n);
    await saved(rig, accountId, b, '"b"');
    const ids = async () => (await listed(rig, accountId)).map(({ id }) => id);
    assert.deepEqual(await ids(), [b.id, a.id]);
    rig.pass(1n);
    await rig.store.layouts.changeLayout(rig.now, accountId, a.id, { name: 'a' });
    assert.deepEqual(await ids(), [a.id, b.id]);
  });
}

function testDeletion(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: an account has fifty layouts, also when many are made at once; a deletion makes room`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const layout = { name: 'one', text: '{}' };
    const make = (n: number) => rig.either(n).layouts.createLayout(rig.now, accountId, layout);
    const results = [];
    for (let count = 0; count < LAYOUTS_MAX; count += 10) {
      results.push(...(await Promise.all(Array.from({ length: 11 }, (_, n) => make(n)))));
    }
    const there = results.filter((one) => 'id' in one);
    assert.equal(there.length, LAYOUTS_MAX);
    const refused = results.find((one) => 'refused' in one);
    assert.deepEqual(refused, { refused: 'too-many-layouts' });
    const [{ id }] = there as [LayoutRecord];
    const { layouts } = rig.other;
    assert.equal(await layouts.deleteLayout(rig.now, accountId, id), true);
    assert.ok('id' in (await make(0)));
    assert.deepEqual(await layouts.undeleteLayout(rig.now, accountId, id), refused);
  });

  test(`${adapter}: a deleted layout comes back with all its states for thirty days, and then is gone`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const layout = await saved(rig, accountId, await made(rig, accountId, '"1"'), '"2"');
    const { layouts } = rig.store;
    rig.pass(SECOND_NS);
    assert.equal(await layouts.deleteLayout(rig.now, accountId, layout.id), true);
    assert.equal(await rig.other.layouts.deleteLayout(rig.later(1n), accountId, layout.id), false);
    const deleted = { ...layout, deletedAt: rig.now };
    assert.deepEqual(await listed(rig, accountId), [deleted]);
    assert.equal(await layouts.findLayout(accountId, layout.id), null);
    assert.equal(await layouts.layoutStates(accountId, layout.id), null);
    assert.equal((await layouts.wholeLayout(accountId, layout.id)).length, 2);
    const unknown = { refused: 'unknown-layout' };
    const change = { layout: { state: 2, text: '"3"' } };
    const late = await layouts.changeLayout(rig.now, accountId, layout.id, change);
    assert.deepEqual(late, unknown);
    assert.deepEqual(await layouts.restoreLayout(rig.now, accountId, layout.id, 1), unknown);

    const last = rig.later(DELETED_KEPT_NS - 1n);
    await rig.store.sweep(last);
    const back = await rig.other.layouts.undeleteLayout(last, accountId, layout.id);
    assert.deepEqual(back, layout);
    assert.deepEqual(await layouts.undeleteLayout(last, accountId, layout.id), layout);
    assert.equal((await layouts.layoutStates(accountId, layout.id))?.length, 2);

    rig.now = last;
    await layouts.deleteLayout(rig.now, accountId, layout.id);
    rig.pass(DELETED_KEPT_NS);
    assert.deepEqual(await listed(rig, accountId), []);
    assert.deepEqual(await layouts.undeleteLayout(rig.now, accountId, layout.id), unknown);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await layouts.wholeLayout(accountId, layout.id), []);
  });
}

function testEnds(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: all layouts can be deleted and brought back; of more deleted ones the oldest goes, by any clock`, async () => {
    const rig = await start();
    const { id: accountId } = await rig.account();
    const { layouts } = rig.store;
    const ids: string[] = [];
    for (let count = 0; count <= DELETED_LAYOUTS_MAX; count += 1) {
      const { id } = await made(rig, accountId);
      ids.push(id);
      rig.pass(1n);
      await layouts.deleteLayout(rig.now, accountId, id);
    }
    const kept = async () => new Set((await listed(rig, accountId)).map(({ id }) => id));
    assert.deepEqual(await kept(), new Set(ids.slice(1)));
    assert.deepEqual(await layouts.wholeLayout(accountId, ids[0]!), []);
    // The clock went back: what was deleted now stays, whatever its time is.
    const { id } = await made(rig, accountId);
    const before = rig.later(-60n * SECOND_NS);
    await layouts.deleteLayout(before, accountId, id);
    assert.deepEqual(await kept(), new Set([...ids.slice(2), id]));
  });

  test(`${adapter}: housekeeping removes many old layouts, a deleted account's too, and no other`, async () => {
    const rig = await start();
    const [{ id: mine }, { id: gone }] = [await rig.account(), await rig.account()];
    const old: string[] = [];
    for (let count = 0; count < DELETED_LAYOUTS_MAX; count += 1) {
      const { id } = await made(rig, mine);
      await rig.store.layouts.deleteLayout(rig.now, mine, id);
      old.push(id);
    }
    const stays = await made(rig, mine);
    await rig.store.people.askDeletion(rig.operator, gone, null, true);
    const inTime = await made(rig, gone);
    assert.equal(await rig.store.people.deleteAccount(rig.operator, gone), true);
    assert.deepEqual(await rig.other.layouts.wholeLayout(gone, inTime.id), []);
    // By a node that had not noticed the deletion.
    const late = await made(rig, gone);
    const { layouts } = rig.other;
    await rig.store.sweep(rig.now);
    assert.deepEqual(await layouts.wholeLayout(gone, late.id), []);
    assert.equal((await listed(rig, mine)).length, DELETED_LAYOUTS_MAX + 1);
    rig.pass(DELETED_KEPT_NS);
    await rig.store.sweep(rig.now);
    for (const id of old) assert.deepEqual(await layouts.wholeLayout(mine, id), []);
    assert.deepEqual(await listed(rig, mine), [stays]);
  });
}
