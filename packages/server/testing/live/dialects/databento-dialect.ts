/**
 * The other end of Databento live: a strict gateway. It follows public documentation and the official clients, since no
 * recorded bytes of a real one exist. Its stream is cut into pieces anywhere.
 */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DAY_MS, MS_NS_BIG } from '@tapeloom/core/units';
import type { DbnDefinition } from '../../../src/feeds/dbn/dbn-definitions.ts';
import type { DbnVersion } from '../../../src/feeds/dbn/dbn-metadata.ts';
import { databentoKind } from '../../../src/markets/live/databento/databento-kind.ts';
import type { FeedMessage } from '../../../src/markets/live/feed.ts';
import { onGrid } from '../../../src/markets/live/on-grid.ts';
import { DBN_SCHEMAS, DbnWriter, encodeHead } from '../../feeds/dbn-writer.ts';
import type { Dialect, DialectAnswer, DialectSession, SimTrade, SimTrades } from '../dialect.ts';

/** Made up; a real one has as many characters. */
export const DATABENTO_KEY = 'db-EXAMPLEEXAMPLEEXAMPLEEXAAbCdE';
export const DATABENTO_SETTINGS = {
  addresses: databentoKind.addresses,
  key: DATABENTO_KEY,
  venueDataset: databentoKind.venueDataset,
};
const DATASET = 'GLBX.MDP3';
const SYMBOLS_PER_LINE_MAX = 500;
const FIRST_ID = 40_000;
const AUTH_FIELDS = {
  dataset: /^GLBX\.MDP3$/,
  encoding: /^dbn$/,
  compression: /^none$/,
  ts_out: /^0$/,
  client: /^[ -~]+$/,
  heartbeat_interval_s: /^(?:[5-9]|[1-9]\d{1,2}|1[0-7]\d\d|1800)$/,
};
const SUBSCRIPTION_FIELDS = {
  schema: /^(?:trades|definition)$/,
  stype_in: /^raw_symbol$/,
  symbols: /^[^|]+$/,
  snapshot: /^0$/,
  is_last: /^[01]$/,
  start: /^\d{1,19}$/,
  id: /^\d{1,10}$/,
};

export interface GatewayOptions {
  readonly version?: DbnVersion;
  /** What a session with the schema `definition` repeats. */
  readonly definitions?: readonly (Partial<DbnDefinition> & { readonly instrumentId: number })[];
  readonly contracts?: Dialect['contracts'];
  /** The stream comes in pieces of so many bytes; null: as it is written. */
  readonly pieceBytes?: number | null;
  /** Whether it says that a replay is over. */
  readonly saysCompleted?: boolean;
}

interface Subscription {
  readonly schema: string;
  readonly symbols: readonly string[];
  readonly start: bigint | null;
}

export class GatewaySession implements DialectSession {
  readonly #options: GatewayOptions;
  readonly #contracts: Dialect['contracts'];
  readonly #subscriptions: Subscription[] = [];
  readonly #challenge: string;
  #state: 'auth' | 'subscribe' | 'stream' | 'over' = 'auth';
  #isLast = false;
  /** What is repeated comes behind the head of the stream. */
  readonly #replayed: (readonly [venueSymbol: string, rows: readonly SimTrade[]])[] = [];

  constructor(number: number, options: GatewayOptions = {}) {
    this.#options = options;
    this.#contracts = options.contracts ?? CONTRACTS;
    this.#challenge = createHash('md5').update(`${number}`).digest('hex');
  }

  opened(): readonly FeedMessage[] {
    return this.#cut(Buffer.from(`lsg_version=0.9.4\ncram=${this.#challenge}\n`));
  }

