/** Shared by the operator's commands: the data directory, `--json`, and how an account is named. */

import { resolve } from 'node:path';
import { PLANS, type Plan } from '@tapeloom/core/entitlement/plan';
import { normalEmail } from '@tapeloom/core/person/email-address';
import type { AccountRecord } from '@tapeloom/server/accounts/keys/keys-store';
import type { AccountStore } from '@tapeloom/server/accounts/store/account-store';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { requireKnownFormat } from '@tapeloom/server/platform/disk/data-format';
import { type CommandIo, UsageError } from '../command.ts';

export const COMMON_USAGE = `  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              JSON instead of text`;

/** Rejects a directory whose format a newer program has written. */
export function dataDirectory(given: string | undefined, io: CommandIo): string {
  const data = resolve(given ?? io.env.TAPELOOM_DATA ?? './data');
  requireKnownFormat(data);
  return data;
}

export function readPlan(text: string): Plan {
  const plan = PLANS.find((one) => one === text);
  if (plan !== undefined) return plan;
  throw new UsageError(`the plan must be one of ${PLANS.join(', ')}; got ${text}`);
}

/** The account with this name or id, or of the owner with this e-mail address; else an error with the closest name. */
export async function findAccount(store: AccountStore, name: string): Promise<AccountRecord> {
  const account = (await store.findAccount(name)) ?? (await accountOfOwner(store, name));
  if (account !== null) return account;
  const names = (await store.listAccounts()).map((each) => each.name);
  const near = nearestName(name, names);
  const hint = near === null ? 'tapeloom account list shows all accounts' : `did you mean ${near}?`;
  throw new Error(`no account is called ${name}; ${hint}`);
}

async function accountOfOwner(store: AccountStore, text: string): Promise<AccountRecord | null> {
  const address = normalEmail(text);
  const owner = address === null ? null : await store.people.ownerByEmail(address.key);
  return owner === null ? null : await store.findAccount(owner.accountId);
}

/** Prints the outcome as JSON or as text. Returns exit code 0. */
export function tell(
  io: Pick<CommandIo, 'stdout'>,
  isJson: boolean,
  json: unknown,
  text: string,
): number {
  if (isJson) writeJson(io, json);
  else io.stdout(text);
  return 0;
}

export function writeJson(io: Pick<CommandIo, 'stdout'>, value: unknown): void {
  io.stdout(`${JSON.stringify(value)}\n`);
}
