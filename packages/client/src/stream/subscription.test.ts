import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begun, read } from '../../testing/begun-subscription.ts';
import { speech } from '../../testing/stream-stage.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import type { Subscription } from './subscription.ts';
import type { Update } from './update.ts';

const { subscribed, status, snapshot, upsert, remove, reset, hb, error } = speech('s1');

describe('the state', () => {
  test('is replaced as a whole by a snapshot, even one of a lower cursor [EVT-09]', () => {
    const { stage, subscription } = begun();
    stage.socket.say(snapshot('20261112.9.1', 'a', 'b'), upsert('20261112.10.1', 'c'));
    assert.deepEqual(idsOf(subscription), ['a', 'b', 'c']);
    stage.socket.say(snapshot('20261112.3.1', 'c', 'd'));
    assert.deepEqual(idsOf(subscription), ['c', 'd']);
    assert.equal(subscription.state.cursor, '20261112.3.1');
    stage.socket.say(upsert('20261112.4.1', 'e'));
    assert.deepEqual(idsOf(subscription), ['c', 'd', 'e']);
  });

  test('has an object of an upsert as that upsert describes it, and none that was removed [EVT-11] [EVT-13]', () => {
    const { stage, subscription } = begun();
    stage.socket.say(snapshot('20261112.9.1', 'a'), upsert('20261112.9.2', 'b'));
    assert.deepEqual(idsOf(subscription), ['a', 'b']);
    stage.socket.say(upsert('20261112.10.1', 'a', { data: { open: 1, close: 2 } }));
    stage.socket.say(upsert('20261112.11.1', 'a', { data: { close: 3 } }));
    assert.deepEqual(subscription.state.objects.get('a')?.data, { close: 3 });
    stage.socket.say(remove('20261112.12.1', 'a'));
    assert.deepEqual(idsOf(subscription), ['b']);
  });

  test('is dropped at a reset, and is empty until the next snapshot [EVT-18]', () => {
    const { stage, subscription } = begun();
    const told = toldBy(subscription);
    stage.socket.say(snapshot('20261112.9.1', 'a', 'b'), reset('roll'));
    assert.deepEqual(idsOf(subscription), []);
    assert.equal(subscription.state.cursor, null);
    assert.deepEqual(told.at(-1), { t: 'reset', reason: 'roll' });
    stage.socket.say(upsert('20261112.10.1', 'c'), hb('20261112.11.0'));
    assert.deepEqual(idsOf(subscription), []);
    assert.equal(subscription.state.cursor, null);
    stage.socket.say(subscribed, snapshot('20261112.2.1', 'x'));
    assert.deepEqual(idsOf(subscription), ['x']);
  });

  test('takes no update whose cursor is not greater than the last one received [CLIENT-44]', () => {
    const { stage, subscription } = begun();
    const told = toldBy(subscription);
    stage.socket.say(snapshot('20261112.9.1', 'a'));
    stage.socket.say(upsert('20261112.10.1', 'a', { data: { close: 1 } }));
    const late = [
      upsert('20261112.10.1', 'a', { data: { close: 2 } }),
      upsert('20261112.9.5', 'b'),
      upsert('20261111.99999999999.1', 'b'),
      remove('20261112.10.1', 'a'),
      remove('20261112.10.0', 'a'),
    ];
    stage.socket.say(...late);
    stage.socket.say(hb('20261112.12.0'), upsert('20261112.11.7', 'b'), hb('20261112.8.0'));
    assert.equal(told.length, 2);
    assert.deepEqual(subscription.state.objects.get('a')?.data, { close: 1 });
    assert.equal(subscription.state.cursor, '20261112.12.0');
    stage.socket.say(remove('20261112.12.1', 'a'));
    assert.deepEqual(idsOf(subscription), []);
    assert.equal(told.length, 3);
  });

  test('compares cursors number by number', () => {
    const { stage, subscription } = begun();
    stage.socket.say(snapshot('20261112.9.9'), upsert('20261112.10.1', 'a'));
    stage.socket.say(upsert('20261112.10.2', 'b'), upsert('20261112.10.10', 'c'));
    stage.socket.say(upsert('20261112.9.11', 'd'));
    stage.socket.say(upsert('20261112.9007199254740993.1', 'e'));
    stage.socket.say(upsert('20261112.9007199254740992.1', 'f'));
    assert.deepEqual(idsOf(subscription), ['a', 'b', 'c', 'e']);
  });

  test('has what the messages say, times as bigint', () => {
    const { stage, subscription } = begun();
    const { state } = subscription;
    assert.deepEqual([state.contract, state.tickSizeNanos, state.status], [null, null, null]);
    stage.socket.say(subscribed, { ...status('live'), partialSince: '17' });
    stage.socket.say(snapshot('20261112.9.1', 'a'), hb('20261112.9.1'));
    assert.deepEqual([state.contract, state.tickSizeNanos], ['ESZ6', 250_000_000]);
    assert.deepEqual([state.status, state.lagMs, state.partialSince], ['live', 3, 17n]);
    assert.equal(state.serverNs, 1_700_000_000_000_000_001n);
    assert.deepEqual(state.objects.get('a'), {
      id: 'a',
      final: false,
      ts: 1_700_000_000_000_000_000n,
      data: { close: 1 },
    });
    stage.socket.say({ t: 'pong', ts: '1800000000000000000' }, status('closed'));
    assert.equal(state.serverNs, 1_800_000_000_000_000_000n);
    assert.deepEqual([state.status, state.partialSince], ['closed', null]);
  });

  test('keeps the objects in the order of their creation, and as many final ones as it is told', () => {
    const { stage, subscription } = begun({ keepFinal: 2 });
    stage.socket.say(snapshot('20261112.1.1', 'a', 'b'));
    for (const [index, id] of ['a', 'c', 'd', 'e'].entries()) {
      stage.socket.say(upsert(`20261112.2.${index}`, id, { final: true }));
    }
    assert.deepEqual(idsOf(subscription), ['b', 'd', 'e']);
    stage.socket.say(remove('20261112.3.1', 'd'), upsert('20261112.3.2', 'f', { final: true }));
    assert.deepEqual(idsOf(subscription), ['b', 'e', 'f']);
  });

  test('survives the loss of a connection, and applies nothing twice', () => {
    const { stage, subscription } = begun();
    const told = toldBy(subscription);
    stage.socket.say(
      subscribed,
      status(),
      snapshot('20261112.1.1', 'a'),
      upsert('20261112.2.1', 'b'),
    );
    const [first] = stage.sockets;
    first!.end();
    stage.passToRetry();
    stage.socket.open();
    assert.deepEqual(idsOf(subscription), ['a', 'b']);
    stage.socket.say(
      subscribed,
      status(),
      upsert('20261112.2.1', 'b'),
      upsert('20261112.3.1', 'c'),
    );
    // The old socket is ignored.
    first!.say(upsert('20261112.4.1', 'ghost'));
    assert.deepEqual(idsOf(subscription), ['a', 'b', 'c']);
    const cursors = told.flatMap((it) => ('cursor' in it ? [it.cursor] : []));
    assert.deepEqual(cursors, ['20261112.1.1', '20261112.2.1', '20261112.3.1']);
  });

  test('after a cursor of the caller has what came since', async () => {
    const { stage, subscription } = begun({ from: { cursor: '20261112.5.1' } });
    assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { cursor: '20261112.5.1' });
    stage.socket.say(subscribed, status('warming'));
    stage.socket.say(upsert('20261112.5.1', 'old'), upsert('20261112.6.1', 'a'));
    await subscription.ready;
    const updates = await read(subscription, 2);
    assert.deepEqual(
      updates.map(({ t }) => t),
      ['status', 'upsert'],
    );
    assert.deepEqual(idsOf(subscription), ['a']);
  });
});

