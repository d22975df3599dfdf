/** One connection at a simulated Binance, on `/ws`: messages are not inside of others. */

import type { FeedMessage } from '../../../src/markets/live/feed.ts';
import type { DialectAnswer, DialectSession, SimTrade } from '../dialect.ts';

const FRAME_BYTES_MAX = 4_096;
const STREAMS_MAX = 1_024;
const MESSAGES_PER_SECOND = 10;
const METHODS = ['SUBSCRIBE', 'UNSUBSCRIBE', 'LIST_SUBSCRIPTIONS', 'SET_PROPERTY', 'GET_PROPERTY'];
const STREAM = /^([^A-Z@]+)@aggTrade$/;
/** The single trades of an aggregate trade. */
const FILLS = 3;

type Asked = Readonly<Record<'method' | 'params' | 'id', unknown>>;

export class BinanceSession implements DialectSession {
  readonly #isUsdm: boolean;
  readonly #streams = new Set<string>();
  readonly #receivedMs: number[] = [];

  constructor(isUsdm: boolean) {
    this.#isUsdm = isUsdm;
  }

  opened(): readonly FeedMessage[] {
    return [];
  }

  received(message: FeedMessage, _trades: unknown, nowMs: number): DialectAnswer {
    this.#receivedMs.push(nowMs);
    const before = this.#receivedMs.at(-1 - MESSAGES_PER_SECOND);
    if (before !== undefined && nowMs - before < 1_000) return { replies: [], isEnd: true };
    const text = String(message);
    if (Buffer.byteLength(text) > FRAME_BYTES_MAX - 8) return { replies: [] };
    let asked: Asked;
    try {
      asked = JSON.parse(text) as Asked;
    } catch {
      const msg = 'Invalid JSON: expected value at line 1 column 1';
      return { replies: [JSON.stringify({ error: { code: 3, msg } })] };
    }
    const fault = this.#faultOf(asked);
    if (fault !== null) {
      const { id = null } = asked;
      return { replies: [JSON.stringify({ error: fault, id })] };
    }
    return this.#perform(asked);
  }

  trades(venueSymbol: string, rows: readonly SimTrade[], nowMs: number): readonly FeedMessage[] {
    return rows.map((row) => {
      const { a, p, q, f, l, T, m, nq } = rowOf(row, this.#isUsdm);
      const start = { e: 'aggTrade', E: nowMs, a, s: venueSymbol, p, q };
      return JSON.stringify({ ...start, nq, f, l, T, m, st: this.#isUsdm ? 1 : 2 });
    });
  }

  /** Pings are frames of the WebSocket. */
  heartbeat(): readonly FeedMessage[] {
    return [];
  }

  #faultOf({ method, params, id }: Asked): { code: number; msg: string } | null {
    const invalid = (what: string) => ({ code: 2, msg: `Invalid request: ${what}` });
    if (!Number.isSafeInteger(id) || (id as number) < 0) {
      return invalid('request ID must be an unsigned integer');
    }
    if (typeof method !== 'string') return invalid('method name must be provided as string');
    if (!METHODS.includes(method)) {
      return invalid(`unknown variant ${method}, expected one of ${METHODS.join(', ')}`);
    }
    if (method === 'LIST_SUBSCRIPTIONS') return null;
    if (!Array.isArray(params)) return invalid('missing field params');
    if (method === 'GET_PROPERTY' && params[0] !== 'combined') {
      return { code: 0, msg: 'Unknown property' };
    }
    if (params.some((one) => typeof one !== 'string')) return invalid('params must be strings');
    const isMore = method === 'SUBSCRIBE' && this.#streams.size + params.length > STREAMS_MAX;
    return isMore ? { code: 4, msg: 'Too many subscriptions' } : null;
  }

  /** Any text is accepted as the name of a stream; what does not exist is silent. */
  #perform({ method, params, id }: Asked): DialectAnswer {
    const said = (result: unknown) => ({ replies: [JSON.stringify({ result, id })] });
    if (method === 'GET_PROPERTY') return said(false);
    if (method === 'LIST_SUBSCRIPTIONS') return said([...this.#streams]);
    if (method !== 'SUBSCRIBE') return said(null);
    const streams = params as readonly string[];
    for (const stream of streams) this.#streams.add(stream);
    const subscribed = streams.flatMap((stream) => STREAM.exec(stream)?.[1]?.toUpperCase() ?? []);
    return { ...said(null), subscribed };
  }
}

/** The fields that the stream and the pages share. */
export function rowOf({ id, ms, price, size, isBuy }: SimTrade, isUsdm: boolean) {
  const first = id * FILLS;
  const row = { a: id, p: price, q: size, f: first, l: first + FILLS - 1, T: ms, m: !isBuy };
  return { ...row, nq: isUsdm ? size : undefined };
}
