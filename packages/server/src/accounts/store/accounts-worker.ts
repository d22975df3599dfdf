/** The accounts' thread: one store on one SQLite file, which waits for the disk so that nobody else does. */

import { parentPort, workerData } from 'node:worker_threads';
import { type AccountStore, AccountsTroubleError } from './account-store.ts';
import type { AccountsWorkerData, FromAccounts, PlainError, ToAccounts } from './accounts-wire.ts';
import { openSqliteAccountStore } from './sqlite-account-store.ts';

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

const parent = parentPort!;
const { path } = workerData as AccountsWorkerData;
const underWay = new Set<Promise<void>>();

try {
  serve(await openSqliteAccountStore(path));
} catch (error) {
  send({ t: 'refused', error: plain(error) });
}

function serve(store: AccountStore): void {
  store.onChange((change) => send({ t: 'change', change }));
  store.onTrouble((error) => send({ t: 'trouble', error: plain(error) }));
  parent.on('message', (message: ToAccounts) => {
    if (message.t === 'close') {
      void close(store);
      return;
    }
    const answered = answer(store, message);
    underWay.add(answered);
    void answered.finally(() => underWay.delete(answered));
  });
  send({ t: 'opened' });
}

async function answer(
  store: AccountStore,
  { id, part, method, args }: Extract<ToAccounts, { t: 'call' }>,
): Promise<void> {
  try {
    const of = (part === null ? store : store[part]) as unknown as Methods;
    send({ t: 'result', id, value: await of[method]!(...args) });
  } catch (error) {
    send({ t: 'failed', id, error: plain(error) });
  }
}

async function close(store: AccountStore): Promise<void> {
  await Promise.all(underWay);
  await store[Symbol.asyncDispose]();
  parent.close();
}

function send(message: FromAccounts): void {
  parent.postMessage(message);
}

function plain(error: unknown): PlainError {
  const trouble = error instanceof AccountsTroubleError ? error.trouble : null;
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), trouble };
  return { name: error.constructor.name, message: error.message, trouble };
}
