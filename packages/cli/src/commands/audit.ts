/** `tapeloom audit`: the log of actions on accounts and keys, with their actors. */

import type { AccountRecord } from '@tapeloom/server/accounts/keys/keys-store';
import type { AuditEvent } from '@tapeloom/server/accounts/store/account-store';
import { findAccount } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { readSince, timeJson, timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { tableText } from '../table-text.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 100_000;

export const auditCommand = operatorCommand({
  usage: `Usage: tapeloom audit [--account <name>] [--since <time>] [--limit <count>] [--data <directory>] [--json]

Shows the newest events of the audit log, the oldest of them first. Entries never change; those older
than TAPELOOM_AUDIT_DAYS are removed by the running service. Equal refusals on one day are one event
with a count.

  --account <name>    only events of this account
  --since <time>      only events since then: a date, an RFC 3339 time, or a span until now such as 7d
  --limit <count>     how many (default: ${LIMIT_DEFAULT})
  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              one JSON object a line

Examples:
  tapeloom audit --since 7d
  tapeloom audit --account ada --limit 20 --json`,
  words: [],
  options: ['account', 'since', 'limit'],
  run,
});

async function run({ values, isJson, now, io, open }: OperatorCall): Promise<number> {
  const limit = readLimit(values.limit);
  const since = values.since === undefined ? null : readSince('--since', values.since, now);
  const store = await open();
  const accountId =
    values.account === undefined ? undefined : (await findAccount(store, values.account)).id;
  const filter = {
    limit,
    newestFirst: true,
    ...(accountId === undefined ? {} : { accountId }),
    ...(since === null ? {} : { since }),
  };
  const events = [...(await store.audit(filter))].reverse();
  if (isJson) {
    for (const event of events) io.stdout(`${JSON.stringify(eventJson(event))}\n`);
  } else if (events.length === 0) {
    io.stdout(since === null ? 'Nothing has happened yet.\n' : 'Nothing has happened since.\n');
  } else {
    io.stdout(eventsTable(events, await store.listAccounts()));
  }
  return 0;
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? LIMIT_DEFAULT : /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${LIMIT_MAX}; got ${text}`);
}

function eventJson(event: AuditEvent): Record<string, unknown> {
  return { ...event, at: timeJson(event.at), lastAt: timeJson(event.lastAt) };
}

function eventsTable(events: readonly AuditEvent[], accounts: readonly AccountRecord[]): string {
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  return tableText(
    [
      { title: '#', isNumber: true },
      { title: 'at' },
      { title: 'times', isNumber: true },
      { title: 'account' },
      { title: 'what' },
      { title: 'key' },
      { title: 'by' },
      { title: 'details' },
    ],
    events.map((event) => [
      String(event.sequence),
      timeText(event.at),
      String(event.count),
      names.get(event.accountId) ?? event.accountId,
      event.kind,
      event.keyId ?? '-',
      event.actor,
      detailsText(event.details),
    ]),
  );
}

/** A key's name is a customer's text: it is quoted so that it cannot move a terminal's cursor. */
function detailsText(details: AuditEvent['details']): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(' ');
  return text === '' ? '-' : text;
}
