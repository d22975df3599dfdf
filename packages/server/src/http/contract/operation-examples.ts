/** Examples of the public operations for the contract. A test checks each against its schema. Secrets are made up. */

import { BAR } from './stream-examples.ts';

export interface OperationExample {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Absent: the answer is a file. */
  readonly answer?: object;
}

const ENGINE = '485805a490879161788a4af6570b52afc906e6052d5e24eebd0e932cc11f0a09';
const CREATED_AT = '1794412800000000000';
const KEY_ID = 'key_dcd7af3cd7d237abafdd';
const NEXT_KEY_ID = 'key_1ad3ffd35ac6214cd91a';

const KEY = {
  id: KEY_ID,
  name: 'trading desk',
  environment: 'live',
  scopes: ['stream', 'history'],
  instruments: ['ES.c.0'],
  state: 'active',
  hint: 'dIh6',
  createdAt: CREATED_AT,
  lastUsedAt: '1794413160000000000',
};

const SANDBOX_LIMITS = {
  computeBudget: 50_000_000,
  exportBytes: 0,
  restPerMinute: 60,
  historyDays: 7,
  delaySeconds: 600,
  maxConnections: 1,
  maxSubscriptions: 2,
  maxCustomConfigs: 1,
  realtime: false,
};

const HISTORY_QUERY = {
  instrument: 'ES.c.0',
  indicator: 'bars',
  params: '{"size":300}',
  from: '2026-11-09T14:30:00Z',
  to: '2026-11-09T15:30:00Z',
};

const HISTORY: Readonly<Record<string, OperationExample>> = {
  getHistory: {
    query: { ...HISTORY_QUERY, limit: 1 },
    answer: {
      instrument: 'ES.c.0',
      contract: 'ESZ6',
      dataset: 'SIM',
      tickSizeNanos: 250_000_000,
      engineFingerprint: ENGINE,
      to: '1794238200000000000',
      lookBackFrom: null,
      items: [
        {
          t: 'upsert',
          cursor: '20261109.48211.2',
          id: '20261109.46102',
          final: true,
          ts: '1794234600000000000',
          data: { ...BAR.data, end: '1794234900000000000' },
        },
      ],
      next: '20261109.48211.2',
      computeUnits: 2_110,
    },
  },
  estimateHistory: {
    query: HISTORY_QUERY,
    answer: {
      instrument: 'ES.c.0',
      contract: 'ESZ6',
      computeUnits: 25_900,
      trades: 25_900,
      days: 1,
      missingDays: [],
      missingDaysTotal: 0,
      lookBackFrom: null,
      remainingComputeUnits: 49_974_100,
    },
  },
  exportHistory: { query: { ...HISTORY_QUERY, format: 'parquet' } },
};

const KEYS: Readonly<Record<string, OperationExample>> = {
  createKey: {
    body: {
      name: 'trading desk',
      environment: 'live',
      scopes: ['stream', 'history'],
      instruments: ['ES.c.0'],
    },
    answer: { ...KEY, lastUsedAt: null, key: 'svc_live_EXAMPLE' },
  },
  listKeys: { answer: { keys: [KEY] } },
  rotateKey: {
    path: { id: KEY_ID },
    body: { gracePeriodSeconds: 3_600 },
    answer: {
      ...KEY,
      id: NEXT_KEY_ID,
      hint: 'vCVB',
      lastUsedAt: null,
      key: 'svc_live_EXAMPLE',
      previous: { id: KEY_ID, state: 'expiring', expiresAt: '1794416400000000000' },
    },
  },
  revokeKey: {
    path: { id: KEY_ID },
    answer: { ...KEY, state: 'revoked', revokedAt: '1794416400000000000' },
  },
  createStreamToken: {
    answer: { token: 'svc_token_EXAMPLE', expiresAt: '1794412860000000000' },
  },
};

