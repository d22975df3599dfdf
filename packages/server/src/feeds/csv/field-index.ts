/**
 * The positions of the wanted fields of many rows in memory: one pass over the bytes, without a string per field. Every
 * row must have as many fields as the first one; otherwise the scan ends before it with a reason. Rows are lines, so a
 * line break inside quotes is rejected; empty lines are skipped.
 */

const QUOTE = 0x22;
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

interface FieldIndexOptions {
  readonly capacity: number;
  readonly delimiter: string;
  /** The slot of each column up to the last wanted one, or -1. */
  readonly slotOfColumn: Int16Array;
  /** The number of columns of every row; 0 if the first row determines it. */
  readonly columns: number;
  readonly linesBefore: number;
}

export class FieldIndex {
  readonly capacity: number;
  /** Row `row` of slot `slot` is at `slot * capacity + row`. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** For each row: its number from 1, and its position without the line end. */
  readonly numbers: Float64Array;
  readonly rowStarts: Int32Array;
  readonly rowEnds: Int32Array;
  rows = 0;
  /** Why the next row cannot be read; its position is then that of one more row. Null without a fault. */
  broken: string | null = null;
  readonly #delimiter: number;
  readonly #slotOfColumn: Int16Array;
  /** The number of columns of every row; 0 before the first row determines it. */
  columns = 0;
  lines = 0;

  constructor({ capacity, delimiter, slotOfColumn, columns, linesBefore }: FieldIndexOptions) {
    const slots = Math.max(0, ...slotOfColumn) + 1;
    this.capacity = capacity;
    this.starts = new Int32Array(slots * capacity);
    this.ends = new Int32Array(slots * capacity);
    // One more than requested, for a broken row.
    this.numbers = new Float64Array(capacity + 1);
    this.rowStarts = new Int32Array(capacity + 1);
    this.rowEnds = new Int32Array(capacity + 1);
    this.#delimiter = delimiter.charCodeAt(0);
    this.#slotOfColumn = slotOfColumn;
    this.columns = columns;
    this.lines = linesBefore;
  }

  /** Reads at most `rowsMax` complete lines between `from` and `end`; returns where it stopped. */
  scan(bytes: Uint8Array, from: number, end: number, rowsMax: number): number {
    const { starts, ends, capacity, numbers, rowStarts, rowEnds } = this;
    const delimiter = this.#delimiter;
    const slotOfColumn = this.#slotOfColumn;
    const slotColumns = slotOfColumn.length;
    let at = from;
    let rows = 0;
    let line = this.lines;
    this.broken = null;
    while (at < end && rows < rowsMax) {
      line += 1;
      rowStarts[rows] = at;
      numbers[rows] = line;
      let column = 0;
      for (;;) {
        let byte = bytes[at]!;
        while (byte === SPACE) {
          at += 1;
          byte = bytes[at]!;
        }
        let start = at;
        let stop: number;
        if (byte === QUOTE) {
          start += 1;
          stop = closingQuote(bytes, start);
          at = stop + 1;
          while (bytes[at] === SPACE || bytes[at] === CARRIAGE_RETURN) at += 1;
          byte = bytes[at]!;
          if (bytes[stop] !== QUOTE || (byte !== delimiter && byte !== LINE_FEED)) {
            this.broken = 'has a quote that does not end its field';
            at = bytes.indexOf(LINE_FEED, stop);
            break;
          }
        } else {
          let last = 0;
          while (byte !== delimiter && byte !== LINE_FEED) {
            last = byte;
            at += 1;
            byte = bytes[at]!;
          }
          stop = at;
          // Only few fields have something to trim at their end.
          if (last === SPACE || last === CARRIAGE_RETURN) {
            if (byte === LINE_FEED && last === CARRIAGE_RETURN) stop -= 1;
            while (stop > start && bytes[stop - 1] === SPACE) stop -= 1;
          }
        }
        if (column < slotColumns) {
          const slot = slotOfColumn[column]!;
          if (slot >= 0) {
            starts[slot * capacity + rows] = start;
            ends[slot * capacity + rows] = stop;
          }
        }
        column += 1;
        if (byte === LINE_FEED) break;
        at += 1;
      }
      rowEnds[rows] = at;
      at += 1;
      if (this.broken === null && column !== this.columns) {
        if (column === 1 && isBlank(bytes, rowStarts[rows]!, at)) continue;
        if (this.columns === 0 && column >= slotColumns) this.columns = column;
        else this.broken = this.#wrongCount(column);
      }
      if (this.broken !== null) break;
      rows += 1;
    }
    this.lines = line;
    this.rows = rows;
    return at;
  }

  /** Removes the rows that are not kept, and returns their number. */
  keep(isKept: Uint8Array): number {
    const { starts, ends, capacity, numbers, rowStarts, rowEnds, rows } = this;
    let to = 0;
    for (let row = 0; row < rows; row += 1) {
      if (isKept[row] === 0) continue;
      if (to !== row) {
        for (let place = 0; place < starts.length; place += capacity) {
          starts[place + to] = starts[place + row]!;
          ends[place + to] = ends[place + row]!;
        }
        numbers[to] = numbers[row]!;
        rowStarts[to] = rowStarts[row]!;
        rowEnds[to] = rowEnds[row]!;
      }
      to += 1;
    }
    // A broken row stays right after the last one.
    numbers[to] = numbers[rows]!;
    rowStarts[to] = rowStarts[rows]!;
    rowEnds[to] = rowEnds[rows]!;
    this.rows = to;
    return rows - to;
  }

  #wrongCount(columns: number): string {
    if (this.columns === 0) {
      return `has ${counted(columns)}, and column ${this.#slotOfColumn.length} is asked for`;
    }
    return `has ${counted(columns)} where the first row has ${this.columns}`;
  }
}

function counted(columns: number): string {
  return columns === 1 ? '1 column' : `${columns} columns`;
}

/** The position of the closing quote, or of the line end. */
function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    if (bytes[at] === LINE_FEED) return at;
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at;
    at += 1;
  }
}

function isBlank(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte !== SPACE && byte !== CARRIAGE_RETURN && byte !== LINE_FEED) return false;
  }
  return true;
}