describe('ready and ended', () => {
  test('ready comes with the first snapshot', async () => {
    const { stage, subscription } = begun();
    let isReady = false;
    void subscription.ready.then(() => {
      isReady = true;
    });
    stage.socket.say(subscribed, status('warming'), hb('20261112.1.0'));
    await turns();
    assert.equal(isReady, false);
    stage.socket.say(snapshot('20261112.1.1'));
    await turns();
    assert.equal(isReady, true);
  });

  test('a refusal ends one subscription alone, with the code, the words and the fields of the server [CLIENT-26]', async () => {
    const { stage, subscription } = begun();
    const other = stage.subscribe();
    const errors = [{ path: '/params/size', message: 'must be a whole number' }];
    const words = 'Look at the fields.';
    stage.socket.say({ ...error('INVALID_PARAMETERS', words), errors });
    const refusal = await subscription.ended;
    assert.ok(refusal instanceof TapeloomError);
    assert.equal(refusal.code, 'INVALID_PARAMETERS');
    assert.equal(refusal.message, words);
    assert.deepEqual(refusal.errors, errors);
    await assert.rejects(subscription.ready, refusal);
    await assert.rejects(read(subscription, 1), refusal);
    stage.socket.say(speech('s2').snapshot('20261112.1.1', 'a'));
    assert.deepEqual(idsOf(other), ['a']);
    assert.equal(stage.client.connection, 'open');
  });

  test('a code that this client does not know reaches the caller as it is [CLIENT-26]', async () => {
    const { stage, subscription } = begun();
    stage.socket.say(error('A_CODE_TO_COME'));
    assert.equal((await subscription.ended)?.code, 'A_CODE_TO_COME');
  });

  test('a subscription that ran goes on after a refusal that passes', async () => {
    const { stage, subscription } = begun();
    stage.socket.say(subscribed, status(), snapshot('20261112.1.1', 'a'));
    const waits = ['SOURCE_DOWN', 'CAPACITY', 'RATE_LIMITED', 'INTERNAL'].map((code, index) => {
      stage.socket.say(error(code));
      const before = stage.clock.now();
      while (stage.socket.sentOf('subscribe').length < index + 2) {
        stage.clock.pass(stage.clock.nextInMs!);
        stage.socket.say({ t: 'hb', ts: '1' });
      }
      return stage.clock.now() - before;
    });
    assert.deepEqual(waits, [1_000, 1_000, 1_000, 2_000]);
    assert.deepEqual(stage.socket.sentOf('subscribe').at(-1)?.from, { cursor: '20261112.1.1' });
    assert.equal(stage.warnings.filter(({ code }) => code === 'SUBSCRIPTION_RETRIED').length, 4);
    stage.socket.say(subscribed, status(), upsert('20261112.2.1', 'b'));
    assert.deepEqual(idsOf(subscription), ['a', 'b']);
    await subscription.close();
  });

  test('one that never ran ends with such a refusal', async () => {
    const { stage, subscription } = begun();
    stage.socket.say(error('CAPACITY'));
    assert.equal((await subscription.ended)?.code, 'CAPACITY');
  });

  test('a full quota passes while the server may still count the lost connection, not later', async () => {
    const { stage, subscription } = begun();
    stage.socket.say(subscribed, status(), snapshot('20261112.1.1', 'a'));
    stage.socket.end();
    stage.passToRetry();
    stage.socket.open();
    stage.socket.say(error('QUOTA_EXCEEDED'));
    stage.clock.pass(1_000);
    assert.equal(stage.socket.sentOf('subscribe').length, 2);
    stage.socket.say(subscribed, status());
    stage.socket.say(error('QUOTA_EXCEEDED', 'The plan has shrunk.'));
    assert.equal((await subscription.ended)?.message, 'The plan has shrunk.');
  });

  test('closing tells null, and `ready` that it was closed [CLIENT-28]', async () => {
    const { stage, subscription } = begun();
    await subscription.close();
    await subscription.close();
    assert.equal(await subscription.ended, null);
    await assert.rejects(subscription.ready, { code: 'CLOSED' });
    assert.deepEqual(await read(subscription, 1), []);
    stage.socket.say(snapshot('20261112.1.1', 'a'));
    assert.deepEqual(idsOf(subscription), []);
  });

  test('its signal closes it, and is the reason of who waits', async () => {
    const stop = new AbortController();
    const { stage, subscription } = begun({ signal: stop.signal });
    const reading = read(subscription, 1);
    stop.abort(new Error('enough'));
    await assert.rejects(reading, /enough/);
    await assert.rejects(subscription.ready, /enough/);
    assert.equal(await subscription.ended, null);
    assert.deepEqual(stage.socket.closedWith, { code: 1000, reason: 'idle' });
    const late = stage.subscribe({ signal: stop.signal });
    await assert.rejects(read(late, 1), /enough/);
    assert.equal(stage.sockets.length, 1);
  });

  test('disposing of it closes it', async () => {
    const { stage, subscription } = begun();
    await subscription[Symbol.asyncDispose]();
    assert.equal(stage.client.connection, 'idle');
  });
});

