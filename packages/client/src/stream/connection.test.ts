import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StreamStage, speech } from '../../testing/stream-stage.ts';

describe('one connection', () => {
  test('opens with the first subscription, with the key in its header [CLIENT-06]', async () => {
    const stage = new StreamStage();
    assert.equal(stage.sockets.length, 0);
    assert.equal(stage.client.connection, 'idle');
    stage.subscribe();
    assert.equal(stage.sockets.length, 1);
    assert.equal(stage.socket.url, 'wss://tape.example/v1');
    assert.deepEqual(stage.socket.headers, { Authorization: `Bearer svc_test_${'k'.repeat(33)}` });
    await stage.client.close();
  });

  test('is shared by all subscriptions, each with a name of its own [CLIENT-05]', () => {
    const stage = new StreamStage();
    stage.subscribe();
    stage.subscribe({ indicator: 'footprint', params: { size: 300 }, mode: 'confirmed' });
    stage.socket.open();
    stage.subscribe({ indicator: 'vwap', from: { time: 1_700_000_000_000_000_000n } });
    assert.equal(stage.sockets.length, 1);
    assert.deepEqual(stage.socket.sent, [
      { t: 'subscribe', sub: 's1', instrument: 'ESZ6', indicator: 'bars', from: 'live' },
      {
        t: 'subscribe',
        sub: 's2',
        instrument: 'ESZ6',
        indicator: 'footprint',
        params: { size: 300 },
        mode: 'confirmed',
        from: 'live',
      },
      {
        t: 'subscribe',
        sub: 's3',
        instrument: 'ESZ6',
        indicator: 'vwap',
        from: { time: '1700000000000000000' },
      },
    ]);
  });

  test('closes with 1000 `idle` when the last subscription closes, and not before [CLIENT-07]', async () => {
    const stage = new StreamStage();
    const [first, second] = [stage.subscribe(), stage.subscribe()];
    stage.socket.open();
    await first.close();
    assert.equal(stage.socket.closedWith, null);
    assert.deepEqual(stage.socket.sent.at(-1), { t: 'unsubscribe', sub: 's1' });
    await second.close();
    assert.deepEqual(stage.socket.closedWith, { code: 1000, reason: 'idle' });
    assert.equal(stage.client.connection, 'idle');
    assert.equal(await second.ended, null);
    await settled();
    assert.equal(stage.clock.timers, 0);
  });

  test('opens anew for a subscription that comes after it was idle', async () => {
    const stage = new StreamStage();
    await stage.subscribe().close();
    stage.subscribe();
    assert.equal(stage.sockets.length, 2);
    assert.equal(stage.client.connection, 'connecting');
  });

  test('a refused subscription that was the last one leaves nothing open', async () => {
    const stage = new StreamStage();
    const { subscription, sub } = stage.subscribed();
    stage.socket.say(speech(sub).error('UNKNOWN_INSTRUMENT', 'There is no ESZ6.'));
    assert.equal((await subscription.ended)?.code, 'UNKNOWN_INSTRUMENT');
    assert.deepEqual(stage.socket.closedWith, { code: 1000, reason: 'idle' });
  });
});

