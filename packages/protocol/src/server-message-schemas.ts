/**
 * One closed schema per kind of server message, equal to its type in `server-messages.ts`. Our tests check every
 * message of the server against them. The published contract is made from them, but allows further fields and values.
 */

import { PING_ID, SUB_BYTES_MAX } from './client-messages.ts';
import {
  NOTICE_KINDS,
  RESET_REASONS,
  type ServerMessage,
  STREAM_ERROR_CODES,
} from './server-messages.ts';
import { STREAM_STATES } from './status-states.ts';
import { CURSOR_PATTERN, INSTANT_PATTERN } from './text-patterns.ts';

const SUB = {
  type: 'string',
  minLength: 1,
  maxLength: SUB_BYTES_MAX,
  description: 'The name that the client gave the subscription.',
} as const;
const CURSOR = {
  type: 'string',
  pattern: CURSOR_PATTERN,
  description: 'UTC day, rank and k. Cursors compare number by number, in that order.',
} as const;
const INSTANT = {
  type: 'string',
  pattern: INSTANT_PATTERN,
  description: 'Nanoseconds since 1970-01-01 UTC, as decimal text.',
} as const;
const OBJECT_FIELDS = {
  id: {
    type: 'string',
    minLength: 1,
    description: 'Id of the object, unique within the indicator.',
  },
  final: {
    type: 'boolean',
    description: 'The data of the object never changes again. The object may still be removed.',
  },
  ts: INSTANT,
} as const;
const DATA = {
  type: 'object',
  title: 'IndicatorData',
  description:
    'Data by indicator. Its schema is the field `data` of the catalogue, GET /v1/indicators.',
} as const;

/** One closed schema per message kind, by its `t`. */
export const SERVER_MESSAGE_SCHEMAS = {
  subscribed: closed(
    'SubscribedMessage',
    {
      t: { const: 'subscribed' },
      sub: SUB,
      topic: {
        type: 'string',
        minLength: 1,
        description:
          'The computation in words, for people and logs. Equal computations have equal words.',
      },
      instrument: {
        type: 'string',
        minLength: 1,
        description: 'The instrument as the subscription names it.',
      },
      contract: {
        type: 'string',
        minLength: 1,
        description: 'The contract that the instrument means now.',
      },
      tickSizeNanos: {
        type: 'integer',
        minimum: 1,
        description: 'A price in currency is ticks × tickSizeNanos / 1,000,000,000.',
      },
    },
    [],
  ),
  status: closed(
    'StatusMessage',
    {
      t: { const: 'status' },
      sub: SUB,
      state: { title: 'StreamState', enum: STREAM_STATES },
      lagMs: {
        type: 'integer',
        minimum: 0,
        description:
          'How far the stream is behind the tape that this subscription may see, in milliseconds.',
      },
      partialSince: {
        ...INSTANT,
        description:
          'Present if trades of the session are missing: the tape is complete from this instant on, in ' +
          "nanoseconds since 1970-01-01 UTC, as decimal text. While trades are still missing, the session's close.",
      },
    },
    ['partialSince'],
  ),
  snapshot: closed(
    'SnapshotMessage',
    {
      t: { const: 'snapshot' },
      sub: SUB,
      cursor: CURSOR,
      items: {
        type: 'array',
        items: closed('IndicatorObject', { ...OBJECT_FIELDS, data: DATA }, []),
      },
    },
    [],
  ),
  upsert: closed(
    'UpsertMessage',
    { t: { const: 'upsert' }, sub: SUB, cursor: CURSOR, ...OBJECT_FIELDS, data: DATA },
    [],
  ),
  remove: closed(
    'RemoveMessage',
    { t: { const: 'remove' }, sub: SUB, cursor: CURSOR, ...OBJECT_FIELDS },
    [],
  ),
  reset: closed(
    'ResetMessage',
    {
      t: { const: 'reset' },
      sub: SUB,
      reason: { title: 'ResetReason', enum: RESET_REASONS },
    },
    [],
  ),
  error: closed(
    'ErrorMessage',
    {
      t: { const: 'error' },
      sub: {
        type: 'string',
        description: 'Absent if the service could not understand the message of the client.',
      },
      code: { title: 'StreamErrorCode', enum: STREAM_ERROR_CODES },
      message: { type: 'string', minLength: 1, description: 'For people; the text may change.' },
      errors: {
        type: 'array',
        minItems: 1,
        description: 'With INVALID_PARAMETERS: each faulty field and its fault.',
        items: closed(
          'FieldFault',
          {
            path: { type: 'string', description: 'A JSON pointer to the field.' },
            message: { type: 'string', minLength: 1 },
          },
          [],
        ),
      },
    },
    ['sub', 'errors'],
  ),
  hb: {
    ...closed('HeartbeatMessage', { t: { const: 'hb' }, sub: SUB, cursor: CURSOR, ts: INSTANT }, [
      'sub',
      'cursor',
    ]),
    dependencies: { sub: ['cursor'], cursor: ['sub'] },
  },
  pong: closed(
    'PongMessage',
    {
      t: { const: 'pong' },
      id: {
        oneOf: PING_ID,
        description: 'The `id` of the `ping`.',
      },
      ts: INSTANT,
    },
    ['id'],
  ),
  notice: closed(
    'NoticeMessage',
    {
      t: { const: 'notice' },
      kind: { title: 'NoticeKind', enum: NOTICE_KINDS },
      effectiveAt: INSTANT,
      instrument: {
        type: 'string',
        minLength: 1,
        description: 'With `roll`: the alias that will mean another contract.',
      },
      indicator: {
        type: 'string',
        minLength: 1,
        description:
          'With `deprecation`: the indicator that will be removed, at `effectiveAt` at the earliest.',
      },
    },
    ['effectiveAt', 'instrument', 'indicator'],
  ),
} as const satisfies Record<ServerMessage['t'], object>;

/** A closed object schema; fields not in `optional` are required. `title` names it in the contract. */
function closed<Fields extends object>(
  title: string,
  fields: Fields,
  optional: readonly (keyof Fields)[],
) {
  const names = Object.keys(fields) as (keyof Fields)[];
  return {
    title,
    type: 'object',
    additionalProperties: false,
    required: names.filter((name) => !optional.includes(name)),
    properties: fields,
  } as const;
}
