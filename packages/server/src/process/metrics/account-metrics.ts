/** Metrics of accounts: authentication outcomes, the queue of their thread, and remembered entries. */

import { counter, gauge, type Reading } from '../../platform/metrics.ts';
import type { AccountServices } from '../customers/account-services.ts';

export function accountReadings(accounts: AccountServices): readonly Reading[] {
  return [
    {
      name: 'tapeloom_authentications_total',
      help: 'Authentications with keys and tokens, by outcome.',
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
    gauge(
      'tapeloom_accounts_calls',
      'Calls to the account database that are not finished yet.',
      () => {
        return accounts.storeCalls.count;
      },
    ),
    counter('tapeloom_accounts_calls_refused_total', 'Calls refused with CAPACITY.', () => {
      return accounts.storeCalls.refusedTotal;
    }),
  ];
}

function memoryReadings(accounts: AccountServices): readonly Reading[] {
  const { allowances, addresses, leases, meter } = accounts;
  return [
    gauge('tapeloom_keys_remembered', 'Keys recognised from memory.', () => {
      return accounts.keysRemembered;
    }),
    gauge('tapeloom_sessions_remembered', 'Sessions recognised from memory.', () => {
      return accounts.sessions.size;
    }),
    gauge('tapeloom_keys_watched', 'Keys in use by connections.', () => accounts.keysWatched),
    gauge(
      'tapeloom_usage_counts_waiting',
      'Keys with request counts that are not stored yet.',
      () => {
        return meter.size;
      },
    ),
    gauge('tapeloom_usage_reports_remembered', 'Accounts whose usage is in memory.', () => {
      return accounts.usageReportsRemembered;
    }),
    gauge(
      'tapeloom_lease_holders',
      'Accounts with open connections or subscriptions, once per kind.',
      () => {
        return leases.size;
      },
    ),
    gauge(
      'tapeloom_allowances_used',
      'Accounts with a partly used allowance.',
      () => allowances.size,
    ),
    counter(
      'tapeloom_allowances_forgotten_total',
      'Accounts dropped from memory at the limit.',
      () => {
        return allowances.forgottenTotal;
      },
    ),
    counter(
      'tapeloom_addresses_forgotten_total',
      'Addresses dropped from memory at the limit.',
      () => {
        return addresses.forgottenTotal;
      },
    ),
  ];
}
