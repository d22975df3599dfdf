/**
 * The lines of an export: a header, one line per result, and an end line with the number of results. An export without
 * its end line is incomplete. Lines are in cursor order without duplicates; objects that are not final come last. An
 * export of several studies has all lines of the first study, then all lines of the next.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { compareCursors } from '../cursors.ts';
import type { IndicatorName, Remove, Upsert } from '../indicator-objects.ts';
import type { IndicatorId } from '../indicator-types.ts';
import type { ListedGaps } from '../rest/answers.ts';
import { entryOf } from '../rest/history-entries.ts';
import type { StudyRequest } from '../rest/history-request.ts';
import { TapeloomError } from '../tapeloom-error.ts';

export interface ExportHeader extends ListedGaps {
  readonly t: 'header';
  readonly version: number;
  readonly instrument: string;
  readonly contract: string;
  /** The dataset of the trades. Exports of earlier service versions do not have it. */
  readonly dataset?: string;
  readonly tickSizeNanos: number;
  readonly indicator: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly mode: StreamMode;
  /** Nanoseconds since 1970, as text. */
  readonly from: string;
  readonly to: string;
  readonly engineFingerprint: string;
  readonly lookBackFrom?: string | null;
}

export interface ExportEnd {
  readonly t: 'end';
  /** The number of results. */
  readonly items: number;
}

export type ExportLine<I extends string> = ExportHeader | Upsert<I> | Remove | ExportEnd;

/** The header of an export of several studies. */
export interface StudiesHeader extends Omit<ExportHeader, 'indicator' | 'params' | 'lookBackFrom'> {
  readonly studies: readonly {
    readonly indicator: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly lookBackFrom: string | null;
  }[];
}

/** The study that a line belongs to, in an export of several studies. */
export interface OfStudy<I extends string = IndicatorName> {
  readonly indicator: I;
  /** The index of the study in the request. */
  readonly study: number;
}

/** A line of an export of several studies. `indicator` determines the type of the data. */
export type StudyLine =
  | StudiesHeader
  | { [I in IndicatorId]: Upsert<I> & OfStudy<I> }[IndicatorId]
  | (Remove & OfStudy)
  | ExportEnd;

type ReadLine<I extends string> = ExportLine<I> & Partial<OfStudy>;

/** Parses lines in order and checks each against the lines before it. */
export class ExportLines<I extends string> {
  readonly #studies: readonly StudyRequest[] | null;
  #count: number;
  #study = 0;
  #last: string | null = null;

  /** `count`: lines read earlier. `studies`: null for an export of one study. */
  constructor(count: number, studies: readonly StudyRequest[] | null) {
    this.#count = count;
    this.#studies = studies;
  }

  get count(): number {
    return this.#count;
  }

  /** A line for `ExportReading`; with several studies it carries the fields of `OfStudy`. */
  read(text: string): ReadLine<I> {
    const line = this.#parsed(text);
    if (line.t === 'upsert' || line.t === 'remove') this.#requireOrder(line);
    this.#count += 1;
    return line;
  }

  #parsed(text: string): ReadLine<I> {
    const at = this.#count;
    let value: (Partial<OfStudy> & { readonly t?: unknown; readonly items?: unknown }) | null;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw this.#wrong('is not JSON', error);
    }
    if ((value?.t === 'header') !== (at === 0)) throw this.#wrong('is not where it belongs');
    if (at === 0) return value as ExportHeader;
    if (value?.t === 'end') {
      requireCount(value.items, at);
      return value as ExportEnd;
    }
    const entry = entryOf<I>(value, `Line ${at} of the export`);
    if (entry.t === 'snapshot') throw this.#wrong('is a snapshot, which exports do not have');
    return this.#studies === null ? entry : { ...entry, ...this.#studyOf(value!) };
  }

  #studyOf({ indicator, study = -1 }: Partial<OfStudy>): OfStudy {
    if (study < this.#study || this.#studies?.[study]?.indicator !== indicator) {
      throw this.#wrong('is of no study that is due there');
    }
    if (study > this.#study) this.#last = null;
    this.#study = study;
    return { indicator: indicator!, study };
  }

  #requireOrder(line: Upsert<I> | Remove): void {
    if (line.t === 'upsert' && !line.object.final) return;
    if (this.#last !== null && compareCursors(line.cursor, this.#last) <= 0) {
      throw this.#wrong(`repeats what came before: ${line.cursor} after ${this.#last}`);
    }
    this.#last = line.cursor;
  }

  #wrong(what: string, cause?: unknown): TapeloomError {
    const message = `Line ${this.#count} of the export ${what}.`;
    return new TapeloomError('INVALID_RESPONSE', message, cause === undefined ? {} : { cause });
  }
}

/** `at` is the index of the end line: the header and all results precede it. */
export function requireCount(items: unknown, at: number): void {
  if (items === at - 1) return;
  throw new TapeloomError(
    'INVALID_RESPONSE',
    `The export ends after ${at - 1} results and says that they were ${String(items)}.`,
  );
}
