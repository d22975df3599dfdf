/** Detects from its last bytes whether a table is complete, since a body that merely ends may have been cut. */

const PARQUET_MAGIC = [0x50, 0x41, 0x52, 0x31];
/** An Arrow stream ends with a message of length 0, CSV with a skippable zstd frame that holds `TAPELOOM-END`. */
const ARROW_END = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
const CSV_END = Array.from('TAPELOOM-END', (sign) => sign.charCodeAt(0));
const TAIL_BYTES = CSV_END.length;
/** A Parquet file also begins with the magic; a complete one is longer than this. */
const PARQUET_BYTES_MIN = 12;

export class TableEnd {
  readonly #format: 'parquet' | 'arrow' | 'csv';
  #tail: readonly number[] = [];
  #length = 0;

  constructor(format: 'parquet' | 'arrow' | 'csv') {
    this.#format = format;
  }

  push(bytes: Uint8Array): void {
    this.#length += bytes.length;
    this.#tail = [...this.#tail, ...bytes.subarray(-TAIL_BYTES)].slice(-TAIL_BYTES);
  }

  /** Whether the bytes so far end as a complete table does. */
  get isReached(): boolean {
    if (this.#format === 'arrow') return endsWith(this.#tail, ARROW_END);
    if (this.#format === 'csv') return endsWith(this.#tail, CSV_END);
    return this.#length >= PARQUET_BYTES_MIN && endsWith(this.#tail, PARQUET_MAGIC);
  }
}

function endsWith(tail: readonly number[], end: readonly number[]): boolean {
  return (
    tail.length >= end.length &&
    end.every((byte, at) => tail[tail.length - end.length + at] === byte)
  );
}
