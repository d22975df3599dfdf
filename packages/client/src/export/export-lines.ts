/**
 * The lines of an export: a header, one line for each result, an end that says how many they were. Only who
 * has the end has all. Lines come in the order of their cursors, each once; what still forms comes last.
 */

import type { StreamMode } from '@tapeloom/protocol/client-messages';
import { compareCursors } from '../cursors.ts';
import type { Remove, Upsert } from '../indicator-objects.ts';
import { entryOf } from '../rest/history-entries.ts';
import { TapeloomError } from '../tapeloom-error.ts';

export interface ExportHeader {
  readonly t: 'header';
  readonly version: number;
  readonly instrument: string;
  readonly contract: string;
  /** Where its trades come from; exports of earlier versions do not say it. */
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
  /** How many results there were. */
  readonly items: number;
}

export type ExportLine<I extends string> = ExportHeader | Upsert<I> | Remove | ExportEnd;

/** Reads lines one after another, and holds each against those before it. */
export class ExportLines<I extends string> {
  #count: number;
  #last: string | null = null;

  /** `count` lines came before. */
  constructor(count: number) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  read(text: string): ExportLine<I> {
    const line = this.#parsed(text);
    if (line.t === 'upsert' || line.t === 'remove') this.#requireOrder(line);
    this.#count += 1;
    return line;
  }

  #parsed(text: string): ExportLine<I> {
    const at = this.#count;
    let value: { readonly t?: unknown; readonly items?: unknown } | null;
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
    return entry;
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

/** `at` is the number of the end's line: the header and all results are before it. */
export function requireCount(items: unknown, at: number): void {
  if (items === at - 1) return;
  throw new TapeloomError(
    'INVALID_RESPONSE',
    `The export ends after ${at - 1} results and says that they were ${String(items)}.`,
  );
}
