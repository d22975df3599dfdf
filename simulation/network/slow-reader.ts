/** An HTTP client in memory that reads as many bytes as a test says: no kernel buffer hides how slowly it reads. */

import type { Server } from 'node:http';
import { Duplex } from 'node:stream';

type Taken = (error?: Error | null) => void;

export class SlowReader extends Duplex {
  readonly remoteAddress: string;
  #taken = 0;
  /** The part of the present write that is not read yet. */
  #pending: Buffer = Buffer.alloc(0);
  /** How much of the present write is read. */
  #takenOfPending = 0;
  #done: Taken | null = null;
  readonly #received: Buffer[] = [];

  constructor(server: Server, remoteAddress = '203.0.113.9') {
    super({ writableHighWaterMark: 65_536 });
    this.remoteAddress = remoteAddress;
    this.on('error', () => {});
    const { get } = Object.getOwnPropertyDescriptor(Duplex.prototype, 'writableLength')!;
    Object.defineProperty(this, 'writableLength', {
      get: () => (get!.call(this) as number) - this.#takenOfPending,
    });
    server.emit('connection', this);
  }

  /** All written bytes, as a socket counts them. */
  get bytesWritten(): number {
    return this.#taken + this.writableLength;
  }

  /** All bytes read so far. */
  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  ask(...requests: readonly string[]): this {
    this.push(requests.join(''));
    return this;
  }

  /** Reads at most this many bytes, of those already there. */
  consume(bytes: number): void {
    for (let left = bytes; left > 0 && this.#pending.length > 0; ) {
      const piece = this.#pending.subarray(0, left);
      left -= piece.length;
      this.#received.push(Buffer.from(piece));
      this.#pending = this.#pending.subarray(piece.length);
      this.#taken += piece.length;
      this.#takenOfPending += piece.length;
      if (this.#pending.length === 0) this.#finishWrite();
    }
  }

  resetAndDestroy(): void {
    this.destroy();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Taken): void {
    this.#pending = chunk;
    this.#done = done;
    if (chunk.length === 0) this.#finishWrite();
  }

  #finishWrite(): void {
    const done = this.#done!;
    this.#done = null;
    this.#takenOfPending = 0;
    done();
  }
}
