/**
 * An export while it downloads: parsed lines, or the bytes of its file. It resumes by itself after a cut, and never
 * takes a cut for the end. If you leave an iteration, the next one continues where you stopped.
 */

import { arrayOf, Finals } from '../finals.ts';
import type { IndicatorName } from '../indicator-objects.ts';
import type { ClientOptions } from '../options.ts';
import {
  type PastRequest,
  pastQuery,
  type StudiesRequest,
  type StudyRequest,
} from '../rest/history-request.ts';
import type { ServiceHttp } from '../rest/service-http.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { CountedLines, joined } from './counted-lines.ts';
import { ExportAttempts } from './export-attempts.ts';
import { type ExportLine, ExportLines, requireCount, type StudyLine } from './export-lines.ts';
import { TableEnd } from './table-end.ts';
import { TextLines } from './text-lines.ts';
import { type FrameExpander, type MakeExpander, zstdExpanders } from './zstd-expanders.ts';
import { notZstd, ZstdFrames } from './zstd-frames.ts';

/** `ndjson`: JSON lines, compressed with zstd. The others are tables; `csv`, also zstd, needs data without lists. */
export type ExportFormat = 'ndjson' | 'parquet' | 'arrow' | 'csv';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/zstd',
  parquet: 'application/vnd.apache.parquet',
  arrow: 'application/vnd.apache.arrow.stream',
  csv: 'application/zstd',
};
const END_LINE = '{"t":"end"';
const TIME =
  /^\{"t":"(?:upsert|remove)",(?:"indicator":"[^"]*","study":(\d+),)?"cursor":"[\d.]+","id":"[^"]*","final":(?:true|false),"ts":"(\d+)"/;

export interface ExportRequest<I extends string = IndicatorName>
  extends PastRequest<I>,
    ExportOptions {
  readonly format?: ExportFormat;
}

/** An export of several indicators in one file of lines. Tables hold one indicator only. */
export interface StudiesExportRequest extends StudiesRequest, ExportOptions {
  readonly format?: 'ndjson';
}

interface ExportOptions {
  /** Repeating the export with the same text within 24 hours is charged once. */
  readonly idempotencyKey?: string;
  /** The `place` of an earlier reading: resumes that export, up to 24 hours after it started. */
  readonly resume?: ExportPlace;
}

/** How far an export has been read. Another program can resume it from here. */
export interface ExportPlace {
  readonly token: string;
  /** Complete lines, including the header. */
  readonly lines: number;
  /** Bytes of a table. */
  readonly bytes: number;
}

/** An export: iterate over its lines, or over `bytes()` to store its file. It resumes by itself after a cut. */
export class ExportReading<
  I extends string = IndicatorName,
  Line extends ExportLine<I> | StudyLine = ExportLine<I>,
> implements AsyncIterable<Line>
{
  readonly format: ExportFormat;
  readonly #studies: readonly StudyRequest[] | null;
  readonly #attempts: ExportAttempts;
  readonly #makeExpander: MakeExpander | null;
  readonly #signal: AbortSignal | undefined;
  readonly #http: ServiceHttp;
  #lines: number;
  #bytes: number;
  #isWhole = false;
  #time: bigint | null = null;
  #study = 0;

  constructor(
    http: ServiceHttp,
    request: ExportRequest<I> | StudiesExportRequest,
    options: Pick<ClientOptions, 'decompressZstd'>,
  ) {
    const { format = 'ndjson', idempotencyKey, resume, signal } = request;
    if (!Object.hasOwn(CONTENT_TYPES, format)) {
      throw new TapeloomError('CONFIGURATION', `There is no export format "${String(format)}".`);
    }
    this.#http = http;
    this.format = format;
    this.#studies = 'studies' in request ? request.studies : null;
    this.#signal = signal;
    this.#lines = resume?.lines ?? 0;
    this.#bytes = resume?.bytes ?? 0;
    this.#makeExpander = format === 'ndjson' ? zstdExpanders(options.decompressZstd) : null;
    const query = { ...pastQuery(request as unknown as ExportRequest), format: request.format };
    this.#attempts = new ExportAttempts({
      http,
      first: { path: '/v1/export', query, signal, idempotencyKey },
      contentType: CONTENT_TYPES[format],
      token: resume?.token ?? null,
    });
  }

  /** The service's token for resuming, valid for 24 hours; null before the first response. */
  get token(): string | null {
    return this.#attempts.token;
  }

  /** Complete lines read so far, including the header and the end; 0 for a table. */
  get lines(): number {
    return this.#lines;
  }

  /** Bytes of the file that `bytes()` has given you. */
  get length(): number {
    return this.#bytes;
  }

  /** The time of the newest result read, as a measure of progress. Null before the first, and for a table. */
  get time(): bigint | null {
    return this.#time;
  }

  /** The index in the request of the study of that result; 0 if there is one study. */
  get study(): number {
    return this.#study;
  }

  /** Whether you have read the whole export. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Pass this as `resume` of another export to continue here; null before there is a token. */
  get place(): ExportPlace | null {
    const { token } = this;
    return token === null ? null : { token, lines: this.#lines, bytes: this.#bytes };
  }

  /** The header, the results, the end. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Line, void, undefined> {
    if (this.#isWhole) return;
    const read = new ExportLines<I>(this.#lines, this.#studies);
    for await (const text of this.#texts(this.#expanders())) {
      const line = read.read(text);
      if (line.t === 'header') this.#http.catalogue.look(line);
      this.#lines = read.count;
      this.#isWhole = line.t === 'end';
      if (line.t === 'upsert') this.#time = line.object.ts;
      this.#study = line.study ?? this.#study;
      yield line as Line;
      if (this.#isWhole) return;
      this.#signal?.throwIfAborted();
    }
  }

  /** Only the final objects. */
  finals(): Finals<I> {
    return new Finals(this as unknown as AsyncIterable<ExportLine<I>>);
  }

  /** All lines, including the header and the end. Resolves when the export is complete. */
  toArray(): Promise<Line[]> {
    return arrayOf(this);
  }

  /** The file in pieces: for `ndjson` whole zstd frames of whole lines, for a table whatever arrives. */
  bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    return this.format === 'ndjson' ? this.#frames() : this.#tableBytes(this.format);
  }

  async *#frames(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isWhole) return;
    for await (const { bytes, lines } of this.#wholeFrames(this.#expanders())) {
      this.#lines += lines.count;
      this.#bytes += bytes.length;
      const last = lines.lastText;
      if (last.startsWith(END_LINE)) {
        requireCount(JSON.parse(last).items, this.#lines - 1);
        this.#isWhole = true;
      } else {
        const { time, study } = placeIn(last);
        this.#time = time ?? this.#time;
        this.#study = study ?? this.#study;
      }
      yield bytes;
      if (this.#isWhole) return;
      this.#signal?.throwIfAborted();
    }
  }

  async *#tableBytes(
    format: 'parquet' | 'arrow' | 'csv',
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const end = new TableEnd(format);
    while (!this.#isWhole) {
      try {
        for await (const piece of this.#answer({ byte: String(this.#bytes) })) {
          this.#bytes += piece.length;
          this.#attempts.noteProgress();
          end.push(piece);
          yield piece;
        }
        if (!end.isReached) throw cutShort();
        this.#isWhole = true;
      } catch (error) {
        await this.#attempts.recover(error);
      }
    }
  }

  /** Complete lines over as many responses as it takes. It never ends by itself: the caller recognizes the end line. */
  async *#texts(expanders: MakeExpander): AsyncGenerator<string, never, undefined> {
    for (;;) {
      const lines = new TextLines();
      try {
        for await (const { expanded } of this.#parts(expanders)) {
          for (const bytes of expanded) {
            const texts = lines.push(bytes);
            if (texts.length > 0) this.#attempts.noteProgress();
            yield* texts;
          }
        }
        throw cutShort();
      } catch (error) {
        await this.#attempts.recover(error);
      }
    }
  }

  /** Whole frames, likewise. A frame that was cut is requested again. */
  async *#wholeFrames(
    expanders: MakeExpander,
  ): AsyncGenerator<{ bytes: Uint8Array; lines: CountedLines }, never, undefined> {
    for (;;) {
      let frame: Uint8Array[] = [];
      let lines = new CountedLines();
      try {
        for await (const { bytes, expanded, isEnd } of this.#parts(expanders)) {
          frame.push(bytes);
          for (const piece of expanded) lines.push(piece);
          if (!isEnd) continue;
          if (lines.isWithinLine) throw notZstd('a frame ends within a line');
          if (lines.count > 0) this.#attempts.noteProgress();
          yield { bytes: joined(frame), lines };
          frame = [];
          lines = new CountedLines();
        }
        throw cutShort();
      } catch (error) {
        await this.#attempts.recover(error);
      }
    }
  }

  /** One response from the next line on: parts of frames, each with its decompressed bytes. */
  async *#parts(expanders: MakeExpander) {
    const frames = new ZstdFrames();
    let expander: FrameExpander | null = null;
    try {
      for await (const piece of this.#answer({ line: String(this.#lines) })) {
        for (const { bytes, isEnd } of frames.push(piece)) {
          expander ??= expanders();
          const expanded = await expander.push(bytes);
          if (!isEnd) {
            yield { bytes, expanded, isEnd };
            continue;
          }
          const rest = await expander.end();
          expander = null;
          yield { bytes, expanded: [...expanded, ...rest], isEnd };
        }
      }
    } finally {
      expander?.abandon();
    }
  }

  async *#answer(place: Readonly<Record<string, string>>) {
    const answer = await this.#attempts.open(place);
    try {
      for (let piece = await answer.next(); piece !== null; piece = await answer.next())
        yield piece;
    } finally {
      answer.dispose();
    }
  }

  #expanders(): MakeExpander {
    if (this.#makeExpander !== null) return this.#makeExpander;
    throw new TapeloomError(
      'CONFIGURATION',
      `A table has no lines: take the bytes() of an export as ${this.format}.`,
    );
  }
}

/** The time and the study in the head of a result line; other lines have neither. */
function placeIn(line: string) {
  const [, study, time] = TIME.exec(line) ?? [];
  return {
    time: time === undefined ? null : BigInt(time),
    study: study === undefined ? null : Number(study),
  };
}

function cutShort(): TapeloomError {
  return new TapeloomError('NETWORK', 'GET /v1/export: the answer ended before the export did.');
}