describe('a lost connection', () => {
  test('is made again after 250 ms, then after twice as long each time, 30 s at most [CLIENT-08, CLIENT-09, CLIENT-10]', () => {
    const stage = new StreamStage();
    stage.subscribe();
    const waits = Array.from({ length: 9 }, () => {
      stage.socket.end();
      return stage.passToRetry();
    });
    assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
    stage.random = 0.999_999;
    for (let failures = 0; failures < 50; failures += 1) {
      stage.socket.end();
      assert.ok(stage.passToRetry() <= 30_000);
    }
  });

  test('is made again at a random time, up to half as long again [CLIENT-11]', () => {
    const waits = [0, 0.5, 1].map((random) => {
      const stage = new StreamStage();
      stage.random = random;
      stage.subscribe();
      return Array.from({ length: 3 }, () => {
        stage.socket.end();
        return stage.passToRetry();
      });
    });
    assert.deepEqual(waits, [
      [250, 500, 1_000],
      [313, 625, 1_250],
      [375, 750, 1_500],
    ]);
  });

  test('is made again at times of its own by each of many clients [CLIENT-11]', () => {
    const waits = Array.from({ length: 40 }, () => {
      const stage = new StreamStage({ random: undefined } as object);
      stage.subscribe();
      stage.socket.end();
      return stage.passToRetry();
    });
    assert.ok(new Set(waits).size > 1, `${waits[0]}`);
  });

  test('is the first failure again after one that lasted', () => {
    const stage = new StreamStage();
    stage.subscribe();
    for (let failures = 0; failures < 4; failures += 1) {
      stage.socket.end();
      stage.passToRetry();
    }
    stage.socket.open();
    stage.clock.pass(9_000);
    stage.socket.say({ t: 'hb', ts: '1' });
    stage.clock.pass(1_000);
    stage.socket.end();
    assert.equal(stage.passToRetry(), 250);
    // A connection that ends as soon as it opens is no success.
    stage.socket.open();
    stage.socket.end();
    assert.equal(stage.passToRetry(), 500);
  });

  for (const code of [1000, 1001, 1005, 1006, 1008, 1011, 1012, 1014, 1015, 3000, 4000, 4999]) {
    test(`that ended with ${code} is made again`, () => {
      const stage = new StreamStage();
      const { sub } = stage.subscribed();
      stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
      stage.socket.end(code, 'a reason');
      assert.equal(stage.client.connection, 'waiting');
      stage.passToRetry();
      assert.equal(stage.sockets.length, 2);
    });
  }

  test('that failed is made again, whether a close is told as well or not', () => {
    const stage = new StreamStage();
    stage.subscribe();
    const [first] = stage.sockets;
    first!.fail();
    assert.equal(stage.client.connection, 'waiting');
    first!.end();
    assert.equal(stage.passToRetry(), 250);
    assert.equal(stage.sockets.length, 2);
    stage.socket.end();
    stage.socket.fail();
    assert.equal(stage.passToRetry(), 500);
  });

  test('subscribes again from the last cursor of each subscription, an `hb` included [CLIENT-12]', () => {
    const stage = new StreamStage();
    const [first] = ['s1', 's2', 's3', 's4'].map((sub) => {
      stage.subscribe();
      return speech(sub);
    });
    const others = ['s2', 's3'].map(speech);
    stage.socket.open();
    stage.socket.say(first!.snapshot('20261112.5.1'), first!.upsert('20261112.7.1', 'a'));
    stage.socket.say(others[0]!.snapshot('20261112.5.1'), others[0]!.hb('20261112.9.0'));
    stage.socket.say(others[1]!.snapshot('20261112.5.1'), others[1]!.remove('20261112.10.1', 'x'));
    stage.socket.end();
    stage.passToRetry();
    stage.socket.open();
    const froms = stage.socket.sentOf('subscribe').map(({ sub, from }) => [sub, from]);
    assert.deepEqual(froms, [
      ['s1', { cursor: '20261112.7.1' }],
      ['s2', { cursor: '20261112.9.0' }],
      ['s3', { cursor: '20261112.10.1' }],
      ['s4', 'live'],
    ]);
  });

  test('before the first cursor starts again from the original time [CLIENT-45]', () => {
    const stage = new StreamStage();
    const time = '2026-11-12T14:30:00Z';
    stage.subscribe({ from: { time } });
    stage.socket.open();
    const { subscribed, status, snapshot } = speech('s1');
    stage.socket.say(subscribed, status('warming'));
    stage.socket.end();
    stage.passToRetry();
    stage.socket.open();
    assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { time });
    stage.socket.say(subscribed, status('warming'), snapshot('20261112.5.1'));
    stage.socket.end();
    stage.passToRetry();
    stage.socket.open();
    assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { cursor: '20261112.5.1' });
  });

  test('after a reset has nothing to go on from, not even the original time', () => {
    const stage = new StreamStage();
    stage.subscribe({ from: { time: '2026-11-12' } });
    stage.socket.open();
    stage.socket.say(speech('s1').snapshot('20261112.5.1'), speech('s1').reset());
    stage.socket.say(speech('s1').hb('20261112.6.0'));
    stage.socket.end();
    stage.passToRetry();
    stage.socket.open();
    assert.equal(stage.socket.sentOf('subscribe')[0]?.from, 'live');
  });
});

