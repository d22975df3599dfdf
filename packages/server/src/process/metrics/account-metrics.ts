/** What `/metrics` shows of accounts: who was recognised, what waits for their thread, and what is remembered. */

import { counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { AccountServices } from '../account-services.ts';

export function accountReadings(accounts: AccountServices): readonly Reading[] {
  return [
    {
      name: 'tapeloom_authentications_total',
      help: 'Keys and tokens that were shown, by what became of them.',
      kind: 'counter',
      label: 'verdict',
      read: () => accounts.authenticator.verdicts,
    },
    ...lineReadings(accounts),
    ...memoryReadings(accounts),
  ];
}

function lineReadings(accounts: AccountServices): readonly Reading[] {
  return [
    gauge('tapeloom_accounts_calls', 'Calls to the accounts that are not answered yet.', () => {
      return accounts.storeCalls.count;
    }),
    counter('tapeloom_accounts_calls_refused_total', 'For want of room: CAPACITY.', () => {
      return accounts.storeCalls.refusedTotal;
    }),
  ];
}

function memoryReadings(accounts: AccountServices): readonly Reading[] {
  const { allowances, addresses, leases, meter } = accounts;
  return [
    gauge('tapeloom_keys_remembered', 'Keys recognised without a look at the disk.', () => {
      return accounts.keysRemembered;
    }),
    gauge('tapeloom_sessions_remembered', 'Sessions recognised without a look at the disk.', () => {
      return accounts.sessions.size;
    }),
    gauge('tapeloom_keys_watched', 'Keys that connections hold on to.', () => accounts.keysWatched),
    gauge(
      'tapeloom_usage_counts_waiting',
      'Keys whose requests are counted and not stored.',
      () => {
        return meter.size;
      },
    ),
    gauge('tapeloom_usage_reports_remembered', 'Accounts whose usage needs no look-up.', () => {
      return accounts.usageReportsRemembered;
    }),
    gauge('tapeloom_lease_holders', 'Accounts with something open, once per kind.', () => {
      return leases.size;
    }),
    gauge('tapeloom_allowances_used', 'Accounts without a full allowance.', () => allowances.size),
    counter('tapeloom_allowances_forgotten_total', 'Accounts forgotten for want of room.', () => {
      return allowances.forgottenTotal;
    }),
    counter('tapeloom_addresses_forgotten_total', 'Addresses forgotten for want of room.', () => {
      return addresses.forgottenTotal;
    }),
  ];
}