  received(message: FeedMessage, _trades: SimTrades, nowMs: number): DialectAnswer {
    const line = String(message);
    assert.ok(line.endsWith('\n') && line.indexOf('\n') === line.length - 1, `one line: ${line}`);
    if (this.#state === 'auth') return this.#auth(line.trimEnd());
    assert.equal(this.#state, 'subscribe', `nothing may be said now: ${line}`);
    if (line === 'start_session\n') return { replies: this.#cut(this.#start(nowMs)) };
    return this.#subscribe(line.trimEnd(), nowMs);
  }

  trades(venueSymbol: string, rows: readonly SimTrade[]): readonly FeedMessage[] {
    if (this.#state === 'stream')
      return this.#cut(this.#write((to) => this.#rows(to, venueSymbol, rows)));
    // Before the start only a contract with a replay misses nothing.
    const hasReplay = this.#subscriptions.some(
      ({ symbols, start }) => start !== null && symbols.includes(venueSymbol),
    );
    if (hasReplay) this.#replayed.push([venueSymbol, rows]);
    return [];
  }

  heartbeat(nowMs: number): readonly FeedMessage[] {
    if (this.#state !== 'stream') return [];
    return this.#cut(this.#write((to) => to.system(0, 'Heartbeat', nsOf(nowMs))));
  }

  #auth(line: string): DialectAnswer {
    const { auth, ...fields } = fieldsOf(line);
    const digest = createHash('sha256').update(`${this.#challenge}|${DATABENTO_KEY}`).digest('hex');
    if (auth !== `${digest}-${DATABENTO_KEY.slice(-5)}`) {
      this.#state = 'over';
      // A real one might repeat what was said to it.
      const error = `success=0|error=Authentication failed for ${auth} ${DATABENTO_KEY}\n`;
      return { replies: this.#cut(Buffer.from(error)), isEnd: true };
    }
    check(fields, AUTH_FIELDS, ['heartbeat_interval_s']);
    this.#state = 'subscribe';
    return { replies: this.#cut(Buffer.from('success=1|session_id=1773\n')) };
  }

  #subscribe(line: string, nowMs: number): DialectAnswer {
    const fields = fieldsOf(line);
    check(fields, SUBSCRIPTION_FIELDS, ['start', 'id']);
    assert.ok(!this.#isLast, 'a subscription behind the last one');
    this.#isLast = fields.is_last === '1';
    const symbols = fields.symbols!.split(',');
    assert.ok(symbols.length <= SYMBOLS_PER_LINE_MAX, `${symbols.length} symbols`);
    const start = fields.start === undefined ? null : BigInt(fields.start);
    const oldest = nsOf(nowMs - DAY_MS);
    assert.ok(start === null || start === 0n || start >= oldest, `a start of ${start}`);
    this.#subscriptions.push({ schema: fields.schema!, symbols, start });
    const subscribed = symbols.filter((symbol) => this.#idOf(symbol) !== null);
    if (start === null) return { replies: [], subscribed };
    const from = start > oldest ? start : oldest;
    const fromMs = Number((from + MS_NS_BIG - 1n) / MS_NS_BIG);
    return { replies: [], subscribed, fromMs };
  }

  #start(nowMs: number): Uint8Array {
    assert.ok(this.#isLast || this.#subscriptions.length === 0, 'the last line is not the last');
    this.#state = 'stream';
    const { version = 3, definitions = [], saysCompleted = true } = this.#options;
    const now = nsOf(nowMs);
    const head = encodeHead({
      version,
      schema: DBN_SCHEMAS.mixed,
      nameKindIn: 0xff,
      dataset: DATASET,
    });
    const body = this.#write((to) => {
      for (const { schema, symbols } of this.#subscriptions) {
        to.system(1, `Subscription request for ${schema} data succeeded`, now);
        for (const symbol of symbols) {
          const instrumentId = this.#idOf(symbol);
          if (instrumentId === null) to.error(4, `Could not resolve symbol: ${symbol}`, now);
          else to.mapping({ instrumentId, event: now }, symbol, symbol);
        }
        if (schema !== 'definition') continue;
        for (const one of definitions) if (symbols.includes(one.rawSymbol!)) to.definition(one);
      }
      for (const [venueSymbol, rows] of this.#replayed) this.#rows(to, venueSymbol, rows);
      const hasReplay = this.#subscriptions.some(({ start }) => start !== null);
      if (hasReplay && saysCompleted) to.system(3, 'Finished replay', now);
    });
    return Buffer.concat([head, body]);
  }

  #rows(to: DbnWriter, venueSymbol: string, rows: readonly SimTrade[]): void {
    const instrumentId = this.#idOf(venueSymbol)!;
    for (const { ms, price, size, isBuy } of rows) {
      to.trade({
        instrumentId,
        event: nsOf(ms),
        price: BigInt(onGrid(price, 1)),
        size: Number(size),
        side: isBuy ? 'B' : 'A',
      });
    }
  }

  /** Records without a head. */
  #write(write: (to: DbnWriter) => void): Uint8Array {
    const head = { version: this.#options.version ?? 3, schema: DBN_SCHEMAS.mixed } as const;
    const writer = new DbnWriter(head);
    const { length } = writer.bytes;
    write(writer);
    return writer.bytes.subarray(length);
  }

  #idOf(symbol: string): number | null {
    const { definitions = [] } = this.#options;
    const defined = definitions.find(({ rawSymbol }) => rawSymbol === symbol);
    if (defined !== undefined) return defined.instrumentId;
    const at = this.#contracts.findIndex(({ venueSymbol }) => venueSymbol === symbol);
    return at < 0 ? null : FIRST_ID + at;
  }

  #cut(bytes: Uint8Array): readonly Uint8Array[] {
    const { pieceBytes = 61 } = this.#options;
    if (pieceBytes === null) return [bytes];
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      pieces.push(bytes.slice(at, at + pieceBytes));
    }
    return pieces;
  }
}

const CONTRACTS = ['ESZ6', 'NQZ6', 'CLF7'].map((venueSymbol) => ({
  venueSymbol,
  tick: '0.25',
  lot: '1',
}));

export function databentoDialect(options: GatewayOptions = {}): Dialect {
  let sessions = 0;
  return {
    venue: databentoKind.open(DATABENTO_SETTINGS),
    contracts: options.contracts ?? CONTRACTS,
    proves: 'reconnects',
    hasNumbers: false,
    isTcp: true,
    session() {
      sessions += 1;
      return new GatewaySession(sessions, options);
    },
    page: () => null,
    // No line, and no record: a length of zero.
    garbage: new Uint8Array(64),
  };
}

function fieldsOf(line: string): Record<string, string> {
  return Object.fromEntries(
    line.split('|').map((field) => {
      const at = field.indexOf('=');
      return [field.slice(0, at), field.slice(at + 1)];
    }),
  );
}

/** Exactly these fields, of which some may be absent. */
function check(
  fields: Record<string, string>,
  rules: Readonly<Record<string, RegExp>>,
  optional: readonly string[],
): void {
  for (const [name, value] of Object.entries(fields)) {
    assert.match(value, rules[name] ?? /^(?!)/, `the field ${name}`);
  }
  for (const name of Object.keys(rules)) {
    assert.ok(name in fields || optional.includes(name), `the field ${name} is missing`);
  }
}

function nsOf(ms: number): bigint {
  return BigInt(ms) * MS_NS_BIG;
}
