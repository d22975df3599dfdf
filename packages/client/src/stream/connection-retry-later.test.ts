import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StreamStage, speech } from '../../testing/stream-stage.ts';

describe('silence', () => {
  test('of 15,000 ms is a lost connection [CLIENT-13]', () => {
    const stage = new StreamStage();
    stage.subscribed();
    stage.clock.pass(14_000);
    stage.socket.say({ t: 'of a later version' });
    stage.clock.pass(14_999);
    assert.equal(stage.client.connection, 'open');
    stage.clock.pass(1);
    assert.equal(stage.client.connection, 'waiting');
    assert.equal(stage.socket.closedWith?.reason, 'silence');
    stage.passToRetry();
    assert.equal(stage.sockets.length, 2);
  });

  test('while connecting is a lost connection', () => {
    const stage = new StreamStage();
    stage.subscribe();
    const [first] = stage.sockets;
    stage.clock.pass(15_000);
    assert.ok(first!.isOver);
    assert.equal(stage.client.connection, 'waiting');
    // Later messages of the old socket are ignored.
    first!.open();
    assert.equal(stage.client.connection, 'waiting');
    stage.passToRetry();
    assert.equal(stage.sockets.length, 2);
  });

  test('of the client is broken by a ping every 10 s, also where timers are late', () => {
    const stage = new StreamStage();
    stage.subscribed();
    for (let seconds = 0; seconds < 30; seconds += 5) {
      stage.clock.pass(5_000);
      stage.socket.say({ t: 'hb', ts: '1' });
    }
    assert.equal(stage.socket.sentOf('ping').length, 3);
    stage.clock.jump(11_000);
    stage.socket.say({ t: 'hb', ts: '1' });
    assert.equal(stage.socket.sentOf('ping').length, 4);
  });

  test('of an hour, in which the machine slept, is one lost connection', () => {
    const stage = new StreamStage();
    const { sub, subscription } = stage.subscribed();
    stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
    stage.clock.sleep(3_600_000);
    assert.equal(stage.client.connection, 'waiting');
    assert.equal(stage.passToRetry(), 250);
    stage.socket.open();
    assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { cursor: '20261112.5.1' });
    assert.deepEqual([...subscription.state.objects.keys()], ['a']);
    assert.equal(stage.sockets.length, 2);
  });

  test('is measured rightly when the clock jumps back', () => {
    const stage = new StreamStage();
    stage.subscribed();
    stage.clock.jump(-1_000_000);
    stage.socket.say({ t: 'hb', ts: '1' });
    stage.socket.end();
    assert.equal(stage.client.connection, 'waiting');
    stage.clock.jump(2_000_000);
    stage.clock.pass(0);
    assert.equal(stage.sockets.length, 2);
  });
});

describe('a server that asks to retry later', () => {
  test('with 1013 gets at least a second, then more [CLIENT-14]', () => {
    const stage = new StreamStage();
    stage.subscribe();
    const waits = Array.from({ length: 4 }, () => {
      stage.socket.open();
      stage.socket.say({ t: 'notice', kind: 'reconnect' });
      stage.socket.end(1013, 'The server restarts');
      return stage.passToRetry();
    });
    assert.deepEqual(waits, [1_000, 1_000, 1_000, 2_000]);
  });

  test('with 1008 is backed off from', () => {
    const stage = new StreamStage();
    stage.subscribe();
    const waits = Array.from({ length: 3 }, () => {
      stage.socket.open();
      stage.socket.end(1008, 'Too many messages');
      return stage.passToRetry();
    });
    assert.deepEqual(waits, [250, 500, 1_000]);
  });

  test('with 4029 is asked for 120 s, at least 5 s apart, then the client stops [CLIENT-15, CLIENT-16, CLIENT-17]', async () => {
    const stage = new StreamStage();
    stage.random = 0.1;
    const subscription = stage.subscribe();
    const begin = stage.clock.now();
    for (let attempts = 0; stage.client.connection !== 'stopped'; attempts += 1) {
      assert.ok(attempts < 100);
      stage.socket.open();
      stage.socket.end(4029, 'Too many connections');
      if (stage.clock.timers > 0) stage.passToRetry();
    }
    const times = stage.sockets.map(({ at }) => at - begin);
    for (const [index, at] of times.entries()) {
      if (index > 0) assert.ok(at - times[index - 1]! >= 5_000);
    }
    assert.ok(times.at(-1)! >= 120_000 && times.at(-2)! < 120_000, `${times}`);
    assert.ok(times.length >= 20);
    const error = await subscription.ended;
    assert.equal(error?.code, 'TOO_MANY_CONNECTIONS');
    assert.equal(stage.clock.timers, 0);
  });

  test('with 4029 has 120 s anew once a connection was accepted', () => {
    const stage = new StreamStage();
    const { sub } = stage.subscribed();
    stage.socket.end(4029);
    stage.clock.pass(100_000);
    while (!stage.socket.isOver) {
      stage.socket.open();
      stage.socket.say(speech(sub).snapshot('20261112.5.1'));
      stage.socket.end(1006);
    }
    stage.passToRetry();
    stage.socket.open();
    stage.clock.pass(14_000);
    stage.socket.say(speech(sub).hb('20261112.6.0'));
    stage.clock.pass(14_000);
    stage.socket.end(4029);
    assert.equal(stage.client.connection, 'waiting');
  });

  test('with 4008 is gone back to at once, from the last cursor [CLIENT-18, CLIENT-19]', () => {
    for (const reason of ['SLOW_CONSUMER', 'PING_TIMEOUT']) {
      const stage = new StreamStage();
      const { sub } = stage.subscribed();
      stage.socket.say(speech(sub).snapshot('20261112.5.1', 'a'));
      stage.socket.end(4008, reason);
      assert.equal(stage.sockets.length, 2);
      stage.socket.open();
      assert.deepEqual(stage.socket.sentOf('subscribe')[0]?.from, { cursor: '20261112.5.1' });
    }
  });

  test('with 4008 again and again is not hammered', () => {
    const stage = new StreamStage();
    stage.subscribe();
    stage.socket.open();
    stage.socket.end(4008);
    stage.socket.open();
    stage.socket.end(4008);
    assert.equal(stage.client.connection, 'waiting');
    assert.equal(stage.passToRetry(), 250);
  });
});
