/**
 * Reads a pushed DBN body, packed with zstd or not. DBN has no trade numbers that grow per contract, so the n-th record
 * of the body gets the number `firstId` + n - 1. A record without a place on the tape refuses the whole batch.
 */

import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MIB } from '@tapeloom/core/units';
import { dayNumber, epochNs } from '@tapeloom/core/utc-day';
import { DbnDecoder } from '../dbn/dbn-decoder.ts';
import { FeedError, type FeedTrades } from '../feed-trades.ts';
import { invalidBatch, PushRefusal } from './push-refusal.ts';
import type { PushRows } from './push-rows.ts';
import { contractOf, lotsOf, requireTime, ticksOf } from './read-push-line.ts';

/** More than 200,000 trades of the schema `trades` have; other schemas have larger records. */
const UNPACKED_BYTES_MAX = 128 * MIB;
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** The shortest record: a piece of this length completes at most one. */
const PIECE_BYTES = 16;
/** What the decoder leaves out without a loss of trades. */
const HARMLESS = / records$|^book records /;

const unpackZstd = promisify(zstdDecompress);

export async function unpackedDbn(body: Uint8Array): Promise<Uint8Array> {
  if (!ZSTD_MAGIC.every((byte, at) => body[at] === byte)) return body;
  try {
    return await unpackZstd(body, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') {
      const message = `The body expands to more than ${UNPACKED_BYTES_MAX} bytes. Send fewer trades.`;
      throw new PushRefusal('TOO_LARGE', { line: null, path: '', message });
    }
    const why = (error as Error).message;
    throw invalidBatch(null, '', `The zstd body is cut or damaged: ${why}. Send it again.`);
  }
}

export function readPushDbn(bytes: Uint8Array, firstId: number, rows: PushRows): void {
  const decoder = new DbnDecoder();
  try {
    for (const trades of decoder.push(bytes)) addTrades(decoder, trades, firstId, rows);
    decoder.end();
  } catch (error) {
    if (!(error instanceof FeedError)) throw error;
    throw invalidBatch(error.row, '', error.message);
  }
  if (leftOutBy(decoder) !== null) throw leftOutRecord(bytes);
}

function addTrades(
  { instruments }: DbnDecoder,
  trades: FeedTrades,
  firstId: number,
  rows: PushRows,
): void {
  const { count, days, ns, prices, priceDecimals, sizes, sizeDecimals, sides } = trades;
  for (let row = 0; row < count; row += 1) {
    const record = trades.rowOf(row);
    const instrument = instruments[trades.instruments[row]!]!;
    const day = days[row] as UtcDay;
    const instant = epochNs(day, ns[row]!);
    requireTime(instant, record, '/ts_event', rows);
    if (instrument.symbol === null) {
      throw invalidBatch(
        record,
        '/instrument_id',
        `is ${instrument.instrumentId}, and neither the head of the body nor a record before it names its symbol. ` +
          'Send the symbol mappings with the trades.',
      );
    }
    const contract = contractOf(rows, instrument.symbol, instant, record);
    const id = firstId + record - 1;
    if (!Number.isSafeInteger(id)) {
      throw invalidBatch(record, 'firstId', 'is so large that the numbers are no longer exact.');
    }
    const lots = lotsOf(contract, { mantissa: sizes[row]!, decimals: sizeDecimals }, record);
    const ticks = ticksOf(contract, { mantissa: prices[row]!, decimals: priceDecimals }, record);
    rows.add(contract, dayNumber(day), ns[row]!, id, ticks, lots, sides[row]!);
  }
}

/** Names trades that the decoder left out; null if there are none. */
function leftOutBy({ counts }: DbnDecoder): string | null {
  for (const what of counts.keys()) if (!HARMLESS.test(what)) return what;
  return null;
}

/** Decodes again, record by record, to find the one that was left out. */
function leftOutRecord(bytes: Uint8Array): PushRefusal {
  const decoder = new DbnDecoder();
  let what: string | null = null;
  for (let at = 0; at < bytes.length && what === null; at += PIECE_BYTES) {
    for (const _ of decoder.push(bytes.subarray(at, at + PIECE_BYTES)));
    what = leftOutBy(decoder);
  }
  return invalidBatch(
    decoder.records,
    '',
    `is among "${what}", which have no place on the tape. Leave such records out of the batch.`,
  );
}
