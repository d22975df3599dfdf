/**
 * What changed from one version of an object's data to the next. A session of a footprint has a hundred thousand
 * versions, each a whole bar; of most, one level and a few sums are new. Applied, a change gives the same JSON again.
 */

type Row = readonly unknown[];

/** Rows ascend by their first number, as levels do. */
interface RowsChange {
  readonly field: string;
  /** Rows that are new or different. */
  readonly rows: readonly Row[];
  /** First numbers of rows that are gone. */
  readonly gone: readonly number[];
}

export interface VersionDelta {
  /** The data as a whole: there was no version before, or its fields differ. */
  readonly whole?: unknown;
  readonly fields?: readonly (readonly [string, unknown])[];
  readonly rows?: readonly RowsChange[];
}

type Data = Readonly<Record<string, unknown>>;

/** `before`: undefined: there is none. */
export function deltaOf(before: unknown, after: unknown): VersionDelta {
  if (!isData(before) || !isData(after) || !hasSameFields(before, after)) return { whole: after };
  const fields: [string, unknown][] = [];
  const rows: RowsChange[] = [];
  for (const field of Object.keys(after)) {
    const [old, now] = [before[field], after[field]];
    if (old === now) continue;
    if (isRows(old) && isRows(now)) rows.push(rowsChange(field, old, now));
    else if (JSON.stringify(old) !== JSON.stringify(now)) fields.push([field, now]);
  }
  return { fields, rows: rows.filter((change) => change.rows.length + change.gone.length > 0) };
}

export function applied(before: unknown, { whole, fields = [], rows = [] }: VersionDelta): unknown {
  if (whole !== undefined) return whole;
  const data: Record<string, unknown> = { ...(before as Data) };
  for (const [field, value] of fields) data[field] = value;
  for (const change of rows) data[change.field] = changedRows(data[change.field] as Row[], change);
  return data;
}

function rowsChange(field: string, before: readonly Row[], after: readonly Row[]): RowsChange {
  const rows: Row[] = [];
  const gone: number[] = [];
  let at = 0;
  for (const row of after) {
    const key = row[0] as number;
    for (; at < before.length && keyOf(before[at]!) < key; at += 1) gone.push(keyOf(before[at]!));
    const old = before[at];
    if (old !== undefined && keyOf(old) === key) {
      at += 1;
      if (isSameRow(old, row)) continue;
    }
    rows.push(row);
  }
  for (; at < before.length; at += 1) gone.push(keyOf(before[at]!));
  return { field, rows, gone };
}

/** Both ascend: one pass over them, in which a changed row takes the place of the old one. */
function changedRows(before: readonly Row[], { rows, gone }: RowsChange): readonly Row[] {
  const all: Row[] = [];
  let [next, out] = [0, 0];
  for (const row of before) {
    const key = keyOf(row);
    for (; next < rows.length && keyOf(rows[next]!) < key; next += 1) all.push(rows[next]!);
    const isReplaced = next < rows.length && keyOf(rows[next]!) === key;
    if (isReplaced) {
      all.push(rows[next]!);
      next += 1;
    } else if (gone[out] === key) out += 1;
    else all.push(row);
  }
  for (; next < rows.length; next += 1) all.push(rows[next]!);
  return all;
}

function keyOf(row: Row): number {
  return row[0] as number;
}

function isSameRow(a: Row, b: Row): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at]);
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasSameFields(a: Data, b: Data): boolean {
  const [old, now] = [Object.keys(a), Object.keys(b)];
  return old.length === now.length && old.every((name, at) => name === now[at]);
}

/** Lists of plain values, each beginning with a greater number than the one before. */
function isRows(value: unknown): value is readonly Row[] {
  if (!Array.isArray(value)) return false;
  let before = Number.NEGATIVE_INFINITY;
  for (const row of value) {
    if (!Array.isArray(row) || typeof row[0] !== 'number' || !(row[0] > before)) return false;
    if (row.some((item) => typeof item === 'object' && item !== null)) return false;
    before = row[0];
  }
  return true;
}
