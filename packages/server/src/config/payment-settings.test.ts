import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireProviders } from '../billing/configured-providers.ts';
import { offerBook } from '../billing/offers.ts';
import { DEFAULT_PRICING } from '../billing/offers-default.ts';
import { ConfigError, readConfig } from './config.ts';

const STRIPE = {
  TAPELOOM_STRIPE_KEY: 'sk_test_0123456789abcdef',
  TAPELOOM_STRIPE_WEBHOOK_SECRETS: 'whsec_0123456789abcdef',
};
const PADDLE = {
  TAPELOOM_PADDLE_KEY: 'pdl_sdbx_apikey_0123456789abcdef0123',
  TAPELOOM_PADDLE_WEBHOOK_SECRETS: 'pdl_ntfset_0123456789abcdef',
  TAPELOOM_PADDLE_CLIENT_TOKEN: 'test_0123456789abcdef0123456789a',
};

function read(env: Readonly<Record<string, string>>) {
  return readConfig({ env, args: [], readFile: () => '' });
}

function faultsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
}

test('keys and two secrets of a rotation are read; nothing of them is shown when they are wrong', () => {
  const two = 'whsec_aaaaaaaaaa, whsec_bbbbbbbbbb';
  const config = read({ ...STRIPE, ...PADDLE, TAPELOOM_STRIPE_WEBHOOK_SECRETS: two });
  assert.deepEqual(config.stripeWebhookSecrets, ['whsec_aaaaaaaaaa', 'whsec_bbbbbbbbbb']);
  assert.equal(config.paddleKey, PADDLE.TAPELOOM_PADDLE_KEY);
  const wrong = {
    TAPELOOM_STRIPE_KEY: 'pk_live_hunter2hunter2',
    TAPELOOM_STRIPE_WEBHOOK_SECRETS: `${two},whsec_hunter2hunter2`,
    TAPELOOM_PADDLE_KEY: 'hunter2',
    TAPELOOM_PADDLE_WEBHOOK_SECRETS: 'pdl_ntfset_hunter2hunter2,pdl_ntfset_hunter2hunter2',
    TAPELOOM_PADDLE_CLIENT_TOKEN: 'pdl_live_apikey_hunter2',
  };
  const faults = faultsOf(() => read(wrong));
  assert.deepEqual(
    faults.map((fault) => fault.split(/[: ]/)[0]),
    Object.keys(wrong),
  );
  assert.doesNotMatch(faults.join(), /hunter2/);
  for (const url of ['http://stripe.example.com', 'https://api.stripe.com/v1']) {
    assert.match(
      faultsOf(() => read({ TAPELOOM_STRIPE_URL: url }))[0]!,
      /^TAPELOOM_STRIPE_URL must be /,
    );
  }
  assert.equal(read({ TAPELOOM_STRIPE_URL: 'http://127.0.0.1:12111' }).stripeKey, null);
});

test('what belongs together and is missing stops the start by its name', () => {
  for (const all of [STRIPE, PADDLE]) {
    for (const missing of Object.keys(all)) {
      const some = Object.fromEntries(Object.entries(all).filter(([name]) => name !== missing));
      const [fault, ...others] = faultsOf(() => read(some));
      assert.deepEqual(others, []);
      assert.match(fault!, new RegExp(`^${missing} is required when TAPELOOM_`));
    }
  }
  const mixed = { ...PADDLE, TAPELOOM_PADDLE_CLIENT_TOKEN: 'live_0123456789abcdef0123456789a' };
  assert.match(
    faultsOf(() => read(mixed))[0]!,
    /CLIENT_TOKEN belongs to the live account, but .*sandbox/,
  );
});

test('a country whose provider is not configured stops the start with the variable that is missing', () => {
  const offers = offerBook({
    ...DEFAULT_PRICING,
    countries: [
      { code: 'DE', provider: 'stripe' },
      { code: 'FR', provider: 'stripe' },
      { code: 'US', provider: 'paddle' },
      { code: 'JP', provider: 'test' },
    ],
  });
  assert.deepEqual(
    faultsOf(() => requireProviders(offers, read({}))),
    [
      'TAPELOOM_STRIPE_KEY is required: TAPELOOM_OFFERS names stripe for DE, FR.',
      'TAPELOOM_PADDLE_KEY is required: TAPELOOM_OFFERS names paddle for US.',
    ],
  );
  assert.equal(faultsOf(() => requireProviders(offers, read(STRIPE))).length, 1);
  assert.deepEqual(
    faultsOf(() => requireProviders(offers, read({ ...STRIPE, ...PADDLE }))),
    [],
  );
});
