import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAccountStore } from '../../../../testing/accounts/store/account-store.contract.ts';
import type { StorePair } from '../../../../testing/accounts/store/account-store-rig.ts';
import type { AccountStore } from '../account-store.ts';
import { AccountsHandle } from '../thread/accounts-handle.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';

/** One file with two stores on it; the second is always in a thread, since one thread opens a file only once. */
async function pairOn(open: (path: string) => Promise<AccountStore>): Promise<StorePair> {
  const directory = await mkdtemp(join(tmpdir(), 'tapeloom-accounts-'));
  const path = join(directory, 'accounts.db');
  const store = await open(path);
  const other = await openThread(path);
  return {
    store,
    other,
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

function openThread(path: string): Promise<AccountStore> {
  return AccountsHandle.open({ path, onFault: assert.ifError });
}

testAccountStore('SQLite', () => pairOn((path) => openSqliteAccountStore(path)));
testAccountStore('SQLite in a thread', () => pairOn(openThread));
