import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-cli-config-'));
after(() => rmSync(directory, { recursive: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};
const run = (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  runRecorded(commands, ['config', ...words], {
    env: { TAPELOOM_DATA: join(directory, 'data'), ...env },
  });

const STRIPE = {
  TAPELOOM_STRIPE_KEY_FILE: file('stripe-key', 'sk_test_hunter2hunter2\n'),
  TAPELOOM_STRIPE_WEBHOOK_SECRETS: 'whsec_hunter2hunter2',
};

test('every setting is shown with where it is written, and secrets are not', async () => {
  const path = file('tapeloom.json', JSON.stringify({ simDays: 3 }));
  const { code, out, err } = await run({ ...STRIPE, TAPELOOM_CONFIG: path, TAPELOOM_PORT: '9000' });
  assert.equal(code, 0, err);
  assert.match(out, /^TAPELOOM_PORT +9000 +environment$/m);
  assert.match(out, /^TAPELOOM_SIM_DAYS +3 +file .*tapeloom\.json$/m);
  assert.match(out, /^TAPELOOM_HOST +127\.0\.0\.1 +default$/m);
  assert.match(out, /^TAPELOOM_STRIPE_KEY +\(hidden\) +file .*stripe-key$/m);
  assert.match(out, /^TAPELOOM_STRIPE_WEBHOOK_SECRETS +\(hidden\) +environment$/m);
  assert.doesNotMatch(out, /hunter2/);
  const set = await run({ TAPELOOM_PORT: '9000' }, '--set', '--json');
  assert.deepEqual(JSON.parse(set.out), {
    settings: [
      { variable: 'TAPELOOM_PORT', key: 'port', source: 'environment', value: '9000' },
      {
        ...{ variable: 'TAPELOOM_DATA', key: 'data', source: 'environment' },
        value: join(directory, 'data'),
      },
    ],
    faults: [],
  });
});

test('what would refuse a start is found without one, all of it', async () => {
  const offers = file('offers.json', '{}');
  const wrong = { TAPELOOM_OFFERS: offers, TAPELOOM_PORTAL: '/nope', TAPELOOM_SIM: 'off' };
  const { code, err } = await run(wrong);
  assert.equal(code, 2);
  for (const name of ['TAPELOOM_OFFERS', 'TAPELOOM_PORTAL', 'TAPELOOM_SIM is off']) {
    assert.ok(err.includes(name), `${name} in ${err}`);
  }
  const elsewhere = { TAPELOOM_HOST: '203.0.113.9', TAPELOOM_INTERNAL_HOST: '300.1.1.1' };
  const nowhere = await run(elsewhere);
  assert.deepEqual(
    [nowhere.code, nowhere.err],
    [
      2,
      'TAPELOOM_HOST is 203.0.113.9: this machine does not have that address\n' +
        'TAPELOOM_INTERNAL_HOST is 300.1.1.1: no address is known for that name\n',
    ],
  );
  const unread = await run({ TAPELOOM_PORT: '80a' });
  assert.deepEqual(
    [unread.code, unread.err],
    [2, 'TAPELOOM_PORT must be a whole number from 0 to 65535; got "80a".\n'],
  );
  assert.match(unread.out, /^TAPELOOM_PORT +80a +environment$/m);
});
