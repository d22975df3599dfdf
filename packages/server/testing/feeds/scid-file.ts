/** Sierra Chart's intraday files. */

const HEAD_BYTES = 56;
const RECORD_BYTES = 40;
/** From 1899-12-30 to 1970. */
const EPOCH_US = 25_569n * 86_400_000_000n;

export interface ScidRecord {
  /** Microseconds since 1970. */
  readonly us: bigint;
  readonly price: number;
  readonly bidVolume: number;
  readonly askVolume: number;
  /** 0 for a single trade. */
  readonly open?: number;
  readonly trades?: number;
  readonly volume?: number;
}

export function scidFile(records: readonly ScidRecord[]): Uint8Array {
  const bytes = Buffer.alloc(HEAD_BYTES + records.length * RECORD_BYTES);
  bytes.write('SCID', 'latin1');
  bytes.writeUInt32LE(HEAD_BYTES, 4);
  bytes.writeUInt32LE(RECORD_BYTES, 8);
  bytes.writeUInt16LE(1, 12);
  for (const [index, record] of records.entries()) {
    const { us, price, bidVolume, askVolume, open = 0, trades = 1 } = record;
    const at = HEAD_BYTES + index * RECORD_BYTES;
    bytes.writeBigInt64LE(us + EPOCH_US, at);
    bytes.writeFloatLE(open, at + 8);
    bytes.writeFloatLE(price, at + 12);
    bytes.writeFloatLE(price, at + 16);
    bytes.writeFloatLE(price, at + 20);
    bytes.writeUInt32LE(trades, at + 24);
    bytes.writeUInt32LE(record.volume ?? bidVolume + askVolume, at + 28);
    bytes.writeUInt32LE(bidVolume, at + 32);
    bytes.writeUInt32LE(askVolume, at + 36);
  }
  return bytes;
}
