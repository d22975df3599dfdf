import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { bytesOf, decode } from '../../../testing/feeds/csv-reading.ts';
import type { CsvHints } from './csv-guess.ts';
import { guessCsv } from './guess-csv.ts';
import { judgeMapping } from './judge-mapping.ts';

/** 2026-03-10 14:30:00 UTC. */
const AT = 1_773_153_000_000_000_000n;

interface Sample {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly hints?: CsvHints;
  /** Symbol, nanoseconds after 14:30, price, size and side of each trade. */
  readonly trades: readonly (readonly [string | null, number, string, string, number])[];
}

const SAMPLES: readonly Sample[] = [
  {
    name: 'bybit',
    path: 'BTCUSDT2026-03-10.csv',
    text:
      'timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional\n' +
      '1773153000.1234,BTCUSDT,Buy,0.001,67000.50,PlusTick,a-b,6.7e+09,0.001,67.0005\n' +
      '1773153000.25,BTCUSDT,Sell,2,67000.40,MinusTick,a-c,6.7e+09,2,134000\n',
    trades: [
      ['BTCUSDT', 123_400_000, '67000.5', '0.001', 1],
      ['BTCUSDT', 250_000_000, '67000.4', '2', -1],
    ],
  },
  {
    name: 'bybit',
    path: 'BTCUSDT_2026-03-10.csv',
    text: 'id,timestamp,price,volume,side,rpi\n1,1773153000074,67000.8,0.003718,sell,0\n',
    trades: [[null, 74_000_000, '67000.8', '0.003718', -1]],
  },
  {
    name: 'bitmex',
    path: '20260310.csv',
    text:
      'timestamp,symbol,side,size,price,tickDirection,trdMatchID,grossValue,homeNotional,foreignNotional,trdType\n' +
      '2026-03-10D14:30:00.123456000,XBTUSD,Sell,100,67000.5,ZeroMinusTick,x,1,0.1,100,Regular\n' +
      '2026-03-10D14:30:00.500000000,.BXBT,Buy,0,67001.2,PlusTick,y,,,,Referential\n',
    trades: [['XBTUSD', 123_456_000, '67000.5', '100', -1]],
  },
  {
    name: 'okx',
    path: 'BTC-USDT-SWAP-trades-2026-03-10.csv',
    text:
      'instrument_name,trade_id,side,price,size,created_time\n' +
      'BTC-USDT-SWAP,101,buy,67000.1,3.5,1773153000005\n',
    trades: [['BTC-USDT-SWAP', 5_000_000, '67000.1', '3.5', 1]],
  },
  {
    name: 'okx',
    path: 'BTC-USDT-SWAP-aggtrades-2026-03-10.csv',
    text:
      'trade_id/撮合id,side/交易方向,size/数量,price/价格,created_time/成交时间\n' +
      '101,sell,3.5,67000.1,1773153000005\n',
    trades: [[null, 5_000_000, '67000.1', '3.5', -1]],
  },
  {
    name: 'bitget',
    path: 'BTCUSDT_2026-03-10.csv',
    text:
      'trade_id,timestamp,price,side,volume(quote),size(base)\n' +
      '1150,1773153000007,67000.1,sell,670.001,0.01\n',
    trades: [[null, 7_000_000, '67000.1', '0.01', -1]],
  },
  {
    name: 'kraken',
    path: 'XBTUSD.csv',
    text: '1773153000,67000.1,0.5\n1773153001,67000.2,0.25\n',
    hints: { preset: 'kraken' },
    trades: [
      [null, 0, '67000.1', '0.5', 0],
      [null, 1_000_000_000, '67000.2', '0.25', 0],
    ],
  },
  {
    name: 'gate',
    path: 'BTC_USDT-202603.csv',
    text: '1773153000.123,501,67000.1,12\n1773153000.456,502,67000,-7\n',
    hints: { preset: 'gate' },
    trades: [
      [null, 123_000_000, '67000.1', '12', 1],
      [null, 456_000_000, '67000', '7', -1],
    ],
  },
  {
    name: 'gate',
    path: 'BTC_USDT-202603.csv',
    text: '1773153000.123,501,67000.1,0.12,2\n1773153000.456,502,67000,0.7,1\n',
    hints: { preset: 'gate', buyWords: ['2'], sellWords: ['1'] },
    trades: [
      [null, 123_000_000, '67000.1', '0.12', 1],
      [null, 456_000_000, '67000', '0.7', -1],
    ],
  },
  {
    name: 'kaiko',
    path: 'cbse_btcusd_trades.csv',
    text: 'id,exchange,symbol,date,price,amount,sell\n7,cbse,btcusd,1773153000009,67000.1,0.02,true\n',
    trades: [['btcusd', 9_000_000, '67000.1', '0.02', -1]],
  },
  {
    name: 'coinapi',
    path: 'BINANCE_SPOT_BTC_USDT.csv',
    text:
      'time_exchange;time_coinapi;guid;price;base_amount;taker_side\n' +
      '2026-03-10T14:30:00.1234567Z;2026-03-10T14:30:00.2000000Z;g;67000.1;0.02;BUY\n' +
      '2026-03-10T14:30:00.5000000Z;2026-03-10T14:30:00.6000000Z;h;67000.1;0.03;SELL_ESTIMATED\n',
    trades: [
      [null, 123_456_700, '67000.1', '0.02', 1],
      [null, 500_000_000, '67000.1', '0.03', 0],
    ],
  },
  {
    name: 'polygon',
    path: '2026-03-10.csv',
    text:
      'ticker,conditions,correction,exchange,id,participant_timestamp,price,sequence_number,sip_timestamp,size,tape,trf_id,trf_timestamp\n' +
      'SPY,"12,37",0,11,52,1773153000000000123,500.01,10,1773153000000100000,100,2,0,0\n',
    trades: [['SPY', 123, '500.01', '100', 0]],
  },
  {
    name: 'polygon',
    path: 'crypto.csv',
    text:
      'ticker,conditions,exchange,id,participant_timestamp,price,size\n' +
      'X:BTC-USD,2,1,52,1773153000000000123,67000.01,0.5\n',
    trades: [['X:BTC-USD', 123, '67000.01', '0.5', 1]],
  },
  {
    name: 'iqfeed',
    path: '@ESH26.csv',
    text:
      '2026-03-10 10:30:00.123456,5000.25,2,1000,5000.00,5000.25,77,C,43,01,\n' +
      '2026-03-10 10:30:01.000000,5000.25,0,1000,5000.00,5000.25,78,S,43,01,\n',
    hints: { hasSideByQuotes: true },
    trades: [[null, 123_456_000, '5000.25', '2', 1]],
  },
  {
    name: 'kibot',
    path: 'ES.txt',
    text: '03/10/2026,10:30:00,5000.25,5000.00,5000.25,2\n',
    hints: { hasSideByQuotes: true },
    trades: [[null, 0, '5000.25', '2', 1]],
  },
  {
    name: 'kibot',
    path: 'ES.txt',
    text: '03/10/2026,10:30:00,5000.25,2\n',
    trades: [[null, 0, '5000.25', '2', 0]],
  },
  {
    name: 'tickdata',
    path: 'ESH26.csv',
    text: '03/10/2026,09:30:00.018,5000.25,2,E,0,,\n',
    hints: { zone: 'America/Chicago' },
    trades: [[null, 18_000_000, '5000.25', '2', 0]],
  },
  {
    name: 'mt5',
    path: 'ESH26_202603100000_202603102359.csv',
    text:
      '<DATE>\t<TIME>\t<BID>\t<ASK>\t<LAST>\t<VOLUME>\t<FLAGS>\n' +
      '2026.03.10\t16:30:00.018\t5000.00\t5000.25\t\t\t6\n' +
      '2026.03.10\t16:30:00.019\t\t\t5000.25\t2\t56\n' +
      '2026.03.10\t16:30:00.020\t\t\t5000.00\t1\t88\n' +
      '2026.03.10\t16:30:00.021\t\t\t5000.00\t1\t24\n',
    hints: { zone: 'Europe/Athens' },
    trades: [
      [null, 19_000_000, '5000.25', '2', 1],
      [null, 20_000_000, '5000', '1', -1],
      [null, 21_000_000, '5000', '1', 0],
    ],
  },
];

