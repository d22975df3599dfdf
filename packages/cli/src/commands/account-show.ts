/** `tapeloom account show`: one account with its limits, keys and this month's usage. */

import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { PLAN_LIMITS, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import {
  type AccountRecord,
  type KeyRecord,
  VALID_KEYS_MAX,
} from '@tapeloom/server/accounts/keys/keys-store';
import type { DeletionRecord, OwnerRecord } from '@tapeloom/server/accounts/people/people-store';
import type { KeyUsage, MonthUsage } from '@tapeloom/server/accounts/usage/usage-store';
import { COMMON_USAGE, findAccount } from '../accounts/account-options.ts';
import { accountJson } from '../accounts/account-view.ts';
import { keyJson, keysTable } from '../accounts/key-view.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { timeJson, timeText } from '../accounts/time-text.ts';
import { factsText } from '../table-text.ts';

export const accountShowCommand = operatorCommand({
  usage: `Usage: tapeloom account show <name> [--data <directory>] [--json]

Shows the owner, the plan with its grants, the keys of the last 30 days, and this month's usage.

  <name>              the account's name or id, or its owner's e-mail address
${COMMON_USAGE}

Examples:
  tapeloom account show ada
  tapeloom account show ada@example.com
  tapeloom account show ada --json | jq .usage`,
  words: ['the name of the account'],
  run,
});

async function run({ words, now, open, tell }: OperatorCall): Promise<number> {
  const name = words[0]!;
  const store = await open();
  const account = await findAccount(store, name);
  const keys = await store.listKeys(now, account.id);
  const period = periodOf(now);
  const usage = await store.usageOf(now, account.id, period);
  const byKey = await store.usageByKey(account.id, period);
  const owner = await store.people.ownerOf(account.id);
  const deletion = await store.people.deletionOf(account.id);
  return tell(
    {
      ...accountJson(account, now),
      email: owner?.email ?? null,
      deletionDueAt: timeJson(deletion?.dueAt ?? null),
      keys: keys.map((key) => keyJson(key, now)),
      usage: { period, ...usage, byKey },
    },
    factsText(factsOf({ account, owner, deletion, keys, usage, byKey, period, now })) +
      (keys.length > 0 ? `\n${keysTable(keys, now)}` : ''),
  );
}

interface ShownAccount {
  readonly account: AccountRecord;
  readonly owner: OwnerRecord | null;
  readonly deletion: DeletionRecord | null;
  readonly keys: readonly KeyRecord[];
  readonly usage: MonthUsage;
  readonly byKey: readonly KeyUsage[];
  readonly period: string;
  readonly now: EpochNs;
}

function factsOf(shown: ShownAccount): [string, string][] {
  const { account, owner, deletion, keys, usage, byKey, period, now } = shown;
  const plan = planAt(account.grants, now);
  const limits = PLAN_LIMITS[plan];
  const { used, reserved } = usage;
  const environments = new Map(keys.map(({ id, environment }) => [id, environment]));
  const valid = keys.filter((key) => ['active', 'expiring'].includes(keyStateAt(key, now)));
  return [
    ['name', account.name],
    ['id', account.id],
    [
      'owner',
      owner?.email ?? `none; tapeloom account claim ${account.name} creates a link for one`,
    ],
    ['created', timeText(account.createdAt)],
    [
      'state',
      account.suspendedAt === null ? 'active' : `suspended ${timeText(account.suspendedAt)}`,
    ],
    ...(deletion === null ? [] : [deletionFact(deletion)]),
    ['plan', plan],
    ...account.grants.map(({ plan: granted, until }): [string, string] => [
      'grant',
      `${granted}, ${until === null ? 'without an end' : `until ${timeText(until)}`}`,
    ]),
    ['valid keys', `${valid.length} of ${VALID_KEYS_MAX}`],
    [
      'compute units',
      amounts(used.computeUnits, reserved.computeUnits, limits.computeBudget, period),
    ],
    ['export bytes', amounts(used.exportBytes, reserved.exportBytes, limits.exportBytes, period)],
    ['history items', `${number(used.historyItems)} in ${period}`],
    ['REST requests', `${number(used.restRequests)} in ${period}`],
    ...byKey.map((one): [string, string] => ['used by', usedBy(one, environments)]),
  ];
}

function deletionFact({ dueAt, doneAt }: DeletionRecord): [string, string] {
  return ['deletion', doneAt === null ? `due ${timeText(dueAt)}` : `done ${timeText(doneAt)}`];
}

function usedBy({ keyId, used }: KeyUsage, environments: ReadonlyMap<string, string>): string {
  const environment = environments.get(keyId);
  const counts = [
    `${number(used.computeUnits)} units`,
    `${number(used.historyItems)} items`,
    `${number(used.exportBytes)} bytes`,
    `${number(used.restRequests)} requests`,
  ];
  return `${keyId}${environment === undefined ? '' : ` (${environment})`}: ${counts.join(', ')}`;
}

function amounts(used: number, reserved: number, limit: number, period: string): string {
  const running = reserved === 0 ? '' : `, ${number(reserved)} more reserved`;
  if (limit === 0 && used === 0) return 'none in this plan';
  return `${number(used)} of ${number(limit)} in ${period}${running}`;
}

function number(value: number): string {
  return value.toLocaleString('en');
}
