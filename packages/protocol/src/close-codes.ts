/**
 * The one table of WebSocket close codes. The reason text is sent in the close frame and is part of
 * the interface: clients decide by code, and by reason where a code has several.
 */

export const CloseCode = {
  normal: 1000,
  protocolError: 1002,
  binaryRefused: 1003,
  invalidUtf8: 1007,
  tooManyMessages: 1008,
  messageTooBig: 1009,
  tryAgainLater: 1013,
  unauthorized: 4001,
  forbidden: 4003,
  tooSlow: 4008,
  tooManyConnections: 4029,
} as const;

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];

export const CloseReason = {
  keyRevoked: 'KEY_REVOKED',
  entitlementsChanged: 'ENTITLEMENTS_CHANGED',
  forbidden: 'FORBIDDEN',
  slowConsumer: 'SLOW_CONSUMER',
  pingTimeout: 'PING_TIMEOUT',
} as const;

export type CloseReason = (typeof CloseReason)[keyof typeof CloseReason];
