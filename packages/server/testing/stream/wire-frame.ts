/** Builds a client's WebSocket frames, valid or not: every bit can be chosen. */

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface WireFrame {
  readonly opcode: number;
  readonly payload?: Buffer | string;
  /** Whether it is the last or only fragment; default true. */
  readonly fin?: boolean;
  /** The three reserved bits, RSV1 being 4. */
  readonly rsv?: number;
  /** Four bytes; null sends the payload unmasked, as only a server may. */
  readonly mask?: Buffer | null;
  /** Bytes of the length field: 1, 3 or 9; default: as few as needed. */
  readonly lengthBytes?: 1 | 3 | 9;
  /** The value of the length field; default: the true length. */
  readonly length?: bigint;
}

const PLAIN_MASK = Buffer.from([0x5a, 0xa5, 0x0f, 0xf1]);

export function wireFrame(frame: WireFrame): Buffer {
  const { opcode, fin = true, rsv = 0, mask = PLAIN_MASK } = frame;
  const payload = Buffer.from(frame.payload ?? '');
  const first = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  const length = lengthField(frame.length ?? BigInt(payload.length), frame.lengthBytes);
  if (mask === null) return Buffer.concat([Buffer.from([first]), length, payload]);
  length[0]! |= 0x80;
  return Buffer.concat([Buffer.from([first]), length, mask, applyMask(payload, mask)]);
}

/** Applies or removes a mask. */
export function applyMask(bytes: Buffer, mask: Buffer): Buffer {
  const result = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) result[at] = bytes[at]! ^ mask[at & 3]!;
  return result;
}

export function closeFrame(code: number, reason: Buffer | string = ''): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return wireFrame({ opcode: OPCODE.close, payload: Buffer.concat([head, Buffer.from(reason)]) });
}

/** One message in fragments of this opcode, in order. */
export function fragments(opcode: number, parts: readonly (Buffer | string)[]): readonly Buffer[] {
  return parts.map((payload, index) =>
    wireFrame({
      opcode: index === 0 ? opcode : OPCODE.continuation,
      payload,
      fin: index === parts.length - 1,
    }),
  );
}

function lengthField(length: bigint, bytes = length < 126n ? 1 : length < 65_536n ? 3 : 9): Buffer {
  const field = Buffer.alloc(bytes);
  if (bytes === 1) field[0] = Number(length);
  if (bytes === 3) field.writeUInt16BE(Number(length), 1);
  if (bytes === 9) field.writeBigUInt64BE(length, 1);
  if (bytes > 1) field[0] = bytes === 3 ? 126 : 127;
  return field;
}
