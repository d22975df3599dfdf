/**
 * `GET /v1/portal/export`: all data stored about an account and its owner, as one file. Secrets are not in it: only
 * their digests are stored, and those are useless.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { AccountStore, AuditEvent } from '../../../accounts/store/account-store.ts';
import { Instant } from '../../contract/instant-schema.ts';
import { closedObject, Type } from '../../contract/schema.ts';
import { viewKey } from '../../routes/key-view.ts';
import { tooMany } from '../../server/admission.ts';
import { defineRoute, EncodedJson, type Route } from '../../server/route.ts';
import { exportedLayouts } from '../layouts/exported-layouts.ts';
import type { PortalFacts } from '../portal-facts.ts';

/** It reads everything, and an owner needs it rarely. */
export const EXPORTS_PER_MINUTE = { limit: 6, testLimit: null } as const;
const EVENTS_PER_READ = 1_000;
/** More events than any account has while they are kept. Later ones are left out, and `isAuditWhole` shows it. */
const EVENTS_MAX = 50_000;
/** The period before all others. */
const FIRST_PERIOD = '0000-00';

const list = (description: string) => Type.Array(Type.Unknown(), { description });

const AccountExport = closedObject({
  exportedAt: Instant('Time of the export'),
  account: Type.Unknown(),
  owner: Type.Unknown(),
  deletion: Type.Unknown(),
  marks: list('One-time marks: what the account did or its owner stated, `streamed`, `both`.'),
  keys: list(
    'The keys without their secrets: valid keys, and keys that ended in the last 30 days.',
  ),
  usage: list('The usage of each month.'),
  sessions: list('The sessions in which the owner is signed in.'),
  passkeys: list('The passkeys of the owner: names, times and public keys.'),
  recovery: Type.Unknown(),
  orders: list('The orders, with their payments.'),
  consents: list('The consents of the owner.'),
  withdrawals: list('The withdrawals, in the words of the declaration.'),
  audit: list('The events in the account, the oldest first.'),
  isAuditWhole: Type.Boolean({ description: 'Whether `audit` is complete.' }),
  layouts: list(
    'The layouts of the chart workspace with all states that are kept, those included whose deletion can be undone.',
  ),
});

export function accountExportRoute(facts: () => PortalFacts): Route {
  return defineRoute({
    method: 'GET',
    path: '/v1/portal/export',
    operationId: 'exportAccount',
    summary: 'Everything that the service stores about the account and its owner, as one file.',
    description: 'The file is JSON. It has no secrets, because the service stores none.',
    access: 'session',
    answer: AccountExport,
    head: ({ setHeader }) => setHeader('content-type', 'application/json; charset=utf-8'),
    handle: async ({ session, now, setHeader }) => {
      const { store, allowances } = facts();
      const { accountId } = session;
      const who = `export of ${accountId}`;
      const verdict = await allowances.take(now, who, EXPORTS_PER_MINUTE);
      if (!verdict.granted) throw tooMany('Too many exports in a minute.', verdict);
      const all = await everything(store, accountId, now);
      const layouts = await exportedLayouts(store, accountId, now);
      const name = `tapeloom-${accountId}-${dayText(now)}.json`;
      setHeader('content-disposition', `attachment; filename="${name}"`);
      return new EncodedJson(
        `${withLines(JSON.stringify(all, plainValue, 2), 'layouts', layouts)}\n`,
      );
    },
  });
}

async function everything(store: AccountStore, accountId: string, now: EpochNs): Promise<object> {
  const { people, orders, withdrawals } = store;
  const events = await auditOf(store, accountId);
  return {
    exportedAt: now,
    account: await store.findAccount(accountId),
    owner: await people.ownerOf(accountId),
    deletion: await people.deletionOf(accountId),
    marks: [...(await people.marksOf(accountId))],
    keys: (await store.listKeys(now, accountId)).map((key) => viewKey(key, now)),
    usage: await store.usageMonths(accountId, FIRST_PERIOD),
    sessions: await people.sessionsOf(accountId, now),
    passkeys: await store.passkeys.passkeysOf(accountId),
    recovery: await store.passkeys.recoveryOf(accountId),
    orders: await orders.ordersOf(accountId),
    consents: await orders.consentsOf(accountId),
    withdrawals: await withdrawals.withdrawalsOf(accountId),
    audit: events.slice(0, EVENTS_MAX),
    isAuditWhole: events.length <= EVENTS_MAX,
  };
}

async function auditOf(store: AccountStore, accountId: string): Promise<readonly AuditEvent[]> {
  const events: AuditEvent[] = [];
  while (events.length <= EVENTS_MAX) {
    const after = events.at(-1)?.sequence ?? 0;
    const read = await store.audit({ accountId, after, limit: EVENTS_PER_READ });
    events.push(...read);
    if (read.length < EVENTS_PER_READ) break;
  }
  return events;
}

/** An indented JSON object with one more list, whose elements are JSON already. */
function withLines(object: string, name: string, lines: readonly string[]): string {
  const list = lines.length === 0 ? '' : `\n    ${lines.join(',\n    ')}\n  `;
  return `${object.slice(0, -'\n}'.length)},\n  "${name}": [${list}]\n}`;
}

/** Instants as decimal text, as everywhere in JSON. */
function plainValue(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

function dayText(now: EpochNs): string {
  return new Date(Number(now / MS_NS_BIG)).toISOString().slice(0, 10);
}
