import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { OFFERS, START } from '../../testing/billing/billing-rig.ts';
import { ScriptedProvider } from '../../testing/billing/scripted-provider.ts';
import { type DoctorOptions, examineProvider } from './doctor.ts';

function examined(provider: ScriptedProvider, changes: Partial<DoctorOptions> = {}) {
  const date = new Date(Number(START / 1_000_000n)).toUTCString();
  return examineProvider({
    provider,
    apiUrl: 'https://api.example',
    offers: OFFERS,
    publicUrl: 'https://tapeloom.example',
    isLive: false,
    triesCheckout: true,
    clock: new ManualClock(START),
    signal: new AbortController().signal,
    request: async () => new Response('', { headers: { date } }),
    ...changes,
  });
}

const outcomes = (findings: Awaited<ReturnType<typeof examined>>) =>
  Object.fromEntries(findings.map(({ what, outcome }) => [what, outcome]));

test('the doctor asks the provider, compares clocks, and begins and closes a checkout of the test mode', async () => {
  const provider = new ScriptedProvider('test');
  assert.deepEqual(outcomes(await examined(provider)), {
    countries: 'ok',
    'webhook address': 'ok',
    clock: 'ok',
    script: 'ok',
    checkout: 'ok',
  });
  const { orderId } = provider.started[0]!;
  assert.equal(provider.object(`test_${orderId}`).state, 'failed', 'nobody can pay it');
  await examined(provider, { triesCheckout: false });
  assert.equal(provider.started.length, 1);
});

test('the doctor begins no checkout with keys that move money, and tells of what is down, late or nowhere', async () => {
  const provider = new ScriptedProvider('nowhere');
  for (const isLive of [true, null]) {
    assert.equal(outcomes(await examined(provider, { isLive })).checkout, 'warning');
  }
  assert.deepEqual(provider.started, []);
  provider.trouble = 'down';
  const late = new Date(Number(START / 1_000_000n) - 250_000).toUTCString();
  const found = await examined(provider, {
    publicUrl: 'http://127.0.0.1:8080',
    request: async () => new Response('', { headers: { date: late } }),
  });
  assert.deepEqual(outcomes(found), {
    countries: 'warning',
    'webhook address': 'warning',
    clock: 'fault',
    answers: 'fault',
    checkout: 'fault',
  });
  assert.match(found[2]!.detail, /^ours is 250 s ahead/);
});
