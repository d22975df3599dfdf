/**
 * A socket in memory with a kernel's send buffer: a write that fits completes within the call, as in the kernel; any
 * other completes when the peer has read enough. The test decides how much the peer reads.
 */

import { Duplex } from 'node:stream';

type Taken = (error?: Error | null) => void;

export class PacedSocket extends Duplex {
  /** The bytes that the peer has read. */
  readonly taken: Buffer[] = [];
  bytesRead = 0;
  readonly #bufferBytes: number;
  /** Bytes in the kernel's buffer that are not read yet. */
  #buffered: Buffer[] = [];
  #untaken: { rest: Buffer; readonly taken: Taken } | null = null;

  constructor(bufferBytes: number) {
    super();
    this.#bufferBytes = bufferBytes;
  }

  /** Whether the peer has read everything written. */
  get isRead(): boolean {
    return this.#buffered.length === 0 && this.#untaken === null;
  }

  /** The peer reads this many bytes, or all there are. */
  readBytes(bytes: number): void {
    for (let rest = bytes; rest > 0; ) {
      const [first] = this.#buffered;
      if (first === undefined) return;
      const read = first.subarray(0, rest);
      rest -= read.length;
      if (read.length === first.length) this.#buffered.shift();
      else this.#buffered[0] = first.subarray(read.length);
      this.bytesRead += read.length;
      this.taken.push(read);
      this.#fill();
    }
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: Taken): void {
    this.#untaken = { rest: chunk, taken };
    this.#fill();
  }

  override _writev(writes: readonly { readonly chunk: Buffer }[], taken: Taken): void {
    this._write(Buffer.concat(writes.map(({ chunk }) => chunk)), 'utf8', taken);
  }

  #fill(): void {
    const untaken = this.#untaken;
    if (untaken === null) return;
    const room = this.#bufferBytes - this.#buffered.reduce((sum, { length }) => sum + length, 0);
    const part = untaken.rest.subarray(0, room);
    if (part.length > 0) this.#buffered.push(part);
    untaken.rest = untaken.rest.subarray(part.length);
    if (untaken.rest.length > 0) return;
    this.#untaken = null;
    untaken.taken();
  }
}
