/**
 * A process with many clients on an account store that it shares with other processes: they
 * reserve, settle and void budget, create and revoke keys, and consume tokens. It logs every
 * acknowledged result. `node accounts-clients.ts <task as JSON>`.
 */

import { randomBytes } from 'node:crypto';
import type { EpochNs } from '@tapeloom/core/numbers';
import { digestOf, newKeyText } from '@tapeloom/server/accounts/auth/secret';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { openSqliteAccountStore } from '@tapeloom/server/accounts/store/sqlite/sqlite-account-store';
import { troubleOf } from '@tapeloom/server/accounts/store/sqlite/sqlite-trouble';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { LedgerWriter } from './accounts-ledger.ts';

export interface ClientsTask {
  readonly database: string;
  readonly ledger: string;
  readonly accountId: string;
  /** The most that used and reserved units together may reach. */
  readonly limit: number;
  readonly period: string;
  readonly nowNs: string;
  readonly expiresAtNs: string;
  /** Digests of tokens that every client tries to use. */
  readonly tokens: readonly string[];
  readonly clients: number;
  readonly requests: number;
  readonly seed: number;
}

const AMOUNT_MAX = 50;
const NEW_KEY = {
  name: 'race',
  environment: 'live',
  scopes: ['stream'],
  instruments: null,
  allowedIps: null,
  expiresAt: null,
} as const;

const task = JSON.parse(process.argv[2]!) as ClientsTask;
const now = BigInt(task.nowNs) as EpochNs;
const call = { now, actor: { kind: 'operator' } } as const;
const random = seededRandom(task.seed);
const draw = (below: number) => Math.floor(random() * below);
const ownKeys: string[] = [];

{
  await using store = await openSqliteAccountStore(task.database);
  using ledger = new LedgerWriter(task.ledger);
  const clients = Array.from({ length: task.clients }, async (_, client) => {
    for (let request = 0; request < task.requests; request += 1) {
      await oneRequest(store, ledger, `${task.seed}.${client}.${request}`);
    }
  });
  await Promise.all(clients);
  ledger.write({ t: 'end' });
}

/** Retries a call that failed because the store was busy too long: it has changed nothing. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (troubleOf(error)?.trouble !== 'busy') throw error;
    }
  }
}

async function oneRequest(store: AccountStore, ledger: LedgerWriter, id: string): Promise<void> {
  const what = draw(10);
  if (what < 5) await spend(store, ledger, id);
  else if (what < 8) await changeKeys(store, ledger);
  else await useToken(store, ledger);
}

/** Reserves, sometimes twice under one id; then settles, voids or abandons the reservation. */
async function spend(store: AccountStore, ledger: LedgerWriter, id: string): Promise<void> {
  const { accountId, limit, period } = task;
  const amount = 1 + draw(AMOUNT_MAX);
  const expiresAt = BigInt(task.expiresAtNs) as EpochNs;
  const request = {
    id,
    accountId,
    keyId: 'any',
    budget: 'computeUnits',
    amount,
    limit,
    // A quarter comes from test keys, which may use half of the limit.
    testLimit: draw(4) === 0 ? Math.floor(limit / 2) : null,
    period,
    expiresAt,
  } as const;
  const reservation = await untilAnswered(() => store.reserve(now, request));
  if (!reservation.granted) return ledger.write({ t: 'refused', what: 'budget' });
  if (draw(4) === 0) await untilAnswered(() => store.reserve(now, request));
  const end = draw(10);
  if (end === 0) return;
  if (end < 4) {
    await untilAnswered(() => store.voidReservation(now, id));
    return;
  }
  const used = draw(amount + 1);
  ledger.write({ t: 'settling', id, amount: used });
  const [first, second] = await Promise.all([
    untilAnswered(() => store.settle(now, id, { amount: used })),
    draw(4) === 0 ? untilAnswered(() => store.settle(now, id, { amount: used })) : false,
  ]);
  if (first === second) throw new Error(`${id} was settled ${first ? 'twice' : 'never'}`);
  ledger.write({ t: 'settled', id, amount: used });
}

/** Creates a key; when there are too many, revokes its own oldest one. */
async function changeKeys(store: AccountStore, ledger: LedgerWriter): Promise<void> {
  const secret = digestOf(newKeyText('live', randomBytes));
  const made = await untilAnswered(() => store.createKey(call, task.accountId, NEW_KEY, secret));
  if (!('refused' in made)) {
    ledger.write({ t: 'created', id: made.id });
    ownKeys.push(made.id);
    return;
  }
  if (made.refused !== 'too-many-keys' && made.refused !== 'list-full')
    throw new Error(`refused: ${made.refused}`);
  ledger.write({ t: 'refused', what: 'keys' });
  const id = ownKeys.shift();
  if (id === undefined) return;
  ledger.write({ t: 'revoking', id });
  await untilAnswered(() => store.revokeKey(call, task.accountId, id));
  ledger.write({ t: 'revoked', id });
}

async function useToken(store: AccountStore, ledger: LedgerWriter): Promise<void> {
  const token = task.tokens[draw(task.tokens.length)]!;
  const used = await untilAnswered(() => store.consumeToken(now, token));
  ledger.write(used === null ? { t: 'refused', what: 'token' } : { t: 'consumed', token });
}
