/**
 * Decodes trades from a text of rows, without I/O: bytes in pieces of any length in, batches of trades out, in file
 * order. The result does not depend on the pieces. A row that cannot be read ends decoding with an error that names the
 * earliest such row; rows dropped on purpose are counted.
 */

import type { CsvMapping } from '../feed-mapping.ts';
import {
  type FeedCounts,
  FeedError,
  type FeedInstrument,
  type FeedTrades,
} from '../feed-trades.ts';
import { printedText } from '../printed-text.ts';
import { CsvColumns } from './csv-columns.ts';
import { textOf } from './number-fields.ts';
import { Reading, ROWS_CUT } from './reading.ts';

const BATCH_ROWS = 8_192;
/** The bytes examined at once. */
const PIECE_BYTES = 256 * 1_024;
/** After a row that is not ordinary, this many rows use the general reader before ordinary ones are expected again. */
const OTHER_ROWS = 512;
const ROW_BYTES_MAX = 64 * 1_024;
const LINE_FEED = 0x0a;
const NO_LINE_END = 'last row without a line end (was the file cut?)';
const ONE_INSTRUMENT: readonly FeedInstrument[] = [{ symbol: null, skipped: null }];

export class CsvDecoder {
  readonly #mapping: CsvMapping;
  readonly #batchRows: number;
  readonly #isHeaderAdded: boolean;
  readonly #counts = new Map<string, number>();
  /** Bytes not read yet: the start of a row, or a whole piece. */
  readonly #pending = new Uint8Array(PIECE_BYTES + ROW_BYTES_MAX);
  #pendingBytes = 0;
  #columns: CsvColumns | null = null;
  #count = 0;

  /** `batchRows`: the maximum of trades in a batch. A header added to a file does not count as a row of it. */
  constructor(mapping: CsvMapping, batchRows = BATCH_ROWS, isHeaderAdded = false) {
    this.#mapping = mapping;
    this.#batchRows = batchRows;
    this.#isHeaderAdded = isHeaderAdded;
  }

  get instruments(): readonly FeedInstrument[] {
    return this.#columns?.instruments ?? ONE_INSTRUMENT;
  }

  get counts(): FeedCounts {
    return this.#counts;
  }

  /** Takes the next piece. A batch is valid until the next one is requested. */
  *push(bytes: Uint8Array): Generator<FeedTrades> {
    for (let from = 0; from < bytes.length; ) {
      const room = Math.min(PIECE_BYTES, this.#pending.length - this.#pendingBytes);
      const piece = bytes.subarray(from, from + room);
      this.#pending.set(piece, this.#pendingBytes);
      this.#pendingBytes += piece.length;
      from += piece.length;
      // Only new bytes can complete a row.
      const lineEnd = piece.lastIndexOf(LINE_FEED);
      const end = lineEnd === -1 ? 0 : this.#pendingBytes - piece.length + lineEnd + 1;
      if (end > 0) {
        yield* this.#readLines(end);
        this.#pending.copyWithin(0, end, this.#pendingBytes);
        this.#pendingBytes -= end;
      }
      if (this.#pendingBytes >= ROW_BYTES_MAX) {
        throw new FeedError(
          `A row is longer than ${ROW_BYTES_MAX} bytes: this is no text of trades.`,
        );
      }
    }
  }

  *finish(): Generator<FeedTrades> {
    if (this.#pendingBytes > 0) {
      this.#counts.set(NO_LINE_END, 1);
      this.#pending[this.#pendingBytes] = LINE_FEED;
      yield* this.#readLines(this.#pendingBytes + 1);
      this.#pendingBytes = 0;
    }
    if (this.#count > 0) yield this.#takeBatch();
  }

  *#readLines(end: number): Generator<FeedTrades> {
    const bytes = this.#pending;
    let at = 0;
    if (this.#columns === null) {
      at = beginOf(bytes);
      const lineEnd = bytes.indexOf(LINE_FEED, at);
      const firstLine = textOf(bytes, at, lineEnd);
      this.#columns = new CsvColumns(this.#mapping, firstLine, this.#batchRows);
      if (this.#mapping.hasHeader) at = lineEnd + 1;
      if (this.#isHeaderAdded) this.#columns.fields.lines = 0;
    }
    const columns = this.#columns;
    const { fields } = columns;
    while (at < end) {
      const to = columns.readOrdinary(bytes, at, end, this.#count, this.#batchRows);
      at = columns.ordinaryEnd;
      this.#count = columns.keepSized(this.#count, to, this.#counts);
      const room = this.#batchRows - this.#count;
      if (room === 0) {
        yield this.#takeBatch();
        columns.restart();
        continue;
      }
      at = fields.scan(bytes, at, end, Math.min(room, OTHER_ROWS));
      yield* this.#readRows(columns);
      if (fields.broken !== null) throw this.#brokenRow(fields.rows, fields.broken);
    }
  }

  *#readRows(columns: CsvColumns): Generator<FeedTrades> {
    const { fields } = columns;
    columns.drop(this.#pending, this.#counts);
    for (let from = 0; from < fields.rows; ) {
      const reading = new Reading(fields.rows);
      columns.read(this.#pending, from, this.#count, reading);
      const { reason, end } = reading;
      if (reason !== null && reason !== ROWS_CUT) throw this.#brokenRow(end, reason);
      this.#count = columns.keepSized(this.#count, this.#count + end - from, this.#counts);
      from = end;
      if (this.#count === this.#batchRows || reason === ROWS_CUT) {
        if (this.#count > 0) yield this.#takeBatch();
        columns.restart();
      }
    }
  }

  #takeBatch(): FeedTrades {
    const batch = this.#columns!.batch(this.#count);
    this.#count = 0;
    return batch;
  }

  #brokenRow(place: number, reason: string): FeedError {
    const { numbers, rowStarts, rowEnds } = this.#columns!.fields;
    const row = numbers[place]!;
    const text = textOf(this.#pending, rowStarts[place]!, rowEnds[place]!).trimEnd();
    return new FeedError(
      `Row ${row} ${printedText(reason)}. The row is: ${printedText(text)}`,
      row,
    );
  }
}

/** The start of the text, after a UTF-8 byte order mark. */
function beginOf(bytes: Uint8Array): number {
  const [first, second, third] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new FeedError('This text is UTF-16: save it as UTF-8.');
  }
  return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0;
}
