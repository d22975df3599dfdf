/**
 * The one table of WebSocket close codes. The reason text is sent in the close frame and is part of the interface:
 * clients decide by code, and by reason if a code has several.
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

/**
 * What a client does after a close. `stop`: report it, since a retry would fail again. `at-once`: reconnect and resume.
 * `later`: reconnect after at least a second, with backoff. `slowly`: at most every five seconds, for two minutes.
 */
export type AfterClose = 'stop' | 'at-once' | 'later' | 'slowly';

export interface CloseMeaning {
  readonly code: CloseCode;
  /** The fixed reason text; null if the text is for people. */
  readonly reason: CloseReason | null;
  readonly meaning: string;
  readonly afterwards: AfterClose;
}

/** Every way in which a connection is closed. */
export const CLOSE_MEANINGS: readonly CloseMeaning[] = [
  {
    code: CloseCode.normal,
    reason: null,
    meaning: 'The client closed the connection.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.protocolError,
    reason: null,
    meaning: 'The client sent a frame that RFC 6455 does not allow.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.binaryRefused,
    reason: null,
    meaning: 'The client sent a binary message.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.invalidUtf8,
    reason: null,
    meaning: 'The client sent a text that is not UTF-8.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.tooManyMessages,
    reason: null,
    meaning: 'The client sent too many frames in a second, or too many fragments in a message.',
    afterwards: 'later',
  },
  {
    code: CloseCode.messageTooBig,
    reason: null,
    meaning: 'The client sent a message larger than the limit.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.tryAgainLater,
    reason: null,
    meaning: 'The server restarts, is at capacity, or cannot check the key at the moment.',
    afterwards: 'later',
  },
  {
    code: CloseCode.unauthorized,
    reason: null,
    meaning: 'The header had no valid key, or the first message no valid token.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.forbidden,
    reason: CloseReason.keyRevoked,
    meaning: 'The key was revoked or has expired.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.forbidden,
    reason: CloseReason.entitlementsChanged,
    meaning: "The account's offers no longer cover this connection.",
    afterwards: 'stop',
  },
  {
    code: CloseCode.forbidden,
    reason: CloseReason.forbidden,
    meaning:
      'The key lacks the scope or may not be used from this address, or the account is suspended.',
    afterwards: 'stop',
  },
  {
    code: CloseCode.tooSlow,
    reason: CloseReason.slowConsumer,
    meaning: 'The client read so slowly that too much pending output built up.',
    afterwards: 'at-once',
  },
  {
    code: CloseCode.tooSlow,
    reason: CloseReason.pingTimeout,
    meaning: 'The client sent nothing for too long.',
    afterwards: 'at-once',
  },
  {
    code: CloseCode.tooManyConnections,
    reason: null,
    meaning:
      'The account has as many connections as its plan allows, or its test keys have as many as the sandbox allows.',
    afterwards: 'slowly',
  },
];
