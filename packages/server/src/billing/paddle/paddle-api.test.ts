import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { LocalPaddle } from '../../../testing/billing/paddle/local-paddle.ts';
import { RIG_KEY, RIG_TOKEN, RIG_URL } from '../../../testing/billing/paddle/paddle-rig.ts';
import { checkout, NEVER } from '../../../testing/billing/provider-rig.ts';
import { createLog } from '../../platform/log/log.ts';
import { UpstreamError } from '../payment-provider.ts';
import { CALL_MS_MAX } from './paddle-api.ts';
import { paddleProvider } from './paddle-provider.ts';

const TURNS_MAX = 100_000;

/** Waits until Paddle has received this many requests. */
async function heard(local: LocalPaddle, count: number): Promise<void> {
  for (let turns = 0; local.asked.length < count; turns += 1) {
    assert.ok(turns < TURNS_MAX, `${local.asked.length} of ${count} questions came`);
    await turn();
  }
}

test('a question that is not answered ends in its time, and whoever asks again later starts anew', async () => {
  const clock = new ManualClock(1_794_823_200_000_000_000n);
  await using local = await LocalPaddle.open({ clock, key: RIG_KEY, deliver: () => 200 });
  const provider = paddleProvider({
    key: RIG_KEY,
    webhookSecrets: [],
    clientToken: RIG_TOKEN,
    url: `${local.url}/`,
    publicUrl: () => RIG_URL,
    clock,
    log: createLog({ level: 'silent', readable: true, write: () => undefined }),
  });
  local.reach = 'silent';
  const start = checkout();
  const asked = [
    provider.fetch(`txn_${'0'.repeat(26)}`, NEVER),
    provider.startCheckout(start, NEVER),
    provider.startCheckout(start, NEVER),
  ].map((one) => one.catch((error: unknown) => error));
  await heard(local, 2);
  clock.advance(CALL_MS_MAX);
  for (const error of await Promise.all(asked)) {
    assert.ok(error instanceof UpstreamError);
    assert.match(
      error.message,
      /asked to (?:read a transaction|list customers) and did not answer/,
    );
  }
  assert.equal(local.asked.length, 2, 'one order was worked on once');
  local.reach = 'up';
  const { ref } = await provider.startCheckout(start, NEVER);
  assert.equal((await provider.fetch(ref, NEVER))!.orderId, start.orderId);
  assert.equal(clock.timerCount, 0, 'no timer is left behind');
});
