import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamStage, speech } from '../testing/stream-stage.ts';
import { Finals } from './finals.ts';
import type { IndicatorObject } from './indicator-objects.ts';
import type { Update } from './stream/update.ts';

const object = (id: string, final = true): IndicatorObject<'bars'> =>
  ({ id, final, ts: 1n, data: {} }) as unknown as IndicatorObject<'bars'>;
const upsert = (id: string, final = true) =>
  ({ t: 'upsert', cursor: '20261112.1.1', object: object(id, final) }) as const;
const snapshot = (...ids: readonly string[]) =>
  ({ t: 'snapshot', cursor: '20261112.1.1', objects: ids.map((id) => object(id)) }) as const;

async function* told(...updates: readonly object[]): AsyncGenerator<Update<'bars'>> {
  for (const update of updates) yield update as Update<'bars'>;
}

test('final objects come once each, those of later snapshots only if they were missed', async () => {
  const series = told(
    { t: 'status' },
    snapshot('a', 'b'),
    upsert('c', false),
    upsert('c'),
    { t: 'skipped' },
    snapshot('b', 'c', 'd'),
    upsert('e'),
  );
  const ids = (await new Finals<'bars'>(series).toArray()).map(({ id }) => id);
  assert.deepEqual(ids, ['a', 'b', 'c', 'd', 'e']);
});

test('after a reset the ids of another contract are new ones', async () => {
  const series = told(snapshot('a'), { t: 'reset' }, snapshot('a', 'b'));
  const ids = (await new Finals<'bars'>(series).toArray()).map(({ id }) => id);
  assert.deepEqual(ids, ['a', 'a', 'b']);
});

test('what is remembered of a series without an end is bounded', async () => {
  async function* endless() {
    for (let number = 0; number < 10_001; number += 1) yield upsert(String(number));
    yield snapshot('1', '0');
  }
  const all = await new Finals<'bars'>(endless()).toArray();
  assert.equal(all.length, 10_002);
  assert.equal(all.at(-1)!.id, '0');
});

test('leaving the loop over the finals of a subscription closes it', async () => {
  const stage = new StreamStage();
  const { sub, subscription } = stage.subscribed();
  stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
  stage.socket.say(speech(sub).upsert('20261112.6.1', 'b', { final: true }));
  for await (const { id } of subscription.finals()) {
    assert.ok(['a', 'b'].includes(id));
    break;
  }
  assert.equal(await subscription.ended, null);
  assert.equal(stage.client.connection, 'idle');
});

test('the latest object is the newest by creation, after changes and removals too', () => {
  const stage = new StreamStage();
  const { sub, subscription } = stage.subscribed();
  const { state } = subscription;
  const say = speech(sub);
  assert.equal(state.latest(), undefined);
  stage.socket.say(say.snapshot('20261112.5.1', 'a', 'b'));
  assert.equal(state.latest()?.id, 'b');
  stage.socket.say(say.upsert('20261112.6.1', 'a'));
  assert.equal(state.latest()?.id, 'b');
  stage.socket.say(say.upsert('20261112.7.1', 'c'));
  assert.equal(state.latest(), state.objects.get('c'));
  stage.socket.say(say.upsert('20261112.8.1', 'c'));
  assert.equal(state.latest(), state.objects.get('c'));
  stage.socket.say(say.remove('20261112.9.1', 'c'));
  assert.equal(state.latest()?.id, 'b');
  stage.socket.say(say.upsert('20261112.10.1', 'b'));
  assert.equal(state.latest(), state.objects.get('b'));
  for (const [at, id] of ['a', 'b'].entries()) {
    stage.socket.say(say.remove(`20261112.${11 + at}.1`, id));
  }
  assert.equal(state.latest(), undefined);
});
