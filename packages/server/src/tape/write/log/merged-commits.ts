/**
 * Merges several commits of a day's log into one: the same trades and notes in order, and the last watermark. A replay
 * gives the same state. Held trades are settled commit by commit, so a commit with held trades stays alone.
 */

import { type LoggedNote, noteBytes } from '../notes/logged-note.ts';
import { COMMIT_NOTE_BYTES_MAX } from '../notes/note-taker.ts';
import type { Commit, CommitContract, CommitSection } from './log-payload.ts';

export class MergedCommits {
  readonly #rowsMax: number;
  readonly #take: (commit: Commit) => void;
  #contracts: CommitContract[] = [];
  /** By index of the contract, in the order of arrival. */
  #sections = new Map<number, CommitSection[]>();
  #notes: LoggedNote[] = [];
  #noteBytes = 0;
  #rows = 0;
  /** Null while nothing is pending. */
  #promiseNs: number | null = null;

  /** `take` must not keep anything of a commit beyond its call. */
  constructor(rowsMax: number, take: (commit: Commit) => void) {
    this.#rowsMax = rowsMax;
    this.#take = take;
  }

  /** Keeps none of the commit's columns beyond this call. */
  add(commit: Commit): void {
    const rows = commit.sections.reduce((sum, { count }) => sum + count, 0);
    if (commit.held.length > 0) {
      this.flush();
      this.#take(commit);
      return;
    }
    const bytes = commit.notes.reduce((sum, note) => sum + noteBytes(note), 0);
    const isFull = this.#rows + rows > this.#rowsMax;
    if (isFull || this.#noteBytes + bytes > COMMIT_NOTE_BYTES_MAX) this.flush();
    this.#contracts.push(...commit.contracts);
    for (const section of commit.sections) {
      const before = this.#sections.get(section.index);
      if (before === undefined) this.#sections.set(section.index, [copyOf(section)]);
      else before.push(copyOf(section));
    }
    this.#notes.push(...commit.notes);
    this.#noteBytes += bytes;
    this.#rows += rows;
    this.#promiseNs = commit.promiseNs;
  }

  /** Hands everything that was added to `take`. */
  flush(): void {
    if (this.#promiseNs === null) return;
    const sections = [...this.#sections.values()].map(joined);
    const [promiseNs, contracts, notes] = [this.#promiseNs, this.#contracts, this.#notes];
    this.#take({ promiseNs, contracts, sections, held: [], notes });
    this.#contracts = [];
    this.#notes = [];
    this.#noteBytes = 0;
    this.#sections = new Map();
    this.#rows = 0;
    this.#promiseNs = null;
  }
}

function copyOf(section: CommitSection): CommitSection {
  return {
    ...section,
    ts: section.ts.slice(),
    id: section.id?.slice() ?? null,
    late: section.late?.slice() ?? null,
    price: section.price.slice(),
    size: section.size.slice(),
    side: section.side.slice(),
  };
}

function joined(sections: readonly CommitSection[]): CommitSection {
  const [first] = sections;
  if (sections.length === 1) return first!;
  const count = sections.reduce((sum, section) => sum + section.count, 0);
  const whole = {
    ts: new Float64Array(count),
    id: new Float64Array(count),
    late: new Float64Array(count),
    price: new Int32Array(count),
    size: new Int32Array(count),
    side: new Int8Array(count),
  };
  let at = 0;
  for (const section of sections) {
    whole.ts.set(section.ts, at);
    whole.id.set(idsOf(section), at);
    if (section.late !== null) whole.late.set(section.late, at);
    whole.price.set(section.price, at);
    whole.size.set(section.size, at);
    whole.side.set(section.side, at);
    at += section.count;
  }
  const { index, firstRank, firstId } = first!;
  const isRow = whole.id.every((id, row) => id === firstId + row);
  const hasLate = sections.some(({ late }) => late !== null);
  return {
    ...{ index, firstRank, count, firstId, ...whole },
    id: isRow ? null : whole.id,
    late: hasLate ? whole.late : null,
  };
}

/** The feed number of every row. */
export function idsOf({ id, firstId, count }: CommitSection): Float64Array {
  return id ?? Float64Array.from({ length: count }, (_, row) => firstId + row);
}
