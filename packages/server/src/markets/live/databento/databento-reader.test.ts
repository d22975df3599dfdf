import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { DbnWriter } from '../../../../testing/feeds/dbn-writer.ts';
import { DATABENTO_KEY } from '../../../../testing/live/dialects/databento-dialect.ts';
import {
  aStream,
  DIALOGUE,
  joinedReadings,
  newReader,
  STREAM_NS,
  streamingReader,
} from '../../../../testing/live/dialects/gateway-stream.ts';
import type { Reading } from '../feed.ts';
import { cramReply } from './gateway-dialogue.ts';
import { subscriptionLines } from './subscription-lines.ts';

const aTrade = { instrumentId: 1, event: STREAM_NS, price: 5_000_250_000_000n, size: 3, side: 'A' };
const read = { id: -1, day: 20_774, ns: 54_000_000_000_000, price: 20_001, size: 3, side: -1 };
const kinds = (readings: readonly Reading[]) => readings.map(({ kind }) => kind);
const readingsOf = (writer: DbnWriter) => streamingReader().read(writer.bytes);
const why = (readings: readonly Reading[]) => {
  const last = readings.at(-1)!;
  return last.kind === 'garbled' || last.kind === 'ended' ? `${last.kind}: ${last.why}` : last.kind;
};

test('the answer to a challenge', () => {
  assert.equal(
    cramReply('0123456789abcdefABCDEF0123456789', DATABENTO_KEY),
    '181204564e530f1864698f53906cbaf436cd3e48166ddd208518a72dda4d8450-AbCdE',
  );
});

test('the dialogue, split at every byte', () => {
  const auth =
    'auth=181204564e530f1864698f53906cbaf436cd3e48166ddd208518a72dda4d8450-AbCdE|dataset=GLBX.MDP3|' +
    'encoding=dbn|compression=none|ts_out=0|heartbeat_interval_s=5|client=Tapeloom\n';
  const subscribe =
    'schema=trades|stype_in=raw_symbol|symbols=ESZ6,NQZ6,CLF7|snapshot=0|id=1|is_last=1\n';
  const expected = [auth, subscribe, 'start_session\n'].map((message) => ({
    kind: 'reply',
    message,
  }));
  const bytes = Buffer.from(DIALOGUE);
  for (let at = 0; at <= bytes.length; at += 1) {
    const reader = newReader();
    const readings = [bytes.subarray(0, at), bytes.subarray(at)].flatMap((it) => reader.read(it));
    assert.deepEqual(readings, expected, `${at}`);
  }
  const reader = newReader();
  assert.deepEqual(
    [...bytes].flatMap((byte) => reader.read(Uint8Array.of(byte))),
    expected,
  );
});

test('a stream of every version, split at every byte, behind the dialogue', () => {
  for (const version of [1, 2, 3] as const) {
    const stream = aStream(version)
      .trade(aTrade)
      .trade({ ...aTrade, side: 'N', instrumentId: 2 })
      .system(0, 'Heartbeat', STREAM_NS + 7n)
      .trade({ ...aTrade, event: STREAM_NS - 1n, side: 'B' }).bytes;
    const bytes = Buffer.concat([Buffer.from(DIALOGUE), stream]);
    const expected = [
      { kind: 'subscribed' },
      { kind: 'trades', symbol: 'ESZ6', trades: [read] },
      { kind: 'trades', symbol: 'NQZ6', trades: [{ ...read, side: 0 }] },
      { kind: 'alive', venueTime: STREAM_NS + 7n },
      { kind: 'trades', symbol: 'ESZ6', trades: [{ ...read, ns: read.ns - 1, side: 1 }] },
    ];
    for (let at = 0; at <= bytes.length; at += 1) {
      const reader = newReader();
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      const readings = pieces.flatMap((it) => reader.read(it));
      assert.deepEqual(joinedReadings(readings).slice(3), expected, `version ${version}, ${at}`);
    }
  }
});

test('side, price and size keep their exact value; what is off the grid stays a fraction', () => {
  const trades = readingsOf(
    aStream()
      .trade({ ...aTrade, price: -37_500_000_000n })
      .trade({ ...aTrade, price: 100_000_001n })
      .trade({ ...aTrade, price: 0n, size: 0xffff_fffe }),
  ).flatMap((reading) => (reading.kind === 'trades' ? reading.trades : []));
  assert.deepEqual(
    trades.map(({ price, size }) => [price, size]),
    [
      [-150, 3],
      [0.5, 3],
      [0, 0xffff_fffe],
    ],
  );
});

