import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf } from '@tapeloom/server/accounts/auth/secret';
import { accountsPath } from '@tapeloom/server/accounts/store/sqlite/accounts-path';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { leaveServiceNote } from '@tapeloom/server/platform/service-note';
import { createClock } from '@tapeloom/server/platform/system-clock';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-cli-owners-'));
after(() => rmSync(directory, { recursive: true }));
let directories = 0;

/** A new data directory, and the commands on it. */
function operator() {
  directories += 1;
  const data = join(directory, String(directories));
  const run = (...words: readonly string[]) =>
    runRecorded(commands, words, { env: { TAPELOOM_DATA: data } });
  const json = async <T>(...words: readonly string[]): Promise<T> => {
    const { code, out, err } = await run(...words, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out) as T;
  };
  return { data, run, json };
}

test('an account without an owner is claimed by a link that is kept as a digest only', async () => {
  const { data, run, json } = operator();
  await run('account', 'create', 'acme');
  assert.match((await run('account', 'show', 'acme')).out, /^owner +none; tapeloom account claim/m);
  const told = await run('account', 'claim', 'acme');
  assert.equal(told.code, 0, told.err);
  const token = /^ {2}http:\/\/127\.0\.0\.1:8080\/sign-in#(svc_link_\w+)$/m.exec(told.out)![1]!;
  assert.ok(!readFileSync(accountsPath(data)).includes(token));
  {
    await using store = await openSqliteAccountStore(accountsPath(data));
    const now = createClock({ kind: 'system' }).now();
    const found = await store.people.findLink(now, digestOf(token).hash);
    assert.ok('purpose' in found);
    assert.deepEqual([found.purpose, found.account?.name, found.email], ['claim', 'acme', null]);
    const expired = await store.people.findLink(found.expiresAt, digestOf(token).hash);
    assert.deepEqual(expired, { refused: 'expired' });
  }

  const url = ['--url', 'https://tapeloom.example.com'];
  const { link, account } = await json<Record<string, string>>('account', 'claim', 'acme', ...url);
  assert.match(link!, /^https:\/\/tapeloom\.example\.com\/sign-in#svc_link_/);
  assert.equal(account, 'acme');
});

test('an owner is named by an address, replaced by another, and owns one account only', async () => {
  const { run, json } = operator();
  await run('account', 'create', 'acme');
  await run('account', 'create', 'other');
  const named = await run('account', 'email', 'acme', 'Ada@Example.com');
  assert.equal(
    named.out,
    'acme is owned by Ada@example.com. They sign in at http://127.0.0.1:8080/sign-in\n',
  );
  const { email } = await json<{ email: string }>('account', 'show', 'acme');
  assert.equal(email, 'Ada@example.com');
  const taken = await run('account', 'email', 'other', 'ada@example.com');
  assert.deepEqual([taken.code, taken.out], [1, '']);
  assert.match(taken.err, /owns another account/);
  const claimed = await run('account', 'claim', 'acme');
  assert.equal(claimed.code, 1);
  assert.match(claimed.err, /acme is owned by Ada@example\.com; use tapeloom account email/);
  const replaced = await run('account', 'email', 'acme', 'eve@example.com');
  assert.match(replaced.out, /^acme is owned by eve@example\.com instead of Ada@example\.com\./);
  assert.equal((await run('account', 'email', 'other', 'ada@example.com')).code, 0);
});

test('an address or a link that could not work is refused before anything is written', async () => {
  const { run } = operator();
  await run('account', 'create', 'acme');
  for (const text of [
    'ada',
    'ada@localhost',
    'ada@example.com\nBcc: x@example.com',
    'a\u202eb@x.de',
  ]) {
    const { code, err } = await run('account', 'email', 'acme', text);
    assert.equal(code, 2, text);
    assert.match(err, /the e-mail address must be such as you@example\.com; got "/);
  }
  for (const url of ['tapeloom.example.com', 'https://tapeloom.example.com/', 'ftp://x']) {
    assert.equal((await run('account', 'claim', 'acme', '--url', url)).code, 2, url);
  }
  assert.equal((await run('account', 'claim')).code, 2);
  assert.equal((await run('account', 'email', 'acme')).code, 2);
  assert.match((await run('account', 'claim', 'acm')).err, /did you mean acme\?/);
  assert.match((await run('account', 'show', 'acme')).out, /^owner +none;/m);
  for (const command of ['claim', 'email']) {
    assert.match((await run('account', command, '--help')).out, /Examples:\n {2}tapeloom account /);
  }
});

test('who owns an account signs in where the running service is, whatever port it has', async () => {
  const { data, run } = operator();
  await run('account', 'create', 'acme');
  using _lock = lockDirectory(data);
  using _note = leaveServiceNote(data, {
    ...{ pid: 1, version: '1', internal: '' },
    portal: 'http://127.0.0.1:41234',
  });
  const told = await run('account', 'email', 'acme', 'ada@example.com');
  assert.match(told.out, /They sign in at http:\/\/127\.0\.0\.1:41234\/sign-in\n$/);
});

test('an operator sees the passkeys of an account and removes one or all of them, with a mail to the owner', async () => {
  const { data, run, json } = operator();
  const { id: accountId } = await json<{ id: string }>('account', 'create', 'acme');
  await run('account', 'email', 'acme', 'ada@example.com');
  assert.equal((await run('account', 'passkeys', 'acme')).out, 'acme has no passkeys.\n');
  const ids: string[] = [];
  {
    await using store = await openSqliteAccountStore(accountsPath(data));
    const call = { now: createClock({ kind: 'system' }).now(), actor: { kind: 'owner' } } as const;
    for (const [index, name] of ['laptop', 'phone', 'key'].entries()) {
      const at = { ...call, now: (call.now + BigInt(index)) as EpochNs };
      const passkey = { credentialId: name, publicKey: 'x', counter: 0, transports: [], name };
      const added = await store.passkeys.addPasskey(at, accountId, passkey);
      assert.ok('id' in added);
      ids.push(added.id);
    }
    await store.passkeys.setSecondFactor(call, accountId, true);
  }
  const shown = await run('account', 'passkeys', 'ada@example.com');
  assert.match(shown.out, /^id +name +added +last used\npky_\w+ +laptop +20.* never\n/);
  assert.match(shown.out, /Sign-in links also require a passkey\.\n$/);
  assert.equal((await run('account', 'passkeys', 'acme', '--remove', ids[0]!)).code, 2);
  const one = await run('account', 'passkeys', 'acme', '--remove', ids[0]!, '--yes');
  assert.equal(one.out, '1 passkey is removed from acme. The owner is informed by mail.\n');
  const gone = await run('account', 'passkeys', 'acme', '--remove', ids[0]!, '--yes');
  assert.match(gone.err, /acme has no passkey with the id pky_/);
  const all = await json<object>('account', 'passkeys', 'acme', '--remove-all', '--yes');
  assert.deepEqual(all, { account: 'acme', removed: 2 });
  const left = await json<{ secondFactor: boolean }>('account', 'passkeys', 'acme');
  assert.equal(left.secondFactor, false);
  await using store = await openSqliteAccountStore(accountsPath(data));
  const now = createClock({ kind: 'system' }).now();
  const mails = await store.mails.takeMails(now, now, 10);
  const kinds = mails.map(({ kind }) => kind).filter((kind) => kind !== 'passkey-added');
  assert.deepEqual(kinds.toSorted(), ['passkey-removed', 'passkeys-removed']);
});
