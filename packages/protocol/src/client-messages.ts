/**
 * The messages of a client: text frames of one JSON object, its kind in `t`. The schemas are closed and as strict as a
 * schema can be. Beyond them, `sub` is limited to 64 UTF-8 bytes and to one use at a time per connection.
 */

import { CURSOR_PATTERN, INSTANT_TEXT_PATTERN } from './text-patterns.ts';

export const MESSAGE_BYTES_MAX = 65_536;
export const SUB_BYTES_MAX = 64;
export const PING_ID_BYTES_MAX = 64;
export const TOKEN_CHARACTERS_MAX = 512;

export const STREAM_MODES = ['live', 'confirmed'] as const;
/** `live`: every change. `confirmed`: only final objects. */
export type StreamMode = (typeof STREAM_MODES)[number];

/** Where a subscription starts: now, after a cursor, or at a time (ns since 1970, RFC 3339 or a date). */
export type StreamFrom = 'live' | { readonly cursor: string } | { readonly time: string };

export interface AuthMessage {
  readonly t: 'auth';
  readonly token: string;
}

export interface SubscribeMessage {
  readonly t: 'subscribe';
  readonly sub: string;
  readonly instrument: string;
  readonly indicator: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly mode?: StreamMode;
  readonly from?: StreamFrom;
}

export interface UnsubscribeMessage {
  readonly t: 'unsubscribe';
  readonly sub: string;
}

/** `id`, if given, is echoed by the `pong`: an integer, or a text of up to 64 bytes. */
export interface PingMessage {
  readonly t: 'ping';
  readonly id?: string | number;
}

export type ClientMessage = AuthMessage | SubscribeMessage | UnsubscribeMessage | PingMessage;

/** Schemas count characters, not bytes: a text within this limit may still be too long, one beyond it always is. */
const SUB_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: SUB_BYTES_MAX,
  description: `A name of your choice, at most ${SUB_BYTES_MAX} bytes in UTF-8. A connection uses it once at a time.`,
} as const;

export const PING_ID = [
  {
    type: 'string',
    maxLength: PING_ID_BYTES_MAX,
    description: `At most ${PING_ID_BYTES_MAX} bytes in UTF-8.`,
  },
  {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
] as const;

/** One closed schema per message kind, by its `t`. */
export const CLIENT_MESSAGE_SCHEMAS = {
  auth: {
    title: 'AuthMessage',
    type: 'object',
    additionalProperties: false,
    required: ['t', 'token'],
    properties: {
      t: { const: 'auth' },
      token: { type: 'string', minLength: 1, maxLength: TOKEN_CHARACTERS_MAX },
    },
  },
  subscribe: {
    title: 'SubscribeMessage',
    type: 'object',
    additionalProperties: false,
    required: ['t', 'sub', 'instrument', 'indicator'],
    properties: {
      t: { const: 'subscribe' },
      sub: SUB_SCHEMA,
      instrument: { type: 'string', minLength: 1, maxLength: 64 },
      indicator: {
        title: 'IndicatorId',
        type: 'string',
        minLength: 1,
        maxLength: 64,
        description: 'The id of the indicator in the catalogue, GET /v1/indicators.',
      },
      params: {
        type: 'object',
        maxProperties: 64,
        description: 'Parameters of the indicator. A parameter that you leave out has its default.',
      },
      mode: {
        title: 'StreamMode',
        enum: STREAM_MODES,
        description: '`live` (default): every change. `confirmed`: final objects only.',
      },
      from: {
        description: 'The start: `live` (default), after a cursor, or at a time in the past.',
        oneOf: [
          { const: 'live' },
          {
            title: 'FromCursor',
            type: 'object',
            additionalProperties: false,
            required: ['cursor'],
            properties: { cursor: { type: 'string', pattern: CURSOR_PATTERN } },
          },
          {
            title: 'FromTime',
            type: 'object',
            additionalProperties: false,
            required: ['time'],
            properties: {
              time: {
                type: 'string',
                pattern: INSTANT_TEXT_PATTERN,
                description: 'Nanoseconds since 1970-01-01 UTC, an RFC 3339 time, or a date.',
              },
            },
          },
        ],
      },
    },
  },
  unsubscribe: {
    title: 'UnsubscribeMessage',
    type: 'object',
    additionalProperties: false,
    required: ['t', 'sub'],
    properties: { t: { const: 'unsubscribe' }, sub: SUB_SCHEMA },
  },
  ping: {
    title: 'PingMessage',
    type: 'object',
    additionalProperties: false,
    required: ['t'],
    properties: {
      t: { const: 'ping' },
      id: { oneOf: PING_ID, description: 'The `pong` repeats it.' },
    },
  },
} as const satisfies Record<ClientMessage['t'], object>;
