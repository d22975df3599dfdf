/**
 * Counts the messages a server sends without parsing them: a frame's header gives the start of the
 * next frame, and two letters of the text give the kind. Frames may be cut anywhere.
 */

const TEXT = 0x81;
const CLOSE = 0x88;
/** The bytes of a text frame up to the second letter of its kind: `{"t":"up`. */
const KIND_BYTES = 8;

export class FrameCounter {
  /** `upsert` messages. */
  upserts = 0;
  /** All other messages. */
  others = 0;
  snapshots = 0;
  bytes = 0;
  /** The code of the close frame, if one came. */
  closeCode: number | null = null;
  #rest: Buffer | null = null;
  /** Bytes of the current frame that are still to come. */
  #skip = 0;

  readonly take = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    let bytes = chunk;
    let at = 0;
    if (this.#rest !== null) {
      bytes = Buffer.concat([this.#rest, chunk]);
      this.#rest = null;
    } else if (this.#skip > 0) {
      at = Math.min(this.#skip, bytes.length);
      this.#skip -= at;
    }
    while (at < bytes.length) {
      const next = this.#frame(bytes, at);
      if (next < 0) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return;
      }
      if (next > bytes.length) this.#skip = next - bytes.length;
      at = next;
    }
  };

  /** Where the frame at `at` ends; negative when too little of it has arrived. */
  #frame(bytes: Buffer, at: number): number {
    if (at + 2 > bytes.length) return -1;
    const short = bytes[at + 1]!;
    const header = short < 126 ? 2 : short === 126 ? 4 : 10;
    const opcode = bytes[at]!;
    const start = at + header;
    const needed = opcode === TEXT ? KIND_BYTES : opcode === CLOSE ? 2 : 0;
    if (start + needed > bytes.length) return -1;
    const payload =
      header === 2
        ? short
        : header === 4
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    if (opcode === TEXT) this.#count(bytes[start + 6]!, bytes[start + 7]!);
    else if (opcode === CLOSE) this.closeCode = bytes.readUInt16BE(start);
    return start + payload;
  }

  #count(first: number, second: number): void {
    if (first === 0x75) this.upserts += 1;
    else this.others += 1;
    if (first === 0x73 && second === 0x6e) this.snapshots += 1;
  }
}
