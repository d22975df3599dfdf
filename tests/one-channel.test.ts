import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Every way in which our Node code could open an outgoing connection. */
const OUTBOUND =
  /(?<![.#])\bfetch\(|\bhttps?\.(?:request|get)\(|net\.connect|createConnection\(|new WebSocket\(|from 'undici'|dgram/;

/** Sources that call a payment provider or play one: their port calls `fetch` for a payment. */
const ASKING_PROVIDERS = [
  'packages/server/src/billing/asked-provider.ts',
  'packages/server/src/billing/paddle/paddle-provider.ts',
  'packages/server/src/billing/payment-provider.ts',
  'packages/server/src/test-provider/open-test-payments.ts',
  'packages/server/src/test-provider/test-provider.ts',
];

/**
 * Sources that check the operator's own NATS servers: whether they sync acknowledged messages, and
 * why they end a connection.
 */
const ASKING_SERVERS = [
  'packages/server/src/tape/stream/nats/nats-servers-check.ts',
  'packages/server/src/tape/stream/nats/nats-tls-trial.ts',
];

/** The source that connects to the venues of the operator's live datasets, and asks them for trades. */
const ASKING_VENUES = ['packages/server/src/markets/live/network.ts'];

test('events leave by WebSocket only: no webhook of ours in the contract, no setting for one, and nobody is called but payment providers and venues [EVT-01]', () => {
  const openapi = JSON.parse(read('contract/openapi.json')) as Record<string, unknown>;
  assert.equal(openapi.webhooks, undefined);
  assert.ok(!read('contract/openapi.json').includes('"callbacks"'));
  assert.doesNotMatch(read('packages/server/src/config/config.ts'), /webhook|callback/i);
  const sources = globSync('packages/{server,core,protocol}/src/**/*.ts', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  assert.ok(sources.length > 100);
  const calling = sources.filter((path) => OUTBOUND.test(read(path))).sort();
  assert.deepEqual(calling, [...ASKING_PROVIDERS, ...ASKING_SERVERS, ...ASKING_VENUES].sort());
});
