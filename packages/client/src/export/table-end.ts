/** Whether a table is whole, told by its last bytes: a body that just ends may have been cut. */

const PARQUET_MAGIC = [0x50, 0x41, 0x52, 0x31];
/** Of an Arrow stream: a message of no length; of CSV: what the frame that decoders skip says. */
const ARROW_END = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];
const CSV_END = Array.from('TAPELOOM-END', (sign) => sign.charCodeAt(0));
const TAIL_BYTES = CSV_END.length;
/** The magic stands at the beginning of a Parquet file too, and between them is more than this. */
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

  /** What was pushed so far ends as a whole table does. */
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
