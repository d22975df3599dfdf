/**
 * Reads the options of `tapeloom key create` under the REST API's rules. An error names the option and what is
 * accepted.
 */

import { parseIpRange } from '@tapeloom/core/entitlement/ip-range';
import {
  ENVIRONMENTS,
  keyNameFault,
  RESTRICTION_ENTRIES_MAX,
  SCOPES,
  type Scope,
} from '@tapeloom/core/entitlement/key-rights';
import type { EpochNs } from '@tapeloom/core/numbers';
import { dayOf } from '@tapeloom/core/utc-day';
import type { NewKey } from '@tapeloom/server/accounts/keys/keys-store';
import { nearestName } from '@tapeloom/server/config/nearest-name';
import { type JoinedListing, joinedListing } from '@tapeloom/server/markets/joined-listing';
import type { Market } from '@tapeloom/server/markets/market';
import { UsageError } from '../command.ts';
import type { OperatorCall } from './operator-command.ts';
import { readFutureTime } from './time-text.ts';

export async function readNewKey(
  texts: OperatorCall['values'],
  now: EpochNs,
  markets: () => Promise<readonly Market[]>,
): Promise<NewKey> {
  return {
    name: readName(texts.name),
    environment: readEnvironment(texts.environment),
    scopes: readScopes(texts.scopes),
    instruments:
      texts.instruments === undefined
        ? null
        : readInstruments(
            texts.instruments,
            joinedListing(await markets(), () => dayOf(now)),
          ),
    allowedIps: texts.ips === undefined ? null : readIps(texts.ips),
    expiresAt: texts.expires === undefined ? null : readFutureTime('--expires', texts.expires, now),
  };
}

function readName(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--name is missing: the purpose of the key');
  const fault = keyNameFault(text);
  if (fault !== null) throw new UsageError(`--name ${fault}`);
  return text;
}

function readEnvironment(text: string | undefined): NewKey['environment'] {
  const environment = ENVIRONMENTS.find((one) => one === text);
  if (environment !== undefined) return environment;
  throw new UsageError(
    `--environment must be ${ENVIRONMENTS.join(' or ')}; got ${text ?? 'nothing'}`,
  );
}

function readScopes(text: string | undefined): readonly Scope[] {
  const words = new Set(entriesOf(text ?? ''));
  const unknown = [...words].find((word) => !SCOPES.some((scope) => scope === word));
  if (words.size === 0 || unknown !== undefined) {
    throw new UsageError(
      `--scopes must be one or more of ${SCOPES.join(',')}; got ${unknown ?? 'none'}`,
    );
  }
  return SCOPES.filter((scope) => words.has(scope));
}

function readInstruments(text: string, { book }: JoinedListing): readonly string[] {
  const names = readEntries('--instruments', text);
  for (const name of names) {
    if (book.contract(name) !== null || book.alias(name) !== null) continue;
    const known = [
      ...book.all().map((it) => it.symbol),
      ...book.allAliases().map((it) => it.alias),
    ];
    const near = nearestName(name, known);
    const hint = near === null ? `there are ${known.join(' ')}` : `did you mean ${near}?`;
    throw new UsageError(`--instruments: no contract or alias is called ${name}; ${hint}`);
  }
  return names;
}

function readIps(text: string): readonly string[] {
  const ranges = readEntries('--ips', text);
  const wrong = ranges.find((range) => parseIpRange(range) === null);
  if (wrong === undefined) return ranges;
  throw new UsageError(`--ips must be addresses or CIDR ranges such as 192.0.2.0/24; got ${wrong}`);
}

function readEntries(option: string, text: string): readonly string[] {
  const entries = entriesOf(text);
  if (entries.length >= 1 && entries.length <= RESTRICTION_ENTRIES_MAX) return entries;
  throw new UsageError(
    `${option} takes 1 to ${RESTRICTION_ENTRIES_MAX} entries; omit it to restrict nothing`,
  );
}

function entriesOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((entry) => entry.trim()))].filter((entry) => entry !== '');
}
