/**
 * The ceiling of a DBN decoder: a loop that only reads and sums the fields of trades. It assumes
 * that each record is a whole trade. It is called once per piece, as the decoder is, so that V8
 * compiles both equally well.
 */

const RECORD_BYTES = 48;
const HIGH = 2 ** 32;

/** Sums over the records that fill `bytes`. */
export function dbnLoop(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let ids = 0;
  let times = 0;
  let prices = 0;
  let sizes = 0;
  let sides = 0;
  for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
    ids += view.getUint32(at + 4, true);
    times += view.getUint32(at + 12, true) * HIGH + view.getUint32(at + 8, true);
    prices += view.getInt32(at + 20, true) * HIGH + view.getUint32(at + 16, true);
    sizes += view.getUint32(at + 24, true);
    sides += view.getUint8(at + 29);
  }
  return ids + times + prices + sizes + sides;
}