describe('files as exchanges, vendors and platforms write them', () => {
  for (const { name, path, text, hints = {}, trades } of SAMPLES) {
    it(`${name}, ${path}: is recognised and read`, () => {
      const guess = guessCsv(bytesOf(text), path, hints);
      assert.deepEqual(guess.unclear, []);
      assert.equal(guess.preset, name);
      assert.deepEqual(judgeMapping(guess.mapping), { mapping: guess.mapping });
      const read = decode(guess.mapping!, [bytesOf(text)]);
      assert.deepEqual(
        read.trades.map(({ symbol, ts, price, size, side }) => [
          symbol,
          Number(ts - AT),
          price,
          size,
          side,
        ]),
        trades,
      );
      const other = guessCsv(bytesOf('a,b\nx,1\ny,2\n'), path, { preset: guess.preset! });
      assert.equal(other.mapping, null);
    });
  }
});

test('forms that leave their zone unsaid, or that others have too, are asked about', () => {
  const askedOf = (name: string) => {
    const { path, text } = SAMPLES.find((sample) => sample.name === name)!;
    return guessCsv(bytesOf(text), path).unclear.map(({ about }) => about);
  };
  assert.deepEqual(askedOf('mt5'), ['zone']);
  assert.deepEqual(askedOf('tickdata'), ['zone']);
  assert.deepEqual(askedOf('kraken'), ['columns']);
  assert.deepEqual(askedOf('gate'), ['columns']);
  for (const name of ['kraken', 'gate']) {
    const { path, text } = SAMPLES.find((sample) => sample.name === name)!;
    const [question] = guessCsv(bytesOf(text), path).unclear;
    assert.match(question!.sentence, new RegExp(`--preset ${name} if it is of ${name}, or give`));
  }
});

