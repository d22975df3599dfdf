import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { AccountsHandle } from '@tapeloom/server/accounts/store/thread/accounts-handle';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { BillingRig } from '../../../server/testing/billing/billing-rig.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-cli-delete-'));
after(() => rmSync(data, { recursive: true }));
const run = (...words: readonly string[]) => answering(undefined, ...words);
const answering = (answers: readonly string[] | undefined, ...words: readonly string[]) =>
  runRecorded(commands, words, {
    env: { TAPELOOM_DATA: data },
    ...(answers === undefined ? {} : { answers }),
  });

before(async () => {
  for (const name of ['acme', 'bolt']) {
    await run('account', 'create', name);
    await run('account', 'email', name, `Ada+${name}@example.com`);
  }
  await run('account', 'create', 'nobody');
});

test('accounts are found by the e-mail address of their owner, wherever one is named', async () => {
  const shown = await run('account', 'show', 'ada+acme@EXAMPLE.com');
  assert.match(shown.out, /^name +acme$/m);
  assert.equal((await run('account', 'suspend', 'ada+bolt@example.com')).code, 0);
  assert.equal((await run('account', 'resume', 'bolt')).code, 0);
  assert.match(
    (await run('account', 'show', 'x@example.com')).err,
    /no account is called x@example/,
  );
});

test('the list of accounts shows owners, and only accounts that contain a text', async () => {
  const all = await run('account', 'list');
  assert.match(all.out, /^acme +Ada\+acme@example\.com +sandbox /m);
  assert.match(all.out, /^nobody +- +sandbox /m);
  const some = JSON.parse((await run('account', 'list', 'BOLT@', '--json')).out);
  assert.deepEqual(
    some.map(({ name, email }: { name: string; email: string }) => [name, email]),
    [['bolt', 'Ada+bolt@example.com']],
  );
  assert.equal((await run('account', 'list', 'zzz')).out, 'No account has "zzz" in it.\n');
});

test('an account is deleted in 14 days after a question, and can be kept until then', async () => {
  assert.equal((await run('account', 'delete', 'acme')).code, 2, 'nobody is there to be asked');
  const no = await answering(['n'], 'account', 'delete', 'acme');
  assert.deepEqual([no.code, no.err], [1, 'Nothing was changed.\n']);
  const asked = await answering(['y'], 'account', 'delete', 'ada+acme@example.com');
  assert.match(asked.out, /^acme is deleted 20.*--withdraw keeps it\.$/m);
  assert.match((await run('account', 'show', 'acme')).out, /^deletion +due 20/m);
  assert.equal((await run('account', 'delete', 'acme', '--withdraw')).out, 'acme stays.\n');
  assert.equal((await run('account', 'delete', 'acme', '--withdraw')).code, 1);
});

test('with --now an account that nothing is charged for is deleted at once, also if it was to go later', async () => {
  await run('account', 'delete', 'acme', '--yes');
  const { id } = JSON.parse((await run('account', 'show', 'acme', '--json')).out);
  const gone = await run('account', 'delete', 'acme', '--now', '--yes');
  assert.deepEqual([gone.code, gone.out], [0, 'acme is deleted.\n'], gone.err);
  assert.match((await run('account', 'show', 'acme')).err, /no account is called acme/);
  assert.match((await run('account', 'show', id)).out, /^deletion +done 20/m);
  assert.match(
    (await run('account', 'delete', id, '--now', '--yes')).err,
    /has already been deleted/,
  );
});

test('with --now an account that is charged for waits for the service, and says that none runs', async () => {
  await using store = await AccountsHandle.open({
    path: accountsPath(data),
    onFault: assert.ifError,
  });
  const rig = BillingRig.over(store, new ManualClock(createClock({ kind: 'system' }).now()));
  const account = await rig.account();
  await rig.bought(account);
  const waiting = await run('account', 'delete', account, '--now', '--yes');
  assert.equal(waiting.code, 7, waiting.err);
  assert.match(waiting.out, /when its subscriptions have ended.*No service runs on /s);
  const due = await store.people.deletionsDue(createClock({ kind: 'system' }).now());
  assert.deepEqual(due, [account]);
});
