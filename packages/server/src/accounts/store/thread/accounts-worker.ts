/** The accounts' thread: one store on one SQLite file. It waits for the disk, so that no other thread does. */

import { parentPort, workerData } from 'node:worker_threads';
import { ThreadDesk } from '../../../platform/threads/thread-desk.ts';
import { type AccountStore, AccountsTroubleError } from '../account-store.ts';
import { openSqliteAccountStore } from '../sqlite/sqlite-account-store.ts';
import type { AccountsShape, AccountsWorkerData, PlainError } from './accounts-wire.ts';

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

const { path } = workerData as AccountsWorkerData;
const desk = new ThreadDesk<AccountsShape>(parentPort!);
const opening = openStore();
// The `open` call reports the failure.
opening.catch(() => undefined);

desk.open({
  calls: {
    open: async () => void (await opening),
    store: async (part, method, args) => {
      const store = await opening;
      const of = (part === null ? store : store[part]) as unknown as Methods;
      return await of[method]!(...args);
    },
  },
  refusalOf: plain,
  stop: async () => await (await opening)[Symbol.asyncDispose](),
});

async function openStore(): Promise<AccountStore> {
  const store = await openSqliteAccountStore(path);
  store.onChange((change) => desk.tell({ t: 'change', change }));
  store.onWrittenElsewhere(() => desk.tell({ t: 'written-elsewhere' }));
  store.onTrouble((error) => desk.tell({ t: 'trouble', error: plain(error) }));
  return store;
}

function plain(error: unknown): PlainError {
  const trouble = error instanceof AccountsTroubleError ? error.trouble : null;
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), trouble };
  return { name: error.constructor.name, message: error.message, trouble };
}