describe('a client that is not wanted', () => {
  const ends = [
    [4001, 'Invalid API key or token', 'UNAUTHORIZED', 'CLIENT-20'],
    [4003, 'KEY_REVOKED', 'KEY_REVOKED', 'CLIENT-21, CLIENT-29'],
    [4003, 'ENTITLEMENTS_CHANGED', 'ENTITLEMENTS_CHANGED', 'CLIENT-21, CLIENT-30'],
    [4003, 'FORBIDDEN', 'FORBIDDEN', 'CLIENT-21'],
    [4003, 'a word to come', 'FORBIDDEN', 'CLIENT-21'],
    [1002, '', 'PROTOCOL_ERROR', 'CLIENT-22, CLIENT-31'],
    [1003, 'Binary messages are refused', 'BINARY_NOT_SUPPORTED', 'CLIENT-23, CLIENT-32'],
    [1007, '', 'INVALID_UTF8', 'CLIENT-24, CLIENT-33'],
    [1009, 'Too big', 'MESSAGE_TOO_BIG', 'CLIENT-25, CLIENT-34'],
  ] as const;
  for (const [code, reason, name, rules] of ends) {
    test(`stops after ${code} ${reason} with ${name} [${rules}]`, async () => {
      const stage = new StreamStage();
      const { subscription, sub } = stage.subscribed();
      const other = stage.subscribe();
      stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
      stage.socket.end(code, reason);
      assert.equal(stage.client.connection, 'stopped');
      assert.equal((await subscription.ended)?.code, name);
      assert.equal((await other.ended)?.code, name);
      await assert.rejects(other.ready, { name: 'TapeloomError', code: name });
      stage.clock.pass(3_600_000);
      assert.equal(stage.sockets.length, 1);
      assert.equal(stage.clock.timers, 0);
      // The state stays readable.
      assert.deepEqual([...subscription.state.objects.keys()], ['a']);
    });
  }

  test('tries again only when it is asked for something new', () => {
    const stage = new StreamStage();
    stage.subscribed();
    stage.socket.end(4001);
    stage.subscribe();
    assert.equal(stage.sockets.length, 2);
    assert.equal(stage.client.connection, 'connecting');
  });
});

describe('what is sent', () => {
  test('by a client of 500 subscriptions stays within what the server allows', () => {
    const stage = new StreamStage();
    const all = Array.from({ length: 500 }, () => stage.subscribe());
    for (let round = 0; round < 2; round += 1) {
      stage.socket.open();
      let [frames, sent, most] = [100, 0, 0];
      for (let ms = 0; ms < 40_000; ms += 100) {
        stage.clock.pass(100);
        if (ms % 5_000 === 0) stage.socket.say({ t: 'hb', ts: '1' });
        const more = stage.socket.sent.length - sent;
        sent += more;
        most = Math.max(most, more);
        frames = Math.min(100, frames + 2) - more;
        assert.ok(frames >= 0, `more than 100 at once or 20 a second after ${ms} ms`);
      }
      assert.equal(new Set(stage.socket.sentOf('subscribe').map(({ sub }) => sub)).size, 500);
      assert.equal(stage.socket.sentOf('subscribe').length, 500);
      stage.socket.end();
      stage.passToRetry();
    }
    assert.equal(all.length, 500);
  });

  test('has no subscription that was closed before its turn', async () => {
    const stage = new StreamStage();
    const all = Array.from({ length: 100 }, () => stage.subscribe());
    stage.socket.open();
    const asked = stage.socket.sentOf('subscribe').length;
    assert.ok(asked < 100);
    for (const subscription of all.slice(asked)) await subscription.close();
    stage.clock.pass(5_000);
    assert.equal(stage.socket.sent.length, asked);
  });
});

/** Lets pending promises settle. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
}
