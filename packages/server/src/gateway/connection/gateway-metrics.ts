/** The gateway's counters, as plain records that a `/metrics` page can read at any time. */

import { CloseCode } from '@tapeloom/protocol/close-codes';

/** Lower ones are those of RFC 6455. */
const APPLICATION_CODES_FROM = 3_000;
const OUR_CODES: ReadonlySet<number> = new Set(Object.values(CloseCode));

export interface GatewayMetrics {
  readonly connections: number;
  readonly subscriptions: number;
  readonly connectionsTotal: number;
  /** Messages sent to customers, each message once per subscriber. */
  readonly messagesSentTotal: number;
  readonly bytesSentTotal: number;
  readonly messagesReceivedTotal: number;
  /** By close code; 1006: lost without a close frame. `other`: codes of clients, each of which would be a series. */
  readonly closesTotal: Readonly<Record<string, number>>;
  /** `error` messages by code. */
  readonly errorsTotal: Readonly<Record<string, number>>;
  /** Connections closed as slow consumers that still have time to read the close frame. */
  readonly parting: number;
  /** Parting connections that were destroyed because they did not end in time. */
  readonly partingCutTotal: number;
}

export class GatewayCounters implements GatewayMetrics {
  connections = 0;
  subscriptions = 0;
  connectionsTotal = 0;
  messagesSentTotal = 0;
  bytesSentTotal = 0;
  messagesReceivedTotal = 0;
  parting = 0;
  partingCutTotal = 0;
  readonly closesTotal: Record<string, number> = {};
  readonly errorsTotal: Record<string, number> = {};

  countClose(code: number): void {
    const name = code < APPLICATION_CODES_FROM || OUR_CODES.has(code) ? code : 'other';
    this.closesTotal[name] = (this.closesTotal[name] ?? 0) + 1;
  }

  countError(code: string): void {
    this.errorsTotal[code] = (this.errorsTotal[code] ?? 0) + 1;
  }
}
