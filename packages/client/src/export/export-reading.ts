/**
 * An export as it comes: parsed lines, or the bytes of its file. It goes on by itself after a cut, and a cut is
 * never taken for the end. Who breaks off an iteration and begins another one goes on where he was.
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

/** Lines of JSON compressed with zstd, or a table; CSV, compressed too, where the data has no lists. */
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

/** Lines of several indicators in one file; a table has one. */
export interface StudiesExportRequest extends StudiesRequest, ExportOptions {
  readonly format?: 'ndjson';
}

interface ExportOptions {
  /** The same export asked for again with the same text is charged once, within 24 hours. */
  readonly idempotencyKey?: string;
  /** Goes on with an export that began earlier, within 24 hours: what was `place` then. */
  readonly resume?: ExportPlace;
}

/** How far an export has come; with it another program can go on. */
export interface ExportPlace {
  readonly token: string;
  /** Complete lines, the header included. */
  readonly lines: number;
  /** Of a table: bytes. */
  readonly bytes: number;
}

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

  /** Of the service, for 24 hours; null before its first answer. */
  get token(): string | null {
    return this.#attempts.token;
  }

  /** Complete lines that were handed out, the header and the end included; of a table none. */
  get lines(): number {
    return this.#lines;
  }

  /** Bytes of the file that `bytes()` handed out. */
  get length(): number {
    return this.#bytes;
  }

  /** Of the newest result that was handed out: how far the range is read. Null before it, and of a table. */
  get time(): bigint | null {
    return this.#time;
  }

  /** Of several studies the one of that result, by its place in the request; else 0. */
  get study(): number {
    return this.#study;
  }

  /** All there is was handed out. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** What `resume` of another export takes to go on here; null while there is no token. */
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

  /** The final objects alone. */
  finals(): Finals<I> {
    return new Finals(this as unknown as AsyncIterable<ExportLine<I>>);
  }

  /** All lines, the header and the end included, once they have come. */
  toArray(): Promise<Line[]> {
    return arrayOf(this);
  }

  /** The file, in pieces: of lines whole zstd frames, each of whole lines; of a table as they come. */
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

  /** Complete lines, one after another, of as many answers as it takes; whoever reads them knows the end. */
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

  /** Whole frames, likewise. What was cut within a frame is asked for again. */
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

  /** One answer from the next line on, in parts of frames with what they expand to. */
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

/** Of a result's line, in whose head they stand; other lines have none. */
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
