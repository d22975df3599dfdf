/**
 * Composes the stream endpoint: engines behind their hub, accounts and history behind a gateway. The engines may run in
 * threads or in this one, on any clock. The service and the endpoint tests share this code.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { UtcDay } from '@tapeloom/core/numbers';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
} from '../../gateway/connection/gateway.ts';
import { createResolver, type StreamCatalogue } from '../../gateway/delivery/stream-request.ts';
import type { EngineLink } from '../../topics/engine-link.ts';
import { STALE_AFTER_MS, TopicHub } from '../../topics/topic-hub.ts';

const NEVER_IN_TIME_MS = -1;

type MeterParts = 'noteKeyUse' | 'noteStreamed';
type AccountParts = 'authenticator' | 'authThrottle' | 'leases' | 'charges';

export interface StreamParts
  extends Omit<GatewayOptions, AccountParts | MeterParts | 'hub' | 'resolve'>,
    Pick<StreamCatalogue, 'epochReset'> {
  /** For contracts that trade live. */
  readonly staleAfterMs?: number;
  readonly accounts: Pick<GatewayOptions, AccountParts> & {
    readonly meter: Pick<GatewayOptions, MeterParts>;
  };
  readonly market: StreamMarket;
  readonly engines: readonly EngineLink[];
}

export interface StreamMarket extends Pick<StreamCatalogue, 'book' | 'isStreamed' | 'lastDayOf'> {
  /** The datasets whose tapes grow. */
  readonly datasets: readonly string[];
  /** The one of them whose tape time is that of an instrument. */
  timeOf(instrument: string): string;
  fullSessions(symbol: string): SessionTable;
  /** Whether a contract's trades are imported and not live. */
  isImported?(symbol: string): boolean;
  /** The tape of a dataset has entered a day. */
  enter(dataset: string, day: UtcDay): void;
}

export interface StreamDoor {
  readonly hub: TopicHub;
  readonly gateway: Gateway;
}

export function composeStream(parts: StreamParts): StreamDoor {
  const { accounts, market, engines, epochReset, ...others } = parts;
  const { staleAfterMs = STALE_AFTER_MS, ...rest } = others;
  const { authenticator, authThrottle, leases, charges, meter } = accounts;
  const { clock, timers } = rest;
  const fullSessions = (symbol: string) => market.fullSessions(symbol);
  const hub = new TopicHub({
    clock,
    timers,
    datasets: market.datasets,
    timeOf: (instrument) => market.timeOf(instrument),
    fullSessions,
    // Imported trades always lag an open market, so such streams are always stale.
    staleAfterMs: (symbol) =>
      market.isImported?.(symbol) === true ? NEVER_IN_TIME_MS : staleAfterMs,
  });
  // Must precede the gateway's own listener, which resolves the new day's aliases at midnight.
  hub.onTapeDay((day, dataset) => market.enter(dataset, day));
  hub.connect(engines);
  const gateway = createGateway({
    ...rest,
    ...{ authenticator, authThrottle, leases, charges },
    noteKeyUse: (keyId) => meter.noteKeyUse(keyId),
    noteStreamed: (accountId) => meter.noteStreamed(accountId),
    hub,
    resolve: createResolver({
      book: () => market.book(),
      isStreamed: (symbol) => market.isStreamed(symbol),
      lastDayOf: (dataset, symbols) => market.lastDayOf?.(dataset, symbols) ?? null,
      epochReset,
    }),
  });
  return { hub, gateway };
}
