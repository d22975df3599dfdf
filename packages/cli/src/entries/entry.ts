/** One entry of an indicator's log, as history, exports and studies return it. Times are nanoseconds as text. */

export interface UpsertEntry {
  readonly t: 'upsert';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data: unknown;
}

export interface RemoveEntry {
  readonly t: 'remove';
  readonly cursor: string;
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
}

/** The state at the start of a recording. */
export interface SnapshotEntry {
  readonly t: 'snapshot';
  readonly cursor: string;
  readonly items: readonly Pick<UpsertEntry, 'id' | 'final' | 'ts' | 'data'>[];
}

export type Entry = UpsertEntry | RemoveEntry | SnapshotEntry;
