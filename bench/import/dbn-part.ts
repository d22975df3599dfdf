/**
 * DBN trades: the decoder beside a loop that reads the same fields of the same bytes, and the
 * decoder behind zstd beside bare decompression. Pieces have the size of file stream chunks. Only
 * compared works take turns: zstd streams leave garbage that the next work would have to collect.
 */

import { createZstdDecompress, zstdCompressSync } from 'node:zlib';
import { DbnDecoder } from '@tapeloom/server/feeds/dbn/dbn-decoder';
import { dbnLoop } from '../peers/dbn-loop.ts';
import { measured } from '../shared/measure.ts';
import { DBN_TRADES as TRADES, tradesFile } from './dbn-file.ts';
import type { ImportResult } from './import-part.ts';
import { importWhole } from './import-whole.ts';

const BARE_ROUNDS = 41;
const ROUNDS = 11;
const SEALED_ROUNDS = 5;
const PIECE_BYTES = 65_536;
const RECORD_BYTES = 48;
const DECODE_SHARE_MIN = 0.5;
const SEALED_SHARE_MIN = 1 / 3;
const ZSTD_SHARE_MIN = 0.6;

export async function dbn(): Promise<ImportResult> {
  const { bytes, headBytes } = tradesFile();
  const packed = zstdCompressSync(bytes);
  const records = bytes.subarray(headBytes);
  const bare = await measured(
    BARE_ROUNDS,
    new Map<string, () => unknown>([
      ['decode', () => expectAll(decodeAll(bytes))],
      ['loop', () => loopAll(records)],
    ]),
  );
  const unpacking = await measured(
    ROUNDS,
    new Map<string, () => unknown>([
      ['from zstd', async () => expectAll(await decodePacked(packed))],
      ['decompress', () => decompress(packed)],
    ]),
  );
  const whole = await measured(
    SEALED_ROUNDS,
    new Map<string, () => unknown>([
      ['sealed', async () => expectAll(await importWhole(bytes, 'trades.dbn'))],
      ['sealed from zstd', async () => expectAll(await importWhole(packed, 'trades.dbn.zst'))],
    ]),
  );
  const times = new Map([...bare, ...unpacking, ...whole]);
  const millionPerSecond = (name: string) => TRADES / 1_000 / times.get(name)!.cpuMs;
  const row = (what: string, name: string, beside: string, peer: string, shareMin: number) => {
    const share = millionPerSecond(name) / millionPerSecond(peer);
    return [
      what,
      millionPerSecond(name),
      beside,
      millionPerSecond(peer),
      `${Math.round(share * 100)} %`,
      `${Math.round(shareMin * 100)} %`,
      share >= shareMin ? 'met' : 'missed',
    ];
  };
  return {
    rows: [
      row('DBN trades, decoded', 'decode', 'plain loop', 'loop', DECODE_SHARE_MIN),
      row('DBN trades, from zstd', 'from zstd', 'zstd alone', 'decompress', ZSTD_SHARE_MIN),
      row('DBN trades, sealed', 'sealed', 'decoded', 'decode', SEALED_SHARE_MIN),
      row(
        'DBN from zstd, sealed',
        'sealed from zstd',
        'decoded from zstd',
        'from zstd',
        SEALED_SHARE_MIN,
      ),
    ],
    notes: [
      `DBN version 3, ${TRADES.toLocaleString('en-US')} simulated trades of one contract, ${packed.length} bytes ` +
        `packed, ${bytes.length} bytes bare, in pieces of ${PIECE_BYTES} bytes.`,
      'The loop sums id, time, price, size and side of records that it takes for whole trades; it judges and keeps nothing.',
    ],
    json: Object.fromEntries(
      [...times.keys()].map((name) => [`${name} million/s`, millionPerSecond(name)]),
    ),
  };
}

function decodeAll(bytes: Uint8Array): number {
  const decoder = new DbnDecoder();
  let trades = 0;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    for (const { count } of decoder.push(bytes.subarray(at, at + PIECE_BYTES))) trades += count;
  }
  decoder.end();
  return trades;
}

function loopAll(records: Uint8Array): number {
  const pieceBytes = Math.floor(PIECE_BYTES / RECORD_BYTES) * RECORD_BYTES;
  let sum = 0;
  for (let at = 0; at < records.length; at += pieceBytes) {
    sum += dbnLoop(records.subarray(at, at + pieceBytes));
  }
  return sum;
}

async function decodePacked(packed: Uint8Array): Promise<number> {
  const decoder = new DbnDecoder();
  let trades = 0;
  for await (const piece of unpacked(packed)) {
    for (const { count } of decoder.push(piece)) trades += count;
  }
  decoder.end();
  return trades;
}

async function decompress(packed: Uint8Array): Promise<number> {
  let bytes = 0;
  for await (const piece of unpacked(packed)) bytes += piece.length;
  return bytes;
}

function unpacked(packed: Uint8Array): AsyncIterable<Uint8Array> {
  const stream = createZstdDecompress({ chunkSize: PIECE_BYTES });
  stream.end(packed);
  return stream;
}

function expectAll(trades: number): void {
  if (trades !== TRADES) throw new Error(`${trades} trades instead of ${TRADES}`);
}