test('trades without price, time or size are left out and counted, as an import does', () => {
  const readings = readingsOf(
    aStream()
      .trade({ ...aTrade, price: 2n ** 63n - 1n })
      .trade({ ...aTrade, event: 2n ** 64n - 1n })
      .trade({ ...aTrade, size: 0 })
      .trade({ ...aTrade, size: 0 })
      .trade(aTrade),
  );
  assert.deepEqual(
    readings.map((reading) => (reading.kind === 'leftOut' ? reading.what : reading.kind)),
    [
      'subscribed',
      'trades',
      'trades without a price',
      'trades without a time',
      'trades of size 0',
      'trades of size 0',
    ],
  );
});

test('damaged records end the connection; unknown ones are passed over', () => {
  const one = { instrumentId: 1, event: STREAM_NS };
  const broken = (change: (bytes: Uint8Array, at: number) => void) => {
    const writer = aStream();
    const at = writer.bytes.length;
    const { bytes } = writer.trade(aTrade).trade(aTrade);
    change(bytes, at);
    return streamingReader().read(bytes);
  };
  assert.match(why(broken((bytes, at) => bytes.fill(0, at, at + 1))), /^garbled: .* 0 bytes/);
  assert.match(why(broken((bytes, at) => bytes.fill(13, at, at + 1))), /^garbled: .* 52 bytes/);
  assert.match(
    why(broken((bytes, at) => bytes.fill(0x51, at + 28, at + 29))),
    /^garbled: .*action Q/,
  );
  assert.match(
    why(broken((bytes, at) => bytes.fill(0x51, at + 29, at + 30))),
    /^garbled: .*side Q/,
  );
  // It swallows what follows, and waits for more: the next record has no place any more.
  assert.deepEqual(kinds(broken((bytes, at) => bytes.fill(255, at, at + 1))), ['subscribed']);
  assert.deepEqual(kinds(readingsOf(aStream().other(0x77, 48, one).trade(aTrade))), [
    'subscribed',
    'trades',
  ]);
  assert.match(
    why(readingsOf(aStream().other(0x17, 84, one))),
    /^garbled: The system record .* 84/,
  );
  assert.match(why(readingsOf(aStream().other(0x16, 84, one))), /^garbled: The symbol mapping/);
  assert.match(why(readingsOf(aStream().raw(aStream().bytes))), /^garbled: .*another DBN file/);
  assert.match(why(streamingReader().read('success=1\n')), /^garbled: This is no DBN file/);
});

test('a length of the head that no session has is refused before it is stored', () => {
  const { bytes } = aStream();
  new DataView(bytes.buffer).setUint32(4, 200 * 1_024 * 1_024, true);
  assert.match(why(streamingReader().read(bytes.subarray(0, 8))), /^garbled: .*can be true/);
});

test('ids are named by the mappings before them, which may change', () => {
  const id = (instrumentId: number) => ({ instrumentId, event: STREAM_NS });
  const readings = readingsOf(
    aStream()
      .trade(aTrade)
      .mapping(id(1), 'CLF7', 'CLF7')
      .mapping(id(9), 'ESZ6', 'ESZ6')
      .trade(aTrade)
      .trade({ ...aTrade, instrumentId: 9 })
      .mapping(id(9), 'GCG7', 'GCG7')
      .trade({ ...aTrade, instrumentId: 9 })
      .trade({ ...aTrade, instrumentId: 77 })
      .trade(aTrade),
  );
  const told = readings.map((it) => ('symbol' in it ? `${it.kind} ${it.symbol}` : it.kind));
  assert.deepEqual(told, [
    'subscribed',
    'trades ESZ6',
    'trades CLF7',
    'trades ESZ6',
    'leftOut GCG7',
    'garbled',
  ]);
  assert.equal(why(readings), 'garbled: a trade of the instrument 77, which no mapping names');
});

test('an error ends the session behind the trades before it, and names how long to wait', () => {
  const minutes = (code: number) => {
    const readings = readingsOf(aStream().trade(aTrade).error(code, 'Oh', STREAM_NS).trade(aTrade));
    assert.deepEqual(kinds(readings), ['subscribed', 'trades', 'ended'], `${code}`);
    const last = readings.at(-1)!;
    assert.ok(last.kind === 'ended' && last.why.endsWith(': Oh'));
    return [last.why.slice(0, -4), last.retryAfterMs === null ? null : last.retryAfterMs / 60_000];
  };
  assert.deepEqual([1, 2, 3, 5, 6, 7, 255].map(minutes), [
    ['The gateway does not accept the key', 10],
    ['The key is deactivated', 10],
    ['The gateway accepts no further connection', 1],
    ['The gateway does not accept the subscription', 1],
    ['The gateway has an error', null],
    ['The gateway skipped records, since we read slowly', null],
    ['The gateway has an error', null],
  ]);
});

