/** A note as the log has it. A gap carries both its beginning on the tape and the one that the source named. */

//   gap:      1 u32 · flags u32 · from i64 · asked i64 · to i64 · first number f64 · last number f64 · symbol · reason
//   position: 2 u32 · 0 u32 · key · text
//   batch:    3 u32 · 0 u32 · id · digest

import type { EpochNs } from '@tapeloom/core/numbers';
import type { TapeGap } from '../../tape-gap.ts';
import type { RecordWriter } from '../log/log-record.ts';
import type { PayloadReader } from '../log/payload-reader.ts';
import type { TapeNote } from '../tape-note.ts';

const KINDS = { gap: 1, position: 2, batch: 3 } as const;
const HAS_TO = 1;
const HAS_FIRST = 2;
const HAS_LAST = 4;
/** Beside the two texts: kind and flags, the texts' lengths and padding, a gap's five numbers. */
const FIXED_BYTES = 8 + 2 * 16 + 5 * 8;

export interface LoggedGap {
  readonly kind: 'gap';
  readonly gap: TapeGap;
  /** The `from` that the source named: it may lie before that of the gap. Either names the gap. */
  readonly asked: EpochNs;
}

export type LoggedNote = LoggedGap | Exclude<TapeNote, { readonly kind: 'gap' }>;

export const NO_NOTES: readonly LoggedNote[] = [];

/** At least its bytes in a record. */
export function noteBytes(note: LoggedNote | TapeNote): number {
  const [a, b] = textsOf(note);
  return FIXED_BYTES + Buffer.byteLength(a) + Buffer.byteLength(b);
}

export function writeNote(record: RecordWriter, note: LoggedNote): void {
  record.uint32(KINDS[note.kind]);
  if (note.kind === 'gap') writeGap(record, note);
  else record.uint32(0);
  for (const text of textsOf(note)) record.text(text);
}

/** A RangeError means that it cannot be read. */
export function readNote(reader: PayloadReader): LoggedNote {
  const kind = reader.uint32();
  const flags = reader.uint32();
  if (kind === KINDS.gap) return readGap(reader, flags);
  const [name, text] = [reader.text(), reader.text()];
  if (kind === KINDS.position) return { kind: 'position', key: name, text };
  if (kind === KINDS.batch) return { kind: 'batch', id: name, digest: text };
  throw new RangeError(`there are no notes of kind ${kind}`);
}

function textsOf(note: LoggedNote | TapeNote): readonly [string, string] {
  switch (note.kind) {
    case 'gap':
      return [note.gap.symbol, note.gap.reason];
    case 'position':
      return [note.key, note.text];
    case 'batch':
      return [note.id, note.digest];
    default: {
      const never: never = note;
      throw new Error(`no such note: ${JSON.stringify(never)}`);
    }
  }
}

function writeGap(record: RecordWriter, { gap, asked }: LoggedGap): void {
  const { from, to, firstId, lastId } = gap;
  record.uint32(
    (to === null ? 0 : HAS_TO) |
      (firstId === null ? 0 : HAS_FIRST) |
      (lastId === null ? 0 : HAS_LAST),
  );
  record.int64(from);
  record.int64(asked);
  record.int64(to ?? 0n);
  record.float64(firstId ?? 0);
  record.float64(lastId ?? 0);
}

function readGap(reader: PayloadReader, flags: number): LoggedGap {
  const from = reader.int64() as EpochNs;
  const asked = reader.int64() as EpochNs;
  const to = reader.int64() as EpochNs;
  const firstId = reader.float64();
  const lastId = reader.float64();
  const symbol = reader.text();
  const gap: TapeGap = {
    symbol,
    from,
    to: (flags & HAS_TO) === 0 ? null : to,
    firstId: (flags & HAS_FIRST) === 0 ? null : firstId,
    lastId: (flags & HAS_LAST) === 0 ? null : lastId,
    reason: reader.text(),
  };
  return { kind: 'gap', gap, asked };
}
