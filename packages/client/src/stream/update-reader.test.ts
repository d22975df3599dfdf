import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begun, read, readAll } from '../../testing/begun-subscription.ts';
import { speech } from '../../testing/stream-stage.ts';

const { subscribed, status, snapshot, upsert, remove } = speech('s1');

describe('an iteration', () => {
  test('has every update in order, for a reader that keeps up', async () => {
    const { stage, subscription } = begun();
    const reading = read(subscription, 6);
    stage.socket.say(subscribed, status(), snapshot('20261112.1.1', 'a'));
    for (const k of [1, 2, 3]) stage.socket.say(upsert(`20261112.2.${k}`, 'a'));
    stage.socket.say(remove('20261112.3.1', 'a'));
    const updates = await reading;
    assert.deepEqual(
      updates.map((it) => ('cursor' in it ? `${it.t} ${it.cursor}` : it.t)),
      [
        'status',
        'snapshot 20261112.1.1',
        'upsert 20261112.2.1',
        'upsert 20261112.2.2',
        'upsert 20261112.2.3',
        'remove 20261112.3.1',
      ],
    );
  });

  test('that begins late begins with the state as it is', async () => {
    const { stage, subscription } = begun();
    stage.socket.say(
      subscribed,
      status(),
      snapshot('20261112.1.1', 'a'),
      upsert('20261112.2.1', 'b'),
    );
    const [first, second] = await read(subscription, 2);
    assert.equal(first?.t, 'status');
    assert.ok(second?.t === 'snapshot');
    assert.equal(second.cursor, '20261112.2.1');
    assert.deepEqual(
      second.objects.map(({ id }) => id),
      ['a', 'b'],
    );
  });

  test('of a slow reader has the newest version of each object, and says how many were left out', async () => {
    const { stage, subscription } = begun({ queueMax: 10 });
    const iterator = subscription[Symbol.asyncIterator]();
    stage.socket.say(snapshot('20261112.1.1'));
    for (let k = 1; k <= 50; k += 1) stage.socket.say(upsert(`20261112.2.${k}`, `o${k % 3}`));
    await subscription.close();
    const updates = await readAll(iterator, 100);
    const skipped = updates.find((it) => it.t === 'skipped');
    assert.ok(skipped?.t === 'skipped' && skipped.versions >= 40);
    const rest = updates.filter((it) => it.t === 'upsert');
    assert.equal(rest.length + skipped.versions, 50);
    assert.deepEqual(
      rest.slice(-3).map(({ cursor }) => cursor),
      ['20261112.2.48', '20261112.2.49', '20261112.2.50'],
    );
  });

  test('that is too far behind goes on with a snapshot, and its queue stays bounded', async () => {
    const { stage, subscription } = begun({ queueMax: 10 });
    const iterator = subscription[Symbol.asyncIterator]();
    stage.socket.say(snapshot('20261112.1.1'));
    for (let k = 1; k <= 50; k += 1) stage.socket.say(upsert(`20261112.2.${k}`, `o${k}`));
    const [skipped, whole] = await readAll(iterator, 2);
    assert.deepEqual(skipped, { t: 'skipped', versions: 51 });
    assert.ok(whole?.t === 'snapshot');
    assert.equal(whole.objects.length, 50);
    assert.equal(whole.cursor, '20261112.2.50');
    stage.socket.say(upsert('20261112.3.1', 'next'));
    const [next] = await readAll(iterator, 1);
    assert.ok(next?.t === 'upsert' && next.object.id === 'next');
    assert.deepEqual(
      stage.warnings.map(({ code }) => code),
      ['SLOW_READER'],
    );
  });

  test('reads what waited, then throws why the subscription ended', async () => {
    const { stage, subscription } = begun();
    const iterator = subscription[Symbol.asyncIterator]();
    stage.socket.say(snapshot('20261112.1.1', 'a'));
    stage.socket.end(4003, 'KEY_REVOKED');
    assert.equal((await iterator.next()).value?.t, 'snapshot');
    await assert.rejects(iterator.next(), { code: 'KEY_REVOKED' });
    assert.deepEqual(await iterator.next(), { done: true, value: undefined });
  });

  test('is one of many, each at its own pace, and can be left without closing anything', async () => {
    const { stage, subscription } = begun();
    const [first, second] = [
      subscription[Symbol.asyncIterator](),
      subscription[Symbol.asyncIterator](),
    ];
    const waiting = first.next();
    stage.socket.say(snapshot('20261112.1.1', 'a'));
    assert.equal((await waiting).value?.t, 'snapshot');
    const left = first.next();
    await first.return?.();
    assert.deepEqual(await left, { done: true, value: undefined });
    assert.equal((await second.next()).value?.t, 'snapshot');
    assert.equal(stage.client.connection, 'open');
  });
});
