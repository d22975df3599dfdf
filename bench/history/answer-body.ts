/**
 * Parses the bytes of one HTTP/1.1 response as they arrive: its status, and its body without chunk
 * headers. It retains none of the memory it is given.
 */

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';
/** How many bytes are searched at once for the end of a line. */
const LINE_BYTES = 256;

export class AnswerBody {
  status = 0;
  isComplete = false;
  readonly #take: (part: Uint8Array) => void;
  /** The part of a head, or of a line between chunks, that has arrived. */
  #text = '';
  #state: 'head' | 'body' | 'chunk size' | 'chunk end' | 'trailer' = 'head';
  /** Bytes of the body or chunk that are still to come. */
  #left = 0;
  #isChunked = false;

  /** `take` receives each part of the body, in memory that it must not retain. */
  constructor(take: (part: Uint8Array) => void) {
    this.#take = take;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.isComplete; ) {
      at += this.#state === 'body' ? this.#body(bytes, at) : this.#line(bytes, at);
    }
  }

  /** Returns how many bytes it consumed, as `#line` does. */
  #body(bytes: Buffer, at: number): number {
    const taken = Math.min(this.#left, bytes.length - at);
    this.#take(bytes.subarray(at, at + taken));
    this.#left -= taken;
    if (this.#left > 0) return taken;
    if (this.#isChunked) this.#state = 'chunk end';
    else this.isComplete = true;
    return taken;
  }

  #line(bytes: Buffer, at: number): number {
    const before = this.#text.length;
    const end = this.#state === 'head' ? HEAD_END : LINE_END;
    this.#text += bytes.toString('latin1', at, at + LINE_BYTES);
    const found = this.#text.indexOf(end);
    if (found === -1) return this.#text.length - before;
    const line = this.#text.slice(0, found);
    this.#text = '';
    this.#said(line);
    return found + end.length - before;
  }

  #said(line: string): void {
    switch (this.#state) {
      case 'head':
        this.#begin(line);
        return;
      case 'chunk end':
        this.#state = 'chunk size';
        return;
      case 'chunk size':
        this.#left = Number.parseInt(line, 16);
        this.#state = this.#left === 0 ? 'trailer' : 'body';
        return;
      default:
        this.isComplete = line === '';
    }
  }

  #begin(head: string): void {
    this.status = Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#isChunked = /\r\ntransfer-encoding: chunked/i.test(head);
    const length = /\r\ncontent-length: (\d+)/i.exec(head);
    if (!this.#isChunked && length === null) throw new Error(`an answer without an end: ${head}`);
    this.#left = this.#isChunked ? 0 : Number(length![1]);
    this.#state = this.#isChunked ? 'chunk size' : 'body';
    this.isComplete = !this.#isChunked && this.#left === 0;
  }
}
