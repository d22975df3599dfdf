/** The other end of the example feed. */

import type { PageAnswer } from '../../src/markets/live/feed.ts';
import type { Dialect, DialectSession, SimTrade } from './dialect.ts';
import {
  EXAMPLE_PAGE_MAX,
  type ExampleMessage,
  type ExampleRow,
  exampleVenue,
} from './example-feed.ts';

export const exampleDialect: Dialect = {
  venue: exampleVenue,
  contracts: ['AAA-PERP', 'BBB-PERP', 'CCC-PERP'].map((venueSymbol) => ({
    venueSymbol,
    tick: '0.25',
    lot: '1',
  })),
  proves: 'everything',
  hasNumbers: true,
  session: () => session,
  page({ url }, trades) {
    const { searchParams } = new URL(url);
    const known = trades(searchParams.get('symbol')!);
    const from = searchParams.get('from');
    const oldest = known[0]?.id;
    const isForgotten = from !== null && oldest !== undefined && Number(from) < oldest;
    return {
      rows: from === null ? known.slice(-10) : pageFrom(known, Number(from)),
      answer: (rows) => answer(200, { rows: rows.map(rowOf) }),
      forgotten: isForgotten ? answer(410, { rows: [], oldest }) : null,
    };
  },
  garbage: '{"t":',
};

const session: DialectSession = {
  opened: () => [],
  received(message) {
    const read = JSON.parse(String(message)) as { t: string; s?: readonly string[] };
    if (read.t !== 'subscribe') return { replies: [] };
    return { replies: [text({ t: 'subscribed' })], subscribed: read.s ?? [] };
  },
  trades: (s, rows) => [text({ t: 'trades', s, rows: rows.map(rowOf) })],
  heartbeat: (ms) => [text({ t: 'heartbeat', ms })],
};

/** The page from a number on, of trades without holes. */
export function pageFrom(
  trades: readonly SimTrade[],
  from: number,
  rowsMax = EXAMPLE_PAGE_MAX,
): readonly SimTrade[] {
  const start = Math.max(0, from - (trades[0]?.id ?? from));
  return trades.slice(start, start + rowsMax);
}

function rowOf({ id, ms, price, size, isBuy }: SimTrade): ExampleRow {
  return [id, ms, price, size, isBuy];
}

function text(message: ExampleMessage): string {
  return JSON.stringify(message);
}

function answer(status: number, body: object): PageAnswer {
  return { status, headers: {}, body: JSON.stringify(body) };
}
