/** Metrics of the public port's connections, and of authentication. */

import type { Reading } from '../../platform/metrics.ts';
import type { DoorSockets, SocketLimits } from '../../platform/network/door-sockets.ts';
import type { AccountServices } from '../customers/account-services.ts';

export function doorReadings(
  { authThrottle, addresses }: Pick<AccountServices, 'authThrottle' | 'addresses'>,
  sockets: DoorSockets,
): readonly Reading[] {
  return [
    {
      name: 'tapeloom_sockets',
      help: 'TCP connections of the public port, by kind.',
      kind: 'gauge',
      label: 'kind',
      read: () => {
        const { all, streams, requests, strangers } = sockets.counts;
        return { all, streams, requests, strangers };
      },
    },
    {
      name: 'tapeloom_sockets_max',
      help: 'Their limits, which follow from the limit on open files.',
      kind: 'gauge',
      label: 'kind',
      read: () => limitsByKind(sockets.limits),
    },
    {
      name: 'tapeloom_sockets_cut_total',
      help: 'Connections closed for others: of unauthenticated clients, waiting for a request, or new ones without a free slot.',
      kind: 'counter',
      label: 'kind',
      read: () => {
        const { strangersCutTotal, waitingCutTotal, refusedTotal } = sockets.counts;
        return { strangers: strangersCutTotal, waiting: waitingCutTotal, refused: refusedTotal };
      },
    },
    {
      name: 'tapeloom_key_look_ups',
      help: 'Keys and tokens being looked up in the accounts, or waiting for it.',
      kind: 'gauge',
      read: () => authThrottle.lookUps,
    },
    {
      name: 'tapeloom_authentications_throttled_total',
      help: 'Failed authentications beyond the limit of an address.',
      kind: 'counter',
      read: () => authThrottle.throttledTotal,
    },
    {
      name: 'tapeloom_addresses_remembered',
      help: 'Addresses without a full allowance of failures, or of public requests.',
      kind: 'gauge',
      read: () => addresses.size,
    },
    {
      name: 'tapeloom_accounts_connecting',
      help: 'Accounts without a full allowance of connects.',
      kind: 'gauge',
      read: () => authThrottle.connecting,
    },
  ];
}

function limitsByKind(limits: SocketLimits): Readonly<Record<string, number>> {
  const { all, streams, requests, strangers } = limits;
  return { all, streams, requests, strangers };
}
