import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { LocalPaddle } from '../../../server/testing/billing/paddle/local-paddle.ts';
import {
  RIG_KEY,
  RIG_SECRET,
  RIG_TOKEN,
} from '../../../server/testing/billing/paddle/paddle-rig.ts';
import { StripeServer } from '../../../server/testing/billing/stripe/stripe-server.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const STRIPE_KEY = 'rk_test_onlyInTests';
const STRIPE_SECRET = 'whsec_onlyInTests';
const URL = 'https://tapeloom.example.com';
const SECRETS = [STRIPE_KEY, STRIPE_SECRET, RIG_KEY, RIG_SECRET, RIG_TOKEN];
const clock = createClock({ kind: 'system' });
const data = mkdtempSync(join(tmpdir(), 'tapeloom-doctor-'));
const offers = join(data, 'offers.json');

const stripe = new StripeServer({
  key: STRIPE_KEY,
  secrets: [STRIPE_SECRET],
  webhookUrl: `${URL}/v1/webhooks/stripe`,
  clock: () => clock.now(),
  send: async () => 200,
});
let paddle: LocalPaddle;
let stripeUrl: string;

before(async () => {
  const countries = [
    { code: 'DE', provider: 'stripe' },
    { code: 'US', provider: 'paddle' },
  ];
  writeFileSync(offers, JSON.stringify({ ...DEFAULT_PRICING, countries }));
  stripeUrl = await stripe.listen();
  paddle = await LocalPaddle.open({ clock, key: RIG_KEY, name: '0', deliver: () => 200 });
  paddle.addDestination(`${URL}/v1/webhooks/paddle`, RIG_SECRET);
});
after(async () => {
  await stripe[Symbol.asyncDispose]();
  await paddle[Symbol.asyncDispose]();
  rmSync(data, { recursive: true, force: true });
});

interface Said {
  readonly isWell: boolean;
  readonly findings: readonly {
    readonly provider: string;
    readonly what: string;
    readonly outcome: string;
    readonly detail: string;
  }[];
}

function doctor(words: readonly string[], change: Readonly<Record<string, string>> = {}) {
  const env = {
    TAPELOOM_OFFERS: offers,
    TAPELOOM_PUBLIC_URL: URL,
    TAPELOOM_STRIPE_KEY: STRIPE_KEY,
    TAPELOOM_STRIPE_WEBHOOK_SECRETS: STRIPE_SECRET,
    TAPELOOM_STRIPE_URL: stripeUrl,
    TAPELOOM_PADDLE_KEY: RIG_KEY,
    TAPELOOM_PADDLE_WEBHOOK_SECRETS: RIG_SECRET,
    TAPELOOM_PADDLE_CLIENT_TOKEN: RIG_TOKEN,
    TAPELOOM_PADDLE_URL: paddle.url,
    ...change,
  };
  return runRecorded(commands, ['billing', 'doctor', ...words], { env });
}

test('billing doctor finds both providers well, and only reads', async () => {
  const { code, out, err } = await doctor(['--json']);
  const { isWell, findings }: Said = JSON.parse(out);
  const bad = findings.filter(({ outcome }) => outcome !== 'ok');
  assert.deepEqual([code, isWell, bad], [0, true, []], err);
  const of = (provider: string) => findings.filter((one) => one.provider === provider);
  assert.ok(of('stripe').length >= 8 && of('paddle').length >= 8, out);
  assert.equal(of('stripe').find(({ what }) => what === 'countries')!.detail, 'DE');
  assert.ok(stripe.requests.every(({ method }) => method === 'GET'));
  assert.ok(paddle.asked.every((asked) => asked.startsWith('GET ')));
  for (const secret of SECRETS) assert.ok(!out.includes(secret));
});

test('billing doctor --checkout begins a checkout of the test mode at both, and leaves none that could be paid', async () => {
  const { code, out } = await doctor(['--checkout']);
  assert.equal(code, 0, out);
  assert.match(out, /^provider +what +outcome +detail$/m);
  assert.match(out, /^stripe +checkout +ok +cs_\S+ was opened, read and closed$/m);
  assert.match(out, /^paddle +checkout +ok +txn_\S+ was opened, read and closed$/m);
  assert.ok(stripe.world.sessions.every(({ status }) => status === 'expired'));
});

test('billing doctor ends with 1 for a key that is none and a provider that cannot be reached, and shows no secret', async () => {
  const wrong = 'rk_test_anotherOne';
  const { code, out } = await doctor(['--json'], {
    TAPELOOM_STRIPE_KEY: wrong,
    TAPELOOM_PADDLE_URL: 'http://127.0.0.1:9',
  });
  const { isWell, findings }: Said = JSON.parse(out);
  assert.deepEqual([code, isWell], [1, false]);
  const faults = findings.filter(({ outcome }) => outcome === 'fault');
  const names = new Set(faults.map(({ provider }) => provider));
  assert.deepEqual([...names], ['stripe', 'paddle'], out);
  for (const secret of [wrong, ...SECRETS]) assert.ok(!out.includes(secret));
});

test('billing doctor without keys names those that the offers need, and what is set by half', async () => {
  const none = await runRecorded(commands, ['billing', 'doctor'], {
    env: { TAPELOOM_OFFERS: offers },
  });
  assert.equal(none.code, 1, none.err);
  assert.match(
    none.out,
    /^stripe +settings +fault +TAPELOOM_STRIPE_KEY is required: .* for DE\.$/m,
  );
  assert.match(
    none.out,
    /^paddle +settings +fault +TAPELOOM_PADDLE_KEY is required: .* for US\.$/m,
  );
  const builtIn = await runRecorded(commands, ['billing', 'doctor']);
  assert.equal(builtIn.code, 0, builtIn.err);
  assert.match(builtIn.out, /^test +money +warning +takes no money/m);
  const half = await runRecorded(commands, ['billing', 'doctor'], {
    env: { TAPELOOM_STRIPE_KEY: STRIPE_KEY },
  });
  assert.equal(half.code, 2);
  assert.match(half.err, /TAPELOOM_STRIPE_WEBHOOK_SECRETS is required/);
  assert.ok(!half.err.includes(STRIPE_KEY));
});