test('words for sides that mean the same everywhere are known, others are asked about and can be said', () => {
  const text = (buy: string, sell: string) =>
    `timestamp,price,size,side\n1773153000000,1.5,2,${buy}\n1773153000001,1.5,2,${sell}\n`;
  const sidesOf = (bytes: Uint8Array, hints: CsvHints = {}) => {
    const { mapping, unclear } = guessCsv(bytes, 'x.csv', hints);
    if (mapping === null) return unclear.map(({ about }) => about);
    return decode(mapping, [bytes]).trades.map(({ side }) => side);
  };
  for (const [buy, sell] of [
    ['b', 's'],
    ['B', 'S'],
    ['BUY', 'SELL'],
    ['Buyer', 'Seller'],
    ['1', '-1'],
    ['+1', '-1'],
    ['1.0', '-1.0'],
  ] as const) {
    assert.deepEqual(sidesOf(bytesOf(text(buy, sell))), [1, -1], buy);
  }
  for (const [buy, sell] of [
    ['ask', 'bid'],
    ['A', 'B'],
    ['Bid', 'Ask'],
  ] as const) {
    assert.deepEqual(sidesOf(bytesOf(text(buy, sell))), ['side']);
    const said = { buyWords: [buy], sellWords: [sell] };
    assert.deepEqual(sidesOf(bytesOf(text(buy, sell)), said), [1, -1], buy);
  }
  const signed = bytesOf('timestamp,price,size\n1773153000000,1.5,2\n1773153000001,1.5,-3\n');
  assert.deepEqual(sidesOf(signed), [1, -1]);
});

test('times with AM and PM, a D, UTC behind them, +00 or decimals of a second are read', () => {
  for (const [time, zone] of [
    ['3/10/2026 9:30:00 AM', 'America/Chicago'],
    ['3/10/2026 02:30:00PM', 'UTC'],
    ['2026-03-10D14:30:00', 'UTC'],
    ['2026-03-10 14:30:00 UTC', undefined],
    ['2026-03-10 14:30:00+00', undefined],
    ['1773153000.0', undefined],
  ] as const) {
    const bytes = bytesOf(`time,price,size\n${time},1.5,2\n`);
    const hints = { dayMonth: 'month-first', ...(zone !== undefined && { zone }) } as const;
    const { mapping, unclear } = guessCsv(bytes, 'x.csv', hints);
    assert.deepEqual(unclear, [], time);
    assert.deepEqual(
      decode(mapping!, [bytes]).trades.map(({ ts }) => ts),
      [AT],
      time,
    );
  }
});

test('where something is unclear there is a draft of a mapping', () => {
  const { mapping, draft } = guessCsv(bytesOf('10:30,5000.25,2\n10:31,5000.5,1\n'), 'x.csv');
  assert.equal(mapping, null);
  assert.deepEqual(
    [draft!.time, draft!.price.column, draft!.size.column],
    [{ kind: 'text', column: 1, pattern: 'yyyy-MM-dd HH:mm:ss[.F]', zone: 'UTC' }, 2, 3],
  );
});
