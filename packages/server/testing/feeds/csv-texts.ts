/** Writes trades in third-party formats, independently of the reader. Times are nanoseconds, prices and sizes texts. */

export interface PlainTrade {
  readonly symbol: string;
  readonly ts: bigint;
  readonly price: string;
  readonly size: string;
  readonly side: -1 | 0 | 1;
}

/** The parts of a time that all formats use. */
function partsOf(ts: bigint) {
  const iso = new Date(Number(ts / 1_000_000n)).toISOString();
  const nanos = String(ts % 1_000_000_000n).padStart(9, '0');
  return { date: iso.slice(0, 10), clock: iso.slice(11, 19), nanos };
}

const nineDecimals = (price: string) => {
  const [whole, fraction = ''] = price.split('.');
  return `${whole}.${fraction.padEnd(9, '0')}`;
};

export function databentoText(
  trades: readonly PlainTrade[],
  { isPretty, hasSymbol = true }: { isPretty: boolean; hasSymbol?: boolean },
): string {
  const header =
    'ts_recv,ts_event,rtype,publisher_id,instrument_id,action,side,depth,price,size,flags,ts_in_delta,sequence';
  const rows = trades.map(({ symbol, ts, price, size, side }, index) => {
    const { date, clock, nanos } = partsOf(ts);
    const time = isPretty ? `${date}T${clock}.${nanos}Z` : String(ts);
    const printed = isPretty
      ? nineDecimals(price)
      : nineDecimals(price)
          .replace('.', '')
          .replace(/^(-?)0+(?=\d)/, '$1');
    const letter = side === 0 ? 'N' : side === 1 ? 'B' : 'A';
    const row = `${time},${time},0,1,5482,T,${letter},0,${printed},${size},128,13511,${index + 100}`;
    return hasSymbol ? `${row},${symbol}` : row;
  });
  return `${[hasSymbol ? `${header},symbol` : header, ...rows].join('\n')}\n`;
}

export function binanceText(
  trades: readonly PlainTrade[],
  { isAggregated, hasHeader }: { isAggregated: boolean; hasHeader: boolean },
): string {
  const header = isAggregated
    ? 'agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker'
    : 'id,price,qty,quote_qty,time,is_buyer_maker';
  const rows = trades.map(({ ts, price, size, side }, index) => {
    const between = isAggregated ? `${index * 3},${index * 3 + 2}` : '1234.5';
    return `${index + 9_000},${price},${size},${between},${ts / 1_000_000n},${side === -1}`;
  });
  return `${[...(hasHeader ? [header] : []), ...rows].join('\n')}\n`;
}

export function tardisText(trades: readonly PlainTrade[]): string {
  const words = { '-1': 'sell', '0': 'unknown', '1': 'buy' };
  const rows = trades.map(({ symbol, ts, price, size, side }, index) => {
    const micros = ts / 1_000n;
    const id = index % 3 === 0 ? '' : `id-${index}`;
    return `binance-futures,${symbol},${micros},${micros + 4_000n},${id},${words[side]},${price},${size}`;
  });
  return `${['exchange,symbol,timestamp,local_timestamp,id,side,price,amount', ...rows].join('\n')}\n`;
}

/** Times of a wall clock that is `aheadHours` ahead of UTC. */
export function sierraText(trades: readonly PlainTrade[], aheadHours: number): string {
  const rows = trades.map(({ ts, price, size, side }) => {
    const { date, clock, nanos } = partsOf(ts + BigInt(aheadHours * 3_600) * 1_000_000_000n);
    const [year, month, day] = date.split('-').map(Number);
    const volumes = side === 0 ? '0, 0' : side === 1 ? `0, ${size}` : `${size}, 0`;
    return `${year}/${month}/${day}, ${clock}.${nanos.slice(0, 3)}, 0, ${price}, ${price}, ${price}, ${size}, 1, ${volumes}`;
  });
  const header = 'Date, Time, Open, High, Low, Last, Volume, NumberOfTrades, BidVolume, AskVolume';
  return `${[header, ...rows].join('\r\n')}\r\n`;
}

export function sierraDumpText(trades: readonly PlainTrade[], aheadHours: number): string {
  const rows = trades.map(({ ts, price, size, side }, index) => {
    const { date, clock, nanos } = partsOf(ts + BigInt(aheadHours * 3_600) * 1_000_000_000n);
    const type = side === 0 ? 0 : side === 1 ? 2 : 1;
    return `${date};${clock}.${Number(nanos.slice(0, 6))};${index};${index};${price};${size};${type};1;1`;
  });
  const header = 'Date;Time;Sequence;DepthSequence;Price;Volume;TradeType;AskPrice;BidPrice';
  return `${[header, ...rows].join('\n')}\n`;
}

export function ninjatraderText(trades: readonly PlainTrade[]): string {
  const rows = trades.map(({ ts, price, size, side }) => {
    const { date, clock, nanos } = partsOf(ts);
    const bid = side === -1 ? price : (Number(price) - 1).toFixed(2);
    const ask = side === 1 ? price : (Number(price) + 1).toFixed(2);
    const time = `${date.replaceAll('-', '')} ${clock.replaceAll(':', '')} ${nanos.slice(0, 7)}`;
    return `${time};${price};${bid};${ask};${size}`;
  });
  return `${rows.join('\r\n')}\r\n`;
}

/** All on one UTC day. */
export function leanText(trades: readonly PlainTrade[]): string {
  const rows = trades.map(({ ts, price, size }) => {
    const ms = (ts / 1_000_000n) % 86_400_000n;
    return `${ms},${price},${size},CME,0,0`;
  });
  return `${rows.join('\n')}\n`;
}