describe('listeners', () => {
  test('hear the updates of their kind after the state has them, until they are taken away', () => {
    const { stage, subscription } = begun();
    const heard: string[] = [];
    const stop = subscription.on('upsert', ({ object }) => {
      heard.push(`${object.id} of ${subscription.state.objects.size}`);
    });
    stage.socket.say(snapshot('20261112.1.1', 'a'), upsert('20261112.2.1', 'b'));
    stop();
    stage.socket.say(upsert('20261112.3.1', 'c'));
    assert.deepEqual(heard, ['b of 2']);
  });

  test('that throw disturb nobody, and are told', () => {
    const { stage, subscription } = begun();
    subscription.on('upsert', () => {
      throw new Error('mine');
    });
    const told = toldBy(subscription);
    stage.socket.say(
      snapshot('20261112.1.1'),
      upsert('20261112.2.1', 'a'),
      upsert('20261112.3.1', 'b'),
    );
    assert.equal(told.length, 3);
    assert.deepEqual(
      stage.warnings.map(({ code, cause }) => [code, (cause as Error).message]),
      [
        ['LISTENER_FAILED', 'mine'],
        ['LISTENER_FAILED', 'mine'],
      ],
    );
  });

  test('may close what they listen to', () => {
    const { stage, subscription } = begun();
    const told = toldBy(subscription);
    subscription.on('snapshot', () => void subscription.close());
    stage.socket.say(snapshot('20261112.1.1'), upsert('20261112.2.1', 'a'));
    assert.equal(told.length, 1);
    assert.equal(stage.client.connection, 'idle');
  });

  test('hear the notices that concern them', () => {
    const { stage, subscription } = begun();
    const heard: unknown[] = [];
    subscription.on('notice', (notice) => heard.push(notice));
    stage.socket.say({ t: 'notice', kind: 'reconnect' });
    stage.socket.say({ t: 'notice', kind: 'roll', instrument: 'NQ.c.0', effectiveAt: '5' });
    stage.socket.say({ t: 'notice', kind: 'roll', instrument: 'ESZ6', effectiveAt: '5' });
    assert.deepEqual(heard, [
      { t: 'notice', kind: 'reconnect', effectiveAt: null, instrument: null },
      { t: 'notice', kind: 'roll', effectiveAt: 5n, instrument: 'ESZ6' },
    ]);
  });
});

function idsOf({ state }: Subscription<'bars'>): readonly string[] {
  return [...state.objects.keys()];
}

/** All updates of objects, in the order in which listeners get them. */
function toldBy(subscription: Subscription<'bars'>): readonly Update<'bars'>[] {
  const told: Update<'bars'>[] = [];
  for (const kind of ['snapshot', 'upsert', 'remove', 'reset'] as const) {
    subscription.on(kind, (update) => told.push(update));
  }
  return told;
}

/** Lets pending promises settle. */
async function turns(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await Promise.resolve();
}
