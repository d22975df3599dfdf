import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import fc from 'fast-check';
import { exampleVenue } from '../../../../testing/live/example-feed.ts';
import { Pace } from './pace.ts';
import { SendPace } from './send-pace.ts';
import { VenueBudget } from './venue-budget.ts';
import { VenueTime } from './venue-time.ts';

const at = (ms: number) => BigInt(Math.round(ms * 1e6)) as EpochNs;

test('no window of the rate has more than its units, and a hungry caller gets nearly all of them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 200 }),
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 50, maxLength: 300 }),
      (units, waits) => {
        const pace = new Pace({ units, perMs: 2_000 });
        const spent: number[] = [];
        let now = 0;
        for (const wait of waits) {
          now += wait;
          while (pace.spend(1, at(now))) spent.push(now);
        }
        spent.forEach((from, index) => {
          const inWindow = spent.slice(index).filter((time) => time < from + 2_000).length;
          assert.ok(inWindow <= units + 1, `${inWindow} of ${units}`);
        });
      },
    ),
    { numRuns: 50 },
  );
  const pace = new Pace({ units: 120, perMs: 60_000 });
  let spent = 0;
  for (let ms = 0; ms < 600_000; ms += 20) if (pace.spend(1, at(ms))) spent += 1;
  assert.ok(spent >= 1_050 && spent <= 1_200, `${spent} of 1200 in ten minutes`);
});

test('feeds in several threads share one budget, and a pause holds for all of them', () => {
  const memory = new SharedArrayBuffer(8);
  const rate = { units: 100, perMs: 1_000 };
  const [one, other] = [new Pace(rate, memory), new Pace(rate, memory)];
  assert.equal(one.left(at(0)), 1);
  for (let spent = 0; spent < 10; spent += 1) assert.ok(one.spend(1, at(0)));
  assert.equal(other.spend(1, at(0)), false);
  assert.ok(other.left(at(0)) < 1e-6);
  other.refund(2);
  assert.equal(one.left(at(0)).toFixed(3), '0.200');
  one.pauseUntil(at(5_000));
  assert.equal(other.spend(1, at(4_999)), false);
  assert.equal(other.spend(1, at(5_100)), true);
});

test('messages are sent in order and no faster than the venue allows', () => {
  const sends = new SendPace({ units: 10, perMs: 1_000 });
  sends.add(Array.from({ length: 25 }, (_, index) => `${index}`));
  const sent: string[] = [];
  for (let ms = 0; !sends.isEmpty && ms < 10_000; ms += 20) {
    sent.push(...sends.take(at(ms)).map(String));
    assert.ok(sent.length <= 1 + (10 * (ms + 20)) / 1_000, `${sent.length} after ${ms} ms`);
  }
  assert.deepEqual(sent, [...Array(25).keys()].map(String));
});

test('venue time is the newest named time plus the time elapsed, and survives delays', () => {
  const time = new VenueTime();
  assert.equal(time.at(at(0)), null);
  time.seen(at(5_000), at(10_000));
  assert.equal(time.at(at(11_000)), at(6_000));
  time.seen(at(5_100), at(12_000));
  assert.equal(time.at(at(12_000)), at(7_000), 'a delayed message does not set it back');
  time.seen(at(86_400_000), at(12_000));
  assert.equal(time.at(at(12_000)), at(7_000), 'a time of tomorrow is no time');
});

test('a venue clock that drifts behind ours is followed within two minutes', () => {
  const time = new VenueTime();
  for (let ms = 0; ms <= 600_000; ms += 1_000) time.seen(at(ms * 0.999), at(ms));
  const aheadMs = Number(time.at(at(600_000))! - at(600_000 * 0.999)) / 1e6;
  assert.ok(aheadMs >= 0 && aheadMs < 130, `${aheadMs}`);
});

test('what the venue has counted for others on this address pauses requests until its next window', () => {
  const limits = {
    ...exampleVenue.limits,
    requests: { units: 100, perMs: 60_000 },
    pageWeight: 1,
  };
  const budget = new VenueBudget(limits);
  budget.used(89, at(20_000));
  assert.ok(budget.mayRequest(at(20_000)));
  budget.used(90, at(20_000));
  assert.ok(!budget.mayRequest(at(59_999)));
  assert.ok(budget.mayRequest(at(61_000)));
});
