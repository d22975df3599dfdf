import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  killServices,
  NO_TRADES,
  RunningService,
  WAIT_LIMIT_MS,
  within,
} from './running-service.ts';
import { tapeloom, tapeloomJson } from './tapeloom-command.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-accounts-'));
const data = join(directory, 'data');
const POLL_MS = 50;
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

interface KeyAnswer {
  readonly id: string;
  readonly key: string;
}

function createKey(account: string): Promise<KeyAnswer> {
  const options = ['--environment', 'live', '--scopes', 'stream,keys'];
  const words = ['key', 'create', '--account', account, '--name', 'test', ...options];
  return tapeloomJson<KeyAnswer>(data, ...words);
}

test('a backup of a running service, restored elsewhere, has the same keys', async () => {
  const service = new RunningService({ data, env: NO_TRADES });
  await service.ready();
  await tapeloomJson(data, 'account', 'create', 'acme', '--plan', 'live');
  const key = await createKey('acme');
  const folder = join(directory, 'backups');
  const backup = await tapeloom(data, 'backup', folder);
  assert.equal(backup.code, 0, backup.stderr);
  const { id } = await createKey('acme');
  assert.equal((await tapeloom(data, 'restore', folder)).code, 1, 'nothing is overwritten');
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);
  assert.equal(
    (await tapeloom(data, 'restore', folder)).code,
    1,
    'whether the service runs or not',
  );

  const elsewhere = join(directory, 'elsewhere');
  const restored = await tapeloom(elsewhere, 'restore', folder);
  assert.equal(restored.code, 0, restored.stderr);
  const copy = new RunningService({ data: elsewhere, env: NO_TRADES });
  await copy.ready();
  assert.equal(copy.printedKeys, null, 'the accounts are there');
  for (const secret of [key.key, service.keys.live, service.keys.test]) {
    assert.equal((await copy.send('GET', '/v1/usage', { key: secret })).status, 200);
  }
  const listed = await copy.send('GET', '/v1/keys', { key: key.key });
  const { keys } = (await listed.json()) as { keys: KeyAnswer[] };
  assert.ok(keys.length > 0 && keys.every((each) => each.id !== id), 'as of the backup');
  assert.equal((await copy.stop('SIGTERM')).code, 0, copy.errors);
});

/** Runs in every thread of the service. Ends the account thread when a file appears. */
const FAULT = `
  import { existsSync } from 'node:fs';
  import { isMainThread, workerData } from 'node:worker_threads';
  const isAccounts = !isMainThread && String(workerData?.path).endsWith('accounts.db');
  const look = () => { if (existsSync(process.env.FAULT_FILE)) throw new Error('lost on purpose'); };
  if (isAccounts) setInterval(look, 20);
`;

test('when the thread of the accounts dies, everybody is told at once and the rest goes on', async () => {
  const file = join(directory, 'fault');
  const address = `data:text/javascript,${encodeURIComponent(FAULT)}`;
  const env = { ...NO_TRADES, NODE_OPTIONS: `--import=${address}`, FAULT_FILE: file };
  const service = new RunningService({ data, env });
  await service.ready();
  const open = await service.open(service.keys.live);
  assert.equal((await service.get('/v1/usage', service.authorized)).status, 200);
  assert.equal((await service.internal('/health/ready')).status, 200);

  writeFileSync(file, '');
  await within(WAIT_LIMIT_MS, 'the loss', untilNotReady(service));
  const ready = (await (await service.internal('/health/ready')).json()) as { reason: string };
  assert.equal(ready.reason, 'the accounts have stopped');
  // Even a cached key is rejected, because no revocation could reach the service.
  for (const path of ['/v1/usage', '/v1/instruments', '/v1/keys']) {
    const answer = await service.get(path, service.authorized);
    assert.equal(answer.status, 503);
    const problem = (await answer.json()) as { code: string };
    assert.equal(problem.code, 'CAPACITY');
    assert.equal(answer.headers.get('retry-after'), '5');
  }
  assert.equal((await service.connect().closed).code, 1013);
  assert.equal((await service.get('/v1/indicators')).status, 200);
  assert.equal((await service.get('/v1/status')).status, 200);
  await open.send({ t: 'subscribe', sub: 'on', instrument: 'BTC.c.0', indicator: 'bars' });
  await open.first(({ t }) => t === 'snapshot');
  assert.match(service.errors, /the account database is gone/);
  assert.equal((await service.stop('SIGTERM')).code, 0, service.errors);

  rmSync(file);
  const again = new RunningService({ data, env: NO_TRADES });
  await again.ready();
  assert.equal((await again.get('/v1/usage', again.authorized)).status, 200);
  assert.equal((await again.stop('SIGTERM')).code, 0, again.errors);
});

async function untilNotReady(service: RunningService): Promise<void> {
  while ((await service.internal('/health/ready')).status === 200) await pause(POLL_MS);
}

test('accounts that cannot be used stop the start with their path', async () => {
  const broken = join(directory, 'broken');
  mkdirSync(join(broken, 'accounts'), { recursive: true });
  writeFileSync(join(broken, 'accounts', 'accounts.db'), 'this is no database'.repeat(100));
  const service = new RunningService({ data: broken, env: NO_TRADES });
  assert.equal(await service.ended, 1);
  assert.match(service.errors, /cannot start: the accounts in .*accounts\.db cannot be used: /);
});
