import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const FILES: Readonly<Record<string, string>> = {
  '/run/stripe-key': 'sk_live_0123456789abcdef\n',
  '/run/stripe-secrets': 'whsec_aaaaaaaaaa\nwhsec_bbbbbbbbbb\n',
  '/run/paddle-key': 'pdl_live_apikey_0123456789abcdef0123',
  '/run/paddle-secrets': 'pdl_ntfset_0123456789abcdef',
  '/run/smtp-password': 'h@rd/p:ss%2F\n',
  '/run/empty': ' \n',
  '/run/wrong': 'pk_live_hunter2hunter2',
};
const MAIL = { TAPELOOM_SMTP_URL: 'smtp://ada@mail.example.com', TAPELOOM_MAIL_FROM: 'a@b.de' };

function read(env: Readonly<Record<string, string>>, file?: object) {
  return readConfig({
    env: file === undefined ? env : { ...env, TAPELOOM_CONFIG: '/etc/tapeloom.json' },
    args: [],
    readFile: (path) => {
      if (path === '/etc/tapeloom.json') return JSON.stringify(file);
      const text = FILES[path];
      if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
      return text;
    },
  });
}

function faultsOf(...given: Parameters<typeof read>): readonly string[] {
  try {
    read(...given);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

test('keys, secrets and the password of the mail server may stand in files that variables name', () => {
  const config = read({
    ...MAIL,
    TAPELOOM_SMTP_PASSWORD_FILE: '/run/smtp-password',
    TAPELOOM_STRIPE_KEY_FILE: '/run/stripe-key',
    TAPELOOM_STRIPE_WEBHOOK_SECRETS_FILE: '/run/stripe-secrets',
    TAPELOOM_PADDLE_KEY_FILE: '/run/paddle-key',
    TAPELOOM_PADDLE_WEBHOOK_SECRETS_FILE: '/run/paddle-secrets',
    TAPELOOM_PADDLE_CLIENT_TOKEN: 'live_0123456789abcdef0123456789a',
  });
  assert.equal(config.stripeKey, 'sk_live_0123456789abcdef');
  assert.deepEqual(config.stripeWebhookSecrets, ['whsec_aaaaaaaaaa', 'whsec_bbbbbbbbbb']);
  assert.equal(config.paddleKey, FILES['/run/paddle-key']);
  assert.deepEqual(config.paddleWebhookSecrets, [FILES['/run/paddle-secrets']]);
  const url = new URL(config.smtpUrl!);
  assert.equal(decodeURIComponent(url.password), 'h@rd/p:ss%2F');
  const inFile = { stripeKeyFile: '/run/stripe-key', stripeWebhookSecrets: ['whsec_aaaaaaaaaa'] };
  assert.equal(read({}, inFile).stripeKey, 'sk_live_0123456789abcdef');
  // The environment wins over the file, in either form.
  const other = 'sk_test_9999999999999999';
  assert.equal(read({ TAPELOOM_STRIPE_KEY: other }, inFile).stripeKey, other);
});

test('a file of a secret that is missing, empty or wrong is named by its variable, and never shown', () => {
  const file = (path: string) => faultsOf({ TAPELOOM_STRIPE_KEY_FILE: path });
  assert.match(file('/run/none')[0]!, /^TAPELOOM_STRIPE_KEY_FILE: cannot read \/run\/none: ENOENT/);
  assert.deepEqual(file('/run/empty'), ['TAPELOOM_STRIPE_KEY_FILE: the file /run/empty is empty.']);
  assert.match(
    file('/run/wrong')[0]!,
    /^TAPELOOM_STRIPE_KEY_FILE must be .*; got a value that is not shown/,
  );
  assert.deepEqual(
    faultsOf({
      TAPELOOM_STRIPE_KEY: 'sk_test_0123456789abcdef',
      TAPELOOM_STRIPE_KEY_FILE: '/run/stripe-key',
    }),
    ['TAPELOOM_STRIPE_KEY and TAPELOOM_STRIPE_KEY_FILE are both set; remove one of them.'],
  );
  const password = { TAPELOOM_SMTP_PASSWORD_FILE: '/run/smtp-password' };
  assert.match(faultsOf(password)[0]!, /^TAPELOOM_SMTP_PASSWORD_FILE requires TAPELOOM_SMTP_URL/);
  for (const url of ['smtp://ada:hunter2@mail.example.com', 'smtp://mail.example.com']) {
    assert.deepEqual(faultsOf({ ...MAIL, ...password, TAPELOOM_SMTP_URL: url }), [
      'TAPELOOM_SMTP_PASSWORD_FILE: TAPELOOM_SMTP_URL must then contain a user but no password, such as smtp://user@host:587.',
    ]);
  }
  assert.match(faultsOf(MAIL)[0]!, /^TAPELOOM_SMTP_URL must be .*; got a value that is not shown/);
});

test('what stands around a value is blamed, not the value', () => {
  for (const [text, around] of [
    ['sk_live_0123456789abcdef\n', 'line breaks'],
    [' sk_live_0123456789abcdef', 'spaces'],
    ['"sk_live_0123456789abcdef"', 'quotes'],
  ] as const) {
    const wrong = {
      TAPELOOM_STRIPE_KEY: text,
      TAPELOOM_STRIPE_WEBHOOK_SECRETS: 'whsec_aaaaaaaaaa',
    };
    assert.deepEqual(faultsOf(wrong), [
      `TAPELOOM_STRIPE_KEY has ${around} around its value. Remove them: they count as part of the value.`,
    ]);
  }
  assert.match(faultsOf({ TAPELOOM_PORT: '8080\r\n' })[0]!, /^TAPELOOM_PORT has line breaks/);
  assert.match(faultsOf({ TAPELOOM_PORT: '80a ' })[0]!, /^TAPELOOM_PORT must be .*; got "80a "/);
});

test('a name that differs from a setting in case alone is refused with the right one', () => {
  const fault = (name: string) =>
    `${name} is ignored: setting names are upper case. Use TAPELOOM_PORT.`;
  for (const name of ['tapeloom_port', 'Tapeloom_Port', 'TAPELOOM_port']) {
    assert.deepEqual(faultsOf({ [name]: '9000' }), [fault(name)]);
  }
  assert.match(
    faultsOf({ tapeloom_prot: '1' })[0]!,
    /^tapeloom_prot is not a setting\. Did you mean /,
  );
  assert.deepEqual(faultsOf({ tapeloom_port: '1', TAPELOOM_PORT: '2' }), [fault('tapeloom_port')]);
  // On Windows these are one variable.
  assert.equal(read({ tapeloom_port: '2', TAPELOOM_PORT: '2' }).port, 2);
  assert.equal(read({ my_tapeloom_port: '2' }).port, 8080);
});