const CATALOGUE: Readonly<Record<string, OperationExample>> = {
  listIndicators: {
    answer: {
      version: 'f082492f5848',
      engineFingerprint: ENGINE,
      indicators: [
        {
          id: 'bars',
          version: 1,
          name: 'Bars',
          description: 'Price bars with their volume by aggressor. …',
          parameters: [
            {
              name: 'bar',
              type: 'string',
              default: 'time',
              values: ['time', 'tick', 'volume', 'range', 'delta', 'renko'],
              description: 'The rule that ends a bar.',
            },
          ],
          paramsSchema: {
            type: 'object',
            additionalProperties: false,
            properties: { bar: { type: 'string', enum: ['time', 'tick'], default: 'time' } },
          },
          data: { type: 'object', properties: { open: { type: 'integer' } } },
          computeUnitsPerTrade: 1,
          presets: [{ id: 'one-minute', name: '1 minute', params: { bar: 'time', size: 60 } }],
          example: { ...BAR, final: true },
        },
      ],
    },
  },
  listInstruments: {
    answer: {
      instruments: [
        {
          symbol: 'ESZ6',
          alias: 'ES.c.0',
          tickSizeNanos: 250_000_000,
          status: 'open',
          updatedAt: '1794412799999999993',
          streamed: true,
          dataset: 'SIM',
          name: 'E-mini S&P 500 December 2026',
          exchange: 'CME',
          currency: 'USD',
          lotSizeNanos: 1_000_000_000,
          pointValueNanos: 50_000_000_000,
          calendar: 'cme-equity',
          expiresAt: '1797604200000000000',
          history: {
            firstDay: '2026-11-02',
            lastDay: '2026-11-16',
            missingDays: ['2026-11-05'],
            missingDaysTotal: 1,
          },
          aliases: [{ alias: 'ES.c.0', from: '1789344000000000000', to: '1797206400000000000' }],
          rolls: [
            { from: '1789344000000000000', symbol: 'ESZ6' },
            { from: '1797206400000000000', symbol: 'ESH7' },
          ],
        },
      ],
    },
  },
  listSessions: {
    query: { instrument: 'ES.c.0', from: '2026-11-16', to: '2026-11-16T12:00:00Z' },
    answer: {
      instrument: 'ES.c.0',
      contract: 'ESZ6',
      dataset: 'SIM',
      calendar: 'cme-equity',
      timeZone: 'America/Chicago',
      sessions: [
        {
          date: '2026-11-16',
          open: '1794783600000000000',
          close: '1794866400000000000',
          regular: { open: '1794839400000000000', close: '1794862800000000000' },
        },
      ],
    },
  },
};

const SERVICE: Readonly<Record<string, OperationExample>> = {
  listOffers: {
    answer: {
      offers: [{ id: 'live', name: 'Live', billing: 'monthly', grants: ['live'] }],
      plans: [{ id: 'sandbox', offers: [], limits: SANDBOX_LIMITS }],
    },
  },
  getPricing: {
    answer: {
      currency: 'EUR',
      taxIncluded: true,
      prices: [
        {
          offer: 'live',
          amountMinor: 7_900,
          interval: 'month',
          withdrawal: { days: 14, lostAt: 'never', refund: 'rest' },
        },
        {
          offer: 'history',
          amountMinor: 49_000,
          interval: null,
          withdrawal: { days: 14, lostAt: 'access', refund: 'all' },
        },
      ],
      countries: [{ code: 'AT', provider: 'test' }],
      waiver: { version: '2026-11-1', text: 'As a consumer you have the right to withdraw …' },
    },
  },
  getStatus: {
    answer: {
      engine: { state: 'up' },
      instruments: [{ symbol: 'ESZ6', alias: 'ES.c.0', state: 'open' }],
      datasets: [{ dataset: 'SIM', state: 'open', instruments: ['ESZ6'] }],
      version: '0.1.0',
    },
  },
  getStatusHistory: {
    answer: {
      recordedSince: '1794960000000000000',
      days: [
        {
          day: '2026-11-18',
          state: 'down',
          recordedSeconds: 43_200,
          partialSeconds: 0,
          downSeconds: 600,
        },
      ],
      incidents: [
        {
          from: '1794978000000000000',
          until: '1794978600000000000',
          state: 'down',
          cause: 'engine',
        },
      ],
    },
  },
  getUsage: {
    answer: {
      period: '2026-11',
      resetsAt: '1796083200000000000',
      plan: 'sandbox',
      limits: SANDBOX_LIMITS,
      used: { computeUnits: 25_900, historyItems: 240, exportBytes: 0, restRequests: 31 },
      remaining: { computeUnits: 49_974_100, exportBytes: 0 },
    },
  },
  getOpenapi: { answer: { openapi: '3.1.0', info: { title: 'Tapeloom', version: '1' } } },
  getAsyncapi: { answer: { asyncapi: '3.0.0', info: { title: 'Tapeloom stream', version: '1' } } },
};

/** By operation id. */
export const OPERATION_EXAMPLES: Readonly<Record<string, OperationExample>> = {
  ...CATALOGUE,
  ...HISTORY,
  ...KEYS,
  ...SERVICE,
};
