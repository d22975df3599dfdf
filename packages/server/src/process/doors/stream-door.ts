/**
 * The stream, composed: engines, which may run in threads or in this one, on any clock, come together behind their hub
 * with the accounts and the past as a gateway. The service and the tests of its doors use the same one.
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
type AccountParts = 'authenticator' | 'doorkeeper' | 'leases' | 'charges';

export interface StreamParts
  extends Omit<GatewayOptions, AccountParts | MeterParts | 'hub' | 'resolve'>,
    Pick<StreamCatalogue, 'epochReset'> {
  /** Of contracts that trade live. */
  readonly staleAfterMs?: number;
  readonly accounts: Pick<GatewayOptions, AccountParts> & {
    readonly meter: Pick<GatewayOptions, MeterParts>;
  };
  readonly market: StreamMarket;
  readonly engines: readonly EngineLink[];
}

/** What is known of the market at the moment. */
export interface StreamMarket extends Pick<StreamCatalogue, 'book' | 'isStreamed' | 'lastDayOf'> {
  fullSessions(symbol: string): SessionTable;
  /** Whether its trades do not come live. */
  isImported?(symbol: string): boolean;
  /** The tape has come to another day. */
  enter(day: UtcDay): void;
}

export interface StreamDoor {
  readonly hub: TopicHub;
  readonly gateway: Gateway;
}

export function composeStream(parts: StreamParts): StreamDoor {
  const { accounts, market, engines, epochReset, ...others } = parts;
  const { staleAfterMs = STALE_AFTER_MS, ...rest } = others;
  const { authenticator, doorkeeper, leases, charges, meter } = accounts;
  const { clock, timers } = rest;
  const fullSessions = (symbol: string) => market.fullSessions(symbol);
  const hub = new TopicHub({
    clock,
    timers,
    fullSessions,
    // What does not come live is behind every open market.
    staleAfterMs: (symbol) =>
      market.isImported?.(symbol) === true ? NEVER_IN_TIME_MS : staleAfterMs,
  });
  // Before the gateway's own listener: at midnight it asks for what the new day's aliases mean.
  hub.onTapeDay((day) => market.enter(day));
  hub.connect(engines);
  const gateway = createGateway({
    ...rest,
    ...{ authenticator, doorkeeper, leases, charges },
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
