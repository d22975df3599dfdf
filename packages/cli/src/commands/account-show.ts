/** `tapeloom account show`: one account with its limits, keys and this month's usage. */

import { parseArgs } from 'node:util';
import { keyStateAt } from '@tapeloom/core/entitlement/key-rights';
import { PLAN_LIMITS, planAt } from '@tapeloom/core/entitlement/plan';
import type { EpochNs } from '@tapeloom/core/numbers';
import { periodOf } from '@tapeloom/core/quota/month';
import {
  type AccountRecord,
  type KeyRecord,
  type KeyUsage,
  type MonthUsage,
  VALID_KEYS_MAX,
} from '@tapeloom/server/accounts/store/account-store';
import type { OwnerRecord } from '@tapeloom/server/accounts/store/people-store';
import { createClock } from '@tapeloom/server/platform/system-clock';
import {
  COMMON_OPTIONS,
  COMMON_USAGE,
  dataDirectory,
  findAccount,
  readWords,
  writeJson,
} from '../accounts/account-options.ts';
import { accountJson } from '../accounts/account-view.ts';
import { keyJson, keysTable } from '../accounts/key-view.ts';
import { openAccounts } from '../accounts/open-accounts.ts';
import { timeText } from '../accounts/time-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { factsText } from '../table-text.ts';

export const accountShowCommand: CommandBody = {
  usage: `Usage: tapeloom account show <name> [--data <directory>] [--json]

Shows who owns it, the plan with its grants, the keys of the last 30 days, and what this month has used.

  <name>              the account's name or id
${COMMON_USAGE}

Examples:
  tapeloom account show ada
  tapeloom account show ada --json | jq .usage`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: COMMON_OPTIONS,
    allowPositionals: true,
  });
  const name = readWords(positionals, ['the name of the account'])[0]!;
  await using store = await openAccounts(dataDirectory(values.data, io));
  const now = createClock({ kind: 'system' }).now();
  const account = await findAccount(store, name);
  const keys = await store.listKeys(now, account.id);
  const period = periodOf(now);
  const usage = await store.usageOf(now, account.id, period);
  const byKey = await store.usageByKey(account.id, period);
  const owner = await store.people.ownerOf(account.id);
  if (values.json === true) {
    writeJson(io, {
      ...accountJson(account, now),
      email: owner?.email ?? null,
      keys: keys.map((key) => keyJson(key, now)),
      usage: { period, ...usage, byKey },
    });
    return 0;
  }
  io.stdout(factsText(factsOf({ account, owner, keys, usage, byKey, period, now })));
  if (keys.length > 0) io.stdout(`\n${keysTable(keys, now)}`);
  return 0;
}

interface ShownAccount {
  readonly account: AccountRecord;
  readonly owner: OwnerRecord | null;
  readonly keys: readonly KeyRecord[];
  readonly usage: MonthUsage;
  readonly byKey: readonly KeyUsage[];
  readonly period: string;
  readonly now: EpochNs;
}

function factsOf(shown: ShownAccount): [string, string][] {
  const { account, owner, keys, usage, byKey, period, now } = shown;
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
      owner?.email ?? `nobody; tapeloom account claim ${account.name} makes a link for one`,
    ],
    ['created', timeText(account.createdAt)],
    [
      'state',
      account.suspendedAt === null ? 'active' : `suspended ${timeText(account.suspendedAt)}`,
    ],
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
