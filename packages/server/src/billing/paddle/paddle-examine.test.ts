import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  PaddleRig,
  RIG_KEY,
  RIG_SECRET,
  RIG_TOKEN,
} from '../../../testing/billing/paddle/paddle-rig.ts';
import { NEVER } from '../../../testing/billing/provider-rig.ts';
import type { PaymentProvider } from '../payment-provider.ts';
import { clientTokenFault, paddleEnvironment } from './paddle-environment.ts';

async function findingsOf(provider: PaymentProvider) {
  const findings = await provider.examine(NEVER);
  const text = JSON.stringify(findings);
  assert.ok(!text.includes(RIG_KEY) && !text.includes(RIG_SECRET) && !text.includes(RIG_TOKEN));
  return Object.fromEntries(
    findings.map(({ what, outcome, detail }) => [what, `${outcome}: ${detail}`]),
  );
}

test('the doctor reads only, and says of key, token, page, rights and webhooks what is wrong', async () => {
  await using rig = await PaddleRig.open();
  const { settings, asked } = rig.local;
  const well = await findingsOf(rig.provider);
  assert.deepEqual(Object.keys(well), [
    'API key',
    'client token',
    'payment page',
    'rights of the key',
    'webhooks',
  ]);
  for (const finding of Object.values(well)) assert.match(finding, /^ok: /);
  assert.ok(
    asked.every((one) => one.startsWith('GET ')),
    'nothing was changed',
  );
  const [ours] = settings.splice(0);
  assert.match(
    (await findingsOf(rig.provider)).webhooks!,
    /^fault: No active .*\/v1\/webhooks\/paddle/,
  );
  settings.push({ ...ours!, endpoint_secret_key: 'another' });
  assert.match(
    (await findingsOf(rig.provider)).webhooks!,
    /^fault: The secret .* is not in TAPELOOM_PADDLE_WEBHOOK_SECRETS/,
  );
  settings.splice(0, 1, { ...ours!, subscribed_events: ours!.subscribed_events.slice(1) });
  assert.match(
    (await findingsOf(rig.provider)).webhooks!,
    /does not receive transaction\.completed\. Select/,
  );
  rig.reach('down');
  const down = await findingsOf(rig.provider);
  assert.match(down['API key']!, /^fault: service_unavailable/);
  assert.equal(down.webhooks, undefined);
});

test('a key says in which world it is; a client token must be of the same, and no API key', () => {
  assert.equal(paddleEnvironment(RIG_KEY, RIG_TOKEN), 'sandbox');
  assert.equal(paddleEnvironment('pdl_live_apikey_x', RIG_TOKEN), 'live');
  assert.equal(paddleEnvironment('0123456789abcdef', RIG_TOKEN), 'sandbox', 'an older key');
  assert.equal(paddleEnvironment('0123456789abcdef', 'live_x'), 'live');
  assert.equal(clientTokenFault(RIG_TOKEN, 'sandbox'), null);
  assert.match(clientTokenFault(RIG_TOKEN, 'live')!, /belongs to the live account/);
  for (const token of ['', RIG_KEY, 'test_', `${RIG_TOKEN}x`]) {
    assert.match(clientTokenFault(token, 'sandbox')!, /27 letters and digits/, token);
  }
});
