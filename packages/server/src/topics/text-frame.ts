/** A server's WebSocket text frame (RFC 6455, 5.2): unfragmented, unmasked, with the shortest length form. */

const FIN_AND_TEXT = 0x81;
const LENGTH_16_BITS = 126;
const LENGTH_64_BITS = 127;
/** Server messages stay far below this; the upper half of the 64-bit length is always 0. */
const PAYLOAD_BYTES_MAX = 2 ** 32 - 1;

/** A whole frame around one JSON text. */
export function textFrame(text: string): Buffer {
  const payloadBytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headerBytes(payloadBytes) + payloadBytes);
  frame.write(text, writeHeader(frame, 0, payloadBytes));
  return frame;
}

export function headerBytes(payloadBytes: number): number {
  if (payloadBytes < LENGTH_16_BITS) return 2;
  return payloadBytes < 65_536 ? 4 : 10;
}

/** Writes the header of a frame with this payload at `at`, and returns where the payload starts. */
export function writeHeader(target: Buffer, at: number, payloadBytes: number): number {
  if (payloadBytes > PAYLOAD_BYTES_MAX) throw new RangeError(`a frame of ${payloadBytes} bytes`);
  target[at] = FIN_AND_TEXT;
  if (payloadBytes < LENGTH_16_BITS) {
    target[at + 1] = payloadBytes;
    return at + 2;
  }
  if (payloadBytes < 65_536) {
    target[at + 1] = LENGTH_16_BITS;
    return target.writeUInt16BE(payloadBytes, at + 2);
  }
  target[at + 1] = LENGTH_64_BITS;
  target.writeUInt32BE(0, at + 2);
  return target.writeUInt32BE(payloadBytes, at + 6);
}
