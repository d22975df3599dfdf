/** The other end of the Binance adapters: strict about what it receives, and as silent as Binance where that is silent. */

import type { PageAnswer, PageRequest } from '../../../src/markets/live/feed.ts';
import type { VenueKind } from '../../../src/markets/live/venue-kind.ts';
import { venueNamed } from '../../../src/markets/live/venues.ts';
import type {
  Dialect,
  DialectContract,
  DialectPage,
  DialectSession,
  SimTrades,
} from '../dialect.ts';
import { pageFrom } from '../example-dialect.ts';
import { exchangeInfo } from './binance-exchange-info.ts';
import { BinanceSession, rowOf } from './binance-session.ts';

export type BinanceKind = 'binance-usdm' | 'binance-coinm';

const ROWS_MAX = 1_000;
const ROWS_USUAL = 500;
const PAGE_WEIGHT = 20;
const WEIGHT_PER_MINUTE = 2_400;
const MINUTE_MS = 60_000;
const PARAMETERS: readonly string[] = ['symbol', 'fromId', 'startTime', 'endTime', 'limit'];

const CONTRACTS: Readonly<Record<BinanceKind, readonly DialectContract[]>> = {
  'binance-usdm': [
    { venueSymbol: 'BTCUSDT', tick: '0.10', lot: '0.001' },
    { venueSymbol: 'BTCUSDT_260327', tick: '0.1', lot: '0.001' },
    { venueSymbol: '1000SHIBUSDT', tick: '0.000001', lot: '1' },
  ],
  'binance-coinm': [
    { venueSymbol: 'BTCUSD_PERP', tick: '0.1', lot: '1' },
    { venueSymbol: 'BTCUSD_260327', tick: '0.1', lot: '1' },
    { venueSymbol: 'ETHUSD_PERP', tick: '0.01', lot: '1' },
  ],
};

export class BinanceDialect implements Dialect {
  readonly venue: Dialect['venue'];
  readonly contracts: readonly DialectContract[];
  readonly proves = 'everything';
  readonly hasNumbers = true;
  readonly garbage = '{"e":"aggTrade","E":17';
  readonly #kind: VenueKind;
  readonly #restPath: string;
  #minute = 0;
  #weight = 0;
  /** The most that was counted in a minute. */
  weightMax = 0;

  constructor(kind: BinanceKind, contracts: readonly DialectContract[] = CONTRACTS[kind]) {
    this.#kind = venueNamed(kind)!;
    this.#restPath = kind === 'binance-usdm' ? '/fapi/v1' : '/dapi/v1';
    this.contracts = contracts;
    const { addresses } = this.#kind;
    this.venue = this.#kind.open({ addresses, key: null, venueDataset: null });
  }

  session(): DialectSession {
    return new BinanceSession(this.#isUsdm);
  }

  page({ url }: PageRequest, trades: SimTrades, nowMs: number): DialectPage | null {
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== this.#kind.addresses.rest) return null;
    if (pathname === `${this.#restPath}/exchangeInfo`) {
      const info = exchangeInfo(this.#isUsdm, this.contracts);
      return only(this.#answer(200, info, 1, nowMs));
    }
    if (pathname !== `${this.#restPath}/aggTrades`) return null;
    const fault = this.#faultOf(searchParams);
    if (fault !== null) return only(this.#answer(400, fault, PAGE_WEIGHT, nowMs));
    const known = trades(searchParams.get('symbol')!);
    const limit = Number(searchParams.get('limit') ?? ROWS_USUAL);
    const from = searchParams.get('fromId');
    const refusal = this.#spend(PAGE_WEIGHT, nowMs);
    if (refusal !== null) return only(refusal);
    const oldest = known[0]?.id;
    const isForgotten = from !== null && oldest !== undefined && Number(from) < oldest;
    const old = error(-4166, 'Search window is restricted to recent 2 days only.');
    return {
      rows: from === null ? known.slice(-limit) : pageFrom(known, Number(from), limit),
      answer: (rows) =>
        this.#said(
          200,
          rows.map((row) => rowOf(row, this.#isUsdm)),
        ),
      forgotten: isForgotten ? this.#said(400, old) : null,
    };
  }

  get #isUsdm(): boolean {
    return this.#kind.name === 'binance-usdm';
  }

  #faultOf(parameters: URLSearchParams): object | null {
    const { size } = parameters;
    if ([...parameters.keys()].some((name) => !PARAMETERS.includes(name))) {
      return error(-1101, `Too many parameters; expected '2' and received '${size}'.`);
    }
    const symbol = parameters.get('symbol');
    if (symbol === null) {
      return error(
        -1102,
        "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.",
      );
    }
    if (!this.contracts.some(({ venueSymbol }) => venueSymbol === symbol)) {
      return error(-1121, 'Invalid symbol.');
    }
    for (const name of ['fromId', 'limit']) {
      if (!/^\d{1,16}$/.test(parameters.get(name) ?? '1')) {
        return error(-1100, `Illegal characters found in parameter '${name}'.`);
      }
    }
    const limit = Number(parameters.get('limit') ?? ROWS_USUAL);
    if (limit >= 1 && limit <= ROWS_MAX) return null;
    return error(-1130, "Data sent for parameter 'limit' is not valid.");
  }

  #answer(status: number, body: object, weight: number, nowMs: number): PageAnswer {
    return this.#spend(weight, nowMs) ?? this.#said(status, body);
  }

  /** Null: the address may make this request. */
  #spend(weight: number, nowMs: number): PageAnswer | null {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) this.#weight = 0;
    this.#minute = minute;
    this.#weight += weight;
    this.weightMax = Math.max(this.weightMax, this.#weight);
    if (this.#weight <= WEIGHT_PER_MINUTE) return null;
    const said = this.#said(429, error(-1003, 'Too many requests.'));
    const seconds = Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1_000);
    return { ...said, headers: { ...said.headers, 'retry-after': `${seconds}` } };
  }

  #said(status: number, body: object): PageAnswer {
    const headers = { 'x-mbx-used-weight-1m': `${this.#weight}` };
    return { status, headers, body: JSON.stringify(body) };
  }
}

/** An answer without rows. */
function only(answer: PageAnswer): DialectPage {
  return { rows: [], answer: () => answer, forgotten: null };
}

function error(code: number, msg: string): object {
  return { code, msg };
}
