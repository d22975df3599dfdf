import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const SDKS = ['stripe', '@paddle/paddle-node-sdk'];

/** Opens the providers as a start does, and prints the loaded modules, including our own. */
const PROGRAM = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    loaded.add(url);
    return next(url, context);
  },
});
const at = (path) => import(new URL(path, ${JSON.stringify(import.meta.url)}));
const { openProviders } = await at('./open-providers.ts');
const { readConfig } = await at('../../config/config.ts');
const { loadOffers } = await at('../../billing/load-offers.ts');
const { createClock } = await at('../../platform/system-clock.ts');
const { createLog } = await at('../../platform/log/log.ts');
const config = readConfig({ env: process.env, args: [], readFile: () => '' });
await using opened = await openProviders({
  config,
  offers: loadOffers(null, () => ''),
  publicAddress: { origin: 'https://tapeloom.example', isLoopback: false },
  clock: createClock({ kind: 'system' }),
  log: createLog({ level: 'silent', readable: false, write: () => undefined }),
});
console.log(JSON.stringify({ names: opened.providers.map(({ name }) => name), loaded: [...loaded] }));
`;

function opened(env: Readonly<Record<string, string>>) {
  const data = mkdtempSync(join(tmpdir(), 'tapeloom-providers-'));
  try {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM],
      { env: { ...env, TAPELOOM_DATA: data }, encoding: 'utf8', timeout: 180_000 },
    );
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout) as { names: string[]; loaded: string[] };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

function sdksIn(loaded: readonly string[]): readonly string[] {
  return SDKS.filter((name) => loaded.some((url) => url.includes(`/node_modules/${name}/`)));
}

test('a start without keys loads neither the SDK of Stripe nor that of Paddle, and one with a key its own alone', () => {
  const without = opened({});
  assert.deepEqual(without.names, ['test']);
  assert.deepEqual(sdksIn(without.loaded), []);
  const ours = without.loaded.filter((url) => /\/billing\/(?:stripe|paddle)\//.test(url));
  assert.deepEqual(ours, []);
  const withStripe = opened({
    TAPELOOM_STRIPE_KEY: 'sk_test_onlyInTests',
    TAPELOOM_STRIPE_WEBHOOK_SECRETS: 'whsec_onlyInTests',
  });
  assert.deepEqual(withStripe.names, ['test', 'stripe']);
  assert.deepEqual(sdksIn(withStripe.loaded), ['stripe'], 'what is looked for can be found');
});

test('the SDKs are among what the package needs when it runs', () => {
  const { dependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'),
  );
  for (const name of SDKS) assert.match(dependencies[name] ?? '', /^\d+\.\d+\.\d+$/, name);
});
