import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EpochNs } from '@tapeloom/core/numbers';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { ReplayWatch } from './replay-watch.ts';

const END = 1_773_153_000_000_000_000n as EpochNs;
const SECOND = 1_000_000_000n;

/** The parts of a replaying service that are watched, and the watch's results. */
function rig(isHeld: boolean) {
  const streams = {
    hub: {
      tapeTime: null as EpochNs | null,
      state: 'up' as 'up' | 'down',
      tapeTimeOf: () => streams.hub.tapeTime,
      isSourceUp: () => true,
    },
    gateway: { hasSentAll: true, metrics: { subscriptions: 0 } },
    letsGo: 0,
    letTimeGo() {
      this.letsGo += 1;
    },
  };
  const clock = new ManualClock(0n);
  const watch = new ReplayWatch(
    () => streams,
    { from: END, end: END, isHeld, contract: { symbol: 'ESZ6' } },
    clock,
  );
  const told: string[] = [];
  void watch.played.then(() => told.push('played'));
  void watch.over.then((how) => told.push(how));
  const look = async (ms = 50) => {
    clock.advance(ms);
    await turn();
    return [...told];
  };
  return { streams, clock, watch, look };
}

test('time is let go once, when there is a stream and every one has what there was', async () => {
  const { streams, look } = rig(true);
  await look();
  streams.gateway.metrics.subscriptions = 1;
  streams.gateway.hasSentAll = false;
  await look();
  assert.equal(streams.letsGo, 0);
  streams.gateway.hasSentAll = true;
  await look(500);
  assert.equal(streams.letsGo, 1);
});

test('a stream that cannot begin holds time for ten seconds and no longer', async () => {
  const { streams, look } = rig(true);
  streams.gateway.metrics.subscriptions = 1;
  streams.gateway.hasSentAll = false;
  await look(9_950);
  assert.equal(streams.letsGo, 0);
  await look();
  assert.equal(streams.letsGo, 1);
});

test('it is played when the second after its end is published, and sent when nothing waits any more', async () => {
  const { streams, clock, look } = rig(false);
  streams.hub.tapeTime = (END + SECOND - 1n) as EpochNs;
  assert.deepEqual(await look(), []);
  streams.hub.tapeTime = (END + SECOND) as EpochNs;
  streams.gateway.hasSentAll = false;
  assert.deepEqual(await look(5_000), ['played']);
  streams.gateway.hasSentAll = true;
  assert.deepEqual(await look(), ['played', 'sent']);
  assert.equal(clock.timerCount, 0);
  assert.equal(streams.letsGo, 0);
});

test('who does not read is not waited for longer than ten seconds, and whoever stops watching leaves no timer', async () => {
  const slow = rig(false);
  slow.streams.hub.tapeTime = (END + SECOND) as EpochNs;
  slow.streams.gateway.hasSentAll = false;
  assert.deepEqual(await slow.look(9_900), ['played']);
  assert.deepEqual(await slow.look(100), ['played', 'sent']);
  const stopped = rig(true);
  stopped.watch[Symbol.dispose]();
  assert.equal(stopped.clock.timerCount, 0);
});

test('a source that is down for ten seconds ends it, one that comes back does not', async () => {
  const { streams, clock, look } = rig(false);
  streams.hub.state = 'down';
  assert.deepEqual(await look(9_950), []);
  streams.hub.state = 'up';
  await look();
  streams.hub.state = 'down';
  assert.deepEqual(await look(9_950), []);
  assert.deepEqual(await look(), ['failed']);
  assert.equal(clock.timerCount, 0);
});
