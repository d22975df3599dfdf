/** What the gateway counts, as plain records that a `/metrics` page can read at any time. */

export interface GatewayMetrics {
  readonly connections: number;
  readonly subscriptions: number;
  readonly connectionsTotal: number;
  /** Messages sent to customers, each message once per subscriber. */
  readonly messagesSentTotal: number;
  readonly bytesSentTotal: number;
  readonly messagesReceivedTotal: number;
  /** Closed connections by close code; 1006 is a connection lost without a close frame. */
  readonly closesTotal: Readonly<Record<string, number>>;
  /** `error` messages by code. */
  readonly errorsTotal: Readonly<Record<string, number>>;
  /** Of the connections: closed for reading too slowly, with time left to learn of it. */
  readonly parting: number;
  /** Of those, destroyed before they ended by themselves. */
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
    this.closesTotal[code] = (this.closesTotal[code] ?? 0) + 1;
  }

  countError(code: string): void {
    this.errorsTotal[code] = (this.errorsTotal[code] ?? 0) + 1;
  }
}
