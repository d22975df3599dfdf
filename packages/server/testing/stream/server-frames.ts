/** Parses a server's WebSocket bytes as a client does: complete, unmasked, unfragmented frames. */

export interface ServerFrame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export const TEXT_OPCODE = 1;
export const CLOSE_OPCODE = 8;

/** The complete frames at the start of these bytes, and the rest: an incomplete frame. */
export function serverFrames(bytes: Buffer): {
  readonly frames: readonly ServerFrame[];
  readonly rest: Buffer;
} {
  const frames: ServerFrame[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const [first, short] = [bytes[at]!, bytes[at + 1]!];
    if ((first & 0xf0) !== 0x80) throw new Error('a server never fragments its frames');
    if (short >= 128) throw new Error('a server never masks its frames');
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (at + header > bytes.length) break;
    const end = at + header + payloadBytes(bytes, at, header);
    if (end > bytes.length) break;
    frames.push({ opcode: first & 0x0f, payload: bytes.subarray(at + header, end) });
    at = end;
  }
  return { frames, rest: bytes.subarray(at) };
}

/** The texts of all frames, which must be complete. */
export function frameTexts(bytes: Buffer): readonly string[] {
  const { frames, rest } = serverFrames(bytes);
  if (rest.length > 0) throw new Error('the last frame is not whole');
  return frames.map(({ opcode, payload }) => {
    if (opcode !== TEXT_OPCODE) throw new Error(`a frame with opcode ${opcode}`);
    return payload.toString();
  });
}

function payloadBytes(bytes: Buffer, at: number, header: number): number {
  if (header === 2) return bytes[at + 1]!;
  return header === 4 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
}
