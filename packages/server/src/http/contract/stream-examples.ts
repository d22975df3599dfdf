/** One example or more of every message of the stream, for the published contract. */

import type { ClientMessage } from '@tapeloom/protocol/client-messages';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';

type Examples<Message extends { readonly t: string }> = {
  readonly [T in Message['t']]: readonly Extract<Message, { t: T }>[];
};

const CURSOR = '20261113.48211.1';
const TS = '1794580260000000000';
/** A bar as the stream sends it. */
export const BAR = {
  id: '20261113.48190',
  final: false,
  ts: TS,
  data: {
    open: 27_001,
    high: 27_006,
    low: 26_999,
    close: 27_004,
    volume: 412,
    bid: 180,
    ask: 230,
    unknown: 2,
    trades: 137,
    delta: 50,
    deltaMin: -12,
    deltaMax: 61,
    end: '1794580291250000000',
  },
} as const;

export const CLIENT_EXAMPLES: Examples<ClientMessage> = {
  auth: [{ t: 'auth', token: 'svc_token_EXAMPLE' }],
  subscribe: [
    { t: 'subscribe', sub: 'es', instrument: 'ES.c.0', indicator: 'bars' },
    {
      t: 'subscribe',
      sub: 'es',
      instrument: 'ESZ6',
      indicator: 'bars',
      params: { size: 300 },
      mode: 'confirmed',
      from: { cursor: CURSOR },
    },
    {
      t: 'subscribe',
      sub: 'es',
      instrument: 'ESZ6',
      indicator: 'footprint',
      from: { time: '2026-11-13T14:30:00Z' },
    },
  ],
  unsubscribe: [{ t: 'unsubscribe', sub: 'es' }],
  ping: [{ t: 'ping' }, { t: 'ping', id: 17 }],
};

export const SERVER_EXAMPLES: Examples<ServerMessage> = {
  subscribed: [
    {
      t: 'subscribed',
      sub: 'es',
      topic: 'ESZ6/bars?bar=time&session=full&size=60',
      instrument: 'ES.c.0',
      contract: 'ESZ6',
      tickSizeNanos: 250_000_000,
    },
  ],
  status: [{ t: 'status', sub: 'es', state: 'live', lagMs: 0 }],
  snapshot: [{ t: 'snapshot', sub: 'es', cursor: CURSOR, items: [BAR] }],
  upsert: [{ t: 'upsert', sub: 'es', cursor: CURSOR, ...BAR }],
  remove: [{ t: 'remove', sub: 'levels', cursor: CURSOR, id: '20261112.9.2', final: true, ts: TS }],
  reset: [{ t: 'reset', sub: 'es', reason: 'cursor_expired' }],
  error: [
    {
      t: 'error',
      sub: 'es',
      code: 'UNKNOWN_INDICATOR',
      message: 'There is no indicator "candles".',
    },
    {
      t: 'error',
      code: 'INVALID_PARAMETERS',
      message: 'The message is not valid JSON: it breaks at line 1, column 2.',
      errors: [
        { path: '', message: 'The message is not valid JSON: it breaks at line 1, column 2.' },
      ],
    },
  ],
  hb: [
    { t: 'hb', sub: 'es', cursor: CURSOR, ts: TS },
    { t: 'hb', ts: TS },
  ],
  pong: [{ t: 'pong', id: 17, ts: TS }],
  notice: [
    { t: 'notice', kind: 'reconnect' },
    { t: 'notice', kind: 'roll', effectiveAt: '1796601600000000000', instrument: 'ES.c.0' },
    { t: 'notice', kind: 'deprecation', effectiveAt: '1811808000000000000', indicator: 'bars' },
  ],
};
