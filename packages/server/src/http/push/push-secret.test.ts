import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../../simulation/disk/sim-disk.ts';
import { PushSecret } from './push-secret.ts';

const [OLD, NEW] = ['o'.repeat(32), 'n'.repeat(40)] as const;

function stage() {
  const machine = new SimDisk();
  const clock = new ManualClock(0n);
  const disk = machine.boot();
  const faults: string[] = [];
  const secret = new PushSecret({
    path: '/run/push',
    disk,
    clock,
    onFault: ({ message }) => faults.push(message),
  });
  const put = (text: string) => {
    machine.put('/run/push', new TextEncoder().encode(text));
    clock.advance(1_000);
  };
  put(`${OLD}\n`);
  const accepted = async () => {
    const given = [OLD, NEW].map(async (one) => (await secret.accepts(`Bearer ${one}`)) && one[0]);
    return (await Promise.all(given)).filter(Boolean).join('');
  };
  return { disk, clock, secret, put, accepted, faults };
}

test('only the secret of the file is accepted, as a bearer', async () => {
  const { secret } = stage();
  assert.equal(await secret.accepts(`Bearer ${OLD}`), true);
  assert.equal(await secret.accepts(`bearer ${OLD}`), true);
  for (const wrong of [
    undefined,
    '',
    OLD,
    `Basic ${OLD}`,
    `Bearer ${OLD}x`,
    'Bearer ',
    `Bearer ${OLD} x`,
  ]) {
    assert.equal(await secret.accepts(wrong), false);
  }
});

test('the secret is rotated while running: both are accepted while the file has both', async () => {
  const { put, accepted } = stage();
  assert.equal(await accepted(), 'o');
  put(`${OLD}\n${NEW}\n`);
  assert.equal(await accepted(), 'on');
  put(`${NEW}\n`);
  assert.equal(await accepted(), 'n');
});

test('a file that becomes unusable changes nothing and is reported once', async () => {
  const { disk, clock, put, accepted, faults } = stage();
  assert.equal(await accepted(), 'o');
  put('short');
  assert.equal(await accepted(), 'o');
  put('short too');
  assert.equal(await accepted(), 'o');
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, /TAPELOOM_PUSH_SECRET_FILE: a secret in \/run\/push must have/);
  put(NEW);
  assert.equal(await accepted(), 'n');
  await disk.remove('/run/push');
  clock.advance(1_000);
  assert.equal(await accepted(), 'n');
  assert.equal(faults.length, 2);
});
