import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { DAY_NS, START } from '../../../testing/accounts/store/account-store-rig.ts';
import { sqlOf } from '../../../testing/accounts/store/migration-fixture.ts';
import { digestOf, newLinkText, newSessionText } from '../auth/secret.ts';
import { openSqliteAccountStore } from '../store/sqlite/sqlite-account-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-people-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const bytes = (fill: number) => (size: number) => new Uint8Array(size).fill(fill);

test('what is on disk of a link and a session is a digest, and of a deleted account no address', async () => {
  const path = join(directory, 'accounts.db');
  const [link, session] = [newLinkText(bytes(1)), newSessionText(bytes(2))];
  const address = { email: 'Leaving@example.com', key: 'leaving@example.com' };
  const dump = () => {
    const database = new DatabaseSync(path);
    try {
      return sqlOf(database);
    } finally {
      database.close();
    }
  };
  const due = (START + 14n * DAY_NS) as EpochNs;
  {
    await using store = await openSqliteAccountStore(path);
    const wanted = { purpose: 'sign-in', address, accountId: null, askedFrom: 'x' } as const;
    await store.people.addLink(START, digestOf(link).hash, wanted);
    const hash = digestOf(session).hash;
    const begun = { hash, browser: 'curl', replaces: null, askedFrom: 'x' };
    const signedIn = await store.people.signIn(START, digestOf(link).hash, begun);
    assert.ok(!('refused' in signedIn));
    const { accountId } = signedIn.session;
    const owner = (now: EpochNs) => ({ now, actor: { kind: 'owner' } }) as const;
    await store.people.askDeletion(owner(START), accountId, null);
    const kept = dump();
    assert.ok(kept.includes(address.email) && kept.includes(hash));
    assert.ok(!kept.includes(link) && !kept.includes(session));
    // A link is requested at the last moment.
    const again = digestOf(newLinkText(bytes(3))).hash;
    await store.people.addLink((due - 1n) as EpochNs, again, wanted);
    assert.ok(await store.people.deleteAccount(owner(due), accountId));
    assert.ok(await store.findAccount(accountId));
    // Mails keep the address until they are delivered.
    const mails = await store.mails.takeMails(due, (due + 1n) as EpochNs, 10);
    assert.deepEqual(mails.map(({ kind }) => kind).toSorted(), [
      'account-deleted',
      'deletion-asked',
    ]);
    for (const mail of mails) await store.mails.mailSent(due, mail);
  }
  assert.ok(!/leaving/i.test(dump()));
});