test('a symbol that is not known takes its contract down, and the session goes on', () => {
  const named = aStream().error(4, 'Could not resolve NQZ6-NQH7 or NQZ6.', STREAM_NS).trade(aTrade);
  assert.deepEqual(
    readingsOf(named)
      .slice(1)
      .map((it) => [it.kind, 'symbol' in it && it.symbol]),
    [
      ['refused', 'NQZ6'],
      ['trades', 'ESZ6'],
    ],
  );
  const unnamed = aStream().error(4, 'Could not resolve a symbol', STREAM_NS);
  const reader = streamingReader();
  assert.deepEqual(kinds(reader.read(unnamed.bytes)), ['subscribed']);
  const before = unnamed.bytes.length;
  const rest = unnamed.system(0, 'Heartbeat', STREAM_NS).bytes.subarray(before);
  assert.deepEqual(reader.read(rest).slice(1), [
    {
      kind: 'refused',
      symbol: 'CLF7',
      why: 'The venue does not know the contract CLF7: Could not resolve a symbol',
    },
  ]);
});

test('a key that is not accepted is a long pause, and no part of it is ever shown', () => {
  const reader = newReader();
  const [reply] = reader.read('lsg_version=1\ncram=abc\n');
  assert.ok(reply?.kind === 'reply');
  const said = `success=0|error=bad ${String(reply.message).slice(0, -1).replaceAll('|', ' ')} ${DATABENTO_KEY}\n`;
  const readings = reader.read(said);
  const [ended] = readings;
  assert.ok(ended?.kind === 'ended' && readings.length === 1);
  assert.match(ended.why, /^The gateway does not accept the key: bad auth=/);
  assert.equal(ended.retryAfterMs, 600_000);
  assert.ok(!ended.why.includes(DATABENTO_KEY) && !ended.why.includes(DATABENTO_KEY.slice(-5)));
  assert.deepEqual(reader.read('success=1\n'), []);
  const limited = newReader();
  limited.read('cram=abc\n');
  assert.match(why(limited.read('success=0|error=User has too many connections\n')), /no further/);
});

test('what is no dialogue is not understood', () => {
  assert.match(why(newReader().read('HTTP/1.1 400 Bad Request\r\n')), /^garbled: the line "HTTP/);
  assert.match(why(newReader().read('x'.repeat(5_000))), /^garbled: a line of more than 4096/);
  const reader = newReader();
  reader.read('cram=abc\n');
  assert.equal(why(reader.read('session_id=5\n')), 'garbled: a reply without success');
  assert.match(why(newReader().read(`cram=${'\0'}\n`)), /^garbled: the line "cram=\?"/);
});

test('contracts with near starts share a line, none has more than 500 symbols', () => {
  const at = (minutes: number) => (STREAM_NS - BigInt(minutes) * 60_000_000_000n) as EpochNs;
  const wanted = [
    { venueSymbol: 'A', start: at(0.5 * 2) },
    { venueSymbol: 'B', start: at(0) },
    { venueSymbol: 'C', start: at(600) },
    { venueSymbol: 'D', start: null },
    { venueSymbol: 'E', start: 0n as EpochNs },
    { venueSymbol: 'F', start: at(700) },
  ];
  assert.deepEqual(
    subscriptionLines('trades', wanted).map((line) =>
      line.replace('schema=trades|stype_in=raw_symbol|symbols=', '').replace('|snapshot=0', ''),
    ),
    [
      `A|start=${at(1)}|id=1|is_last=0\n`,
      `B|start=${at(0)}|id=2|is_last=0\n`,
      `C,F|start=${at(700)}|id=3|is_last=0\n`,
      'D|id=4|is_last=0\n',
      'E|start=0|id=5|is_last=1\n',
    ],
  );
  const many = Array.from({ length: 1_001 }, (_, n) => ({ venueSymbol: `S${n}`, start: null }));
  const sizes = subscriptionLines('trades', many).map((line) => line.split(',').length);
  assert.deepEqual(sizes, [500, 500, 1]);
});
