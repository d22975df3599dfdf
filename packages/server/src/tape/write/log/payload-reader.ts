/** Reads a record's payload from its start. A RangeError means that it is shorter than its own counts require. */

export class PayloadReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  uint32(): number {
    return this.#view.getUint32(this.#skip(4), true);
  }

  float64(): number {
    return this.#view.getFloat64(this.#skip(8), true);
  }

  int64(): bigint {
    return this.#view.getBigInt64(this.#skip(8), true);
  }

  text(): string {
    const length = this.uint32();
    this.uint32();
    const text = new TextDecoder().decode(this.bytes(length));
    this.pad();
    return text;
  }

  bytes(count: number): Uint8Array {
    const from = this.#skip(count);
    return this.#bytes.subarray(from, from + count);
  }

  float64s(count: number): Float64Array {
    const from = this.#skip(count * 8);
    return new Float64Array(this.#bytes.buffer, this.#bytes.byteOffset + from, count);
  }

  int32s(count: number): Int32Array {
    const from = this.#skip(count * 4);
    return new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset + from, count);
  }

  int8s(count: number): Int8Array {
    const from = this.#skip(count);
    return new Int8Array(this.#bytes.buffer, this.#bytes.byteOffset + from, count);
  }

  pad(): void {
    this.#at = Math.ceil(this.#at / 8) * 8;
  }

  #skip(count: number): number {
    const from = this.#at;
    if (from + count > this.#bytes.length) throw new RangeError('the payload ends too early');
    this.#at = from + count;
    return from;
  }
}
