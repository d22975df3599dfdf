/**
 * `tapeloom study`: runs a study over sealed days of the local tape, or over the user's own file. Reads only. Results
 * go to stdout or a file; progress and summary go to stderr, so a pipe carries results only.
 */

import { sessionTable } from '@tapeloom/core/calendar/session-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Disk } from '@tapeloom/server/platform/disk/disk';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { openStoredTape } from '@tapeloom/server/tape/read/stored-tape';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import type { CommandBody, CommandIo } from '../command.ts';
import { dateText, rangesText } from '../day-text.ts';
import { dataFields } from '../entries/data-fields.ts';
import { entryText } from '../entries/entry-text.ts';
import { LadderText } from '../entries/ladder-text.ts';
import { openTextSink } from '../entries/text-sink.ts';
import { ExitCode } from '../exit-codes.ts';
import { ERASE_LINE } from '../progress-line.ts';
import { wholeText } from '../stream/text-format.ts';
import { explainFile } from '../study/explain-file.ts';
import { fileInput } from '../study/file-input.ts';
import { FORM_USAGE } from '../study/file-options.ts';
import { MissingDaysError, runSettled, type SettledResult } from '../study/settled-study.ts';
import type { StudyInput } from '../study/study-input.ts';
import { readStudyRequest, type StudyRequest, type TapeSource } from '../study/study-request.ts';
import { coveringBook } from '../study/study-sessions.ts';

const PROGRESS_MS = 200;

export const studyCommand: CommandBody = {
  usage: `Usage: tapeloom study <indicator> --tape <contract> --from <time> --to <time> [options]
       tapeloom study <indicator> --file <file>... [options]
       tapeloom study --file <file> --explain

Computes an indicator over sealed days, or over your own file, and prints every object that became final,
and every removal, after --from and until --to, in the order of their cursors: what a stream settled
in that time. Reads only; the service may run.

  --tape <contract>   a contract (ESU6) or an alias (ES.c.0: the contract it designates at --from)
  --from <time>       a date (its midnight UTC), a time like 2026-09-01T13:30:00Z, or nanoseconds
  --to <time>         likewise, not included
  --params <json>     parameters of the indicator, for example '{"bar":"volume","size":500}'
  --tail              also print the objects that still form at --to, with final false
  --format <format>   ndjson, csv or table; default: table on a terminal, else ndjson
  --json              the same as --format ndjson
  --out <file>        write there instead of to stdout
  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)

A file needs no data directory and no --from and --to. It may be DBN, a CSV, JSON lines or Sierra
Chart's SCID, plain or packed with gzip, zstd, bzip2, xz, lz4, zip or tar, or Parquet or Arrow. Guesses
are reported; if no guess is possible, you are asked.

  --file <file>...    the file with trades, or several of one instrument; patterns work too, and - reads
                      standard input
  --no-tail           omit objects that still form where the file ends
  --product <root>    the product, like ES, with its tick and sessions; default: derived from the symbol
  --explain           compute nothing: print how the file would be read as a mapping, to edit and to
                      pass with --mapping
  --symbol <name>     the instrument, if the file has trades of several
  --tick <size>       the tick; default: derived from the symbol, else guessed from the prices
  --lot <size>        the lot; default: 1, or the finest size there is
  --calendar <name>   the calendar of sessions; default: derived from the symbol, else UTC days, round the clock
${FORM_USAGE}

Examples:
  tapeloom study footprint --file ES.dbn.zst
  tapeloom study footprint --tape ES.c.0 --from 2026-09-01 --to 2026-09-02 --params '{"size":300}'
  tapeloom study large-trades --tape ESU6 --from 2026-09-01 --to 2026-09-05 --format csv --out large.csv`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  if (args.includes('--explain')) return await explainFile(args, io);
  const request = await readStudyRequest(args, io);
  const { source } = request;
  const disk = new NodeDisk();
  if (source.kind === 'tape')
    return await runOver(await tapeInput(request, source, disk), request, io);
  const input = await fileInput(request, source, disk, io);
  return input === null ? ExitCode.failure : await runOver(input, request, io);
}

async function tapeInput(
  request: StudyRequest,
  { contract, calendar, data, from, to }: TapeSource,
  disk: Disk,
): Promise<StudyInput> {
  const { symbol, dataset, tickSizeNanos } = contract;
  const tapeRoot = `${data}/tape`;
  const kept = await new SessionStore(disk, tapeRoot, dataset).load(calendar.name);
  const book = coveringBook(kept, calendar, request, { from, to });
  const tape = await openStoredTape(disk, tapeRoot, dataset);
  return { kind: 'tape', tape, symbol, tickSizeNanos, book, from, to };
}

async function runOver(input: StudyInput, request: StudyRequest, io: CommandIo): Promise<number> {
  const { indicator, params, hasTail } = request;
  const { tape, symbol, book, from, to } = input;
  const { format } = request;
  const isLadder = format === 'table' && indicator.id === 'footprint';
  const text = isLadder
    ? new LadderText(input.tickSizeNanos, params)
    : entryText(format, dataFields(indicator), input.tickSizeNanos);
  using sink = openTextSink(request.out, io);
  const progress = new Progress(io);
  try {
    const result = await runSettled(
      {
        indicator,
        params,
        symbol,
        tape,
        sessions: sessionTable(book, indicator.sessionKind(params)),
        fullSessions: sessionTable(book, 'full'),
        from,
        to,
        hasTail,
        mayMissDays: input.kind === 'file',
      },
      {
        entry: (entry) => sink.write(text.add(entry)),
        progress: (day, trades) => progress.show(day, trades),
      },
      io.signal,
    );
    sink.write(text.end());
    sink.finish();
    progress.finish(result, input.kind);
    return ExitCode.ok;
  } catch (error) {
    progress.erase();
    if (!(error instanceof MissingDaysError)) throw error;
    io.stderr(missingText(error, symbol));
    return ExitCode.failure;
  }
}

/** On a terminal one changing line, otherwise one line per day; a summary at the end. */
class Progress {
  readonly #io: CommandIo;
  readonly #startMs: number;
  #shownMs = Number.NEGATIVE_INFINITY;
  #day: UtcDay | null = null;

  constructor(io: CommandIo) {
    this.#io = io;
    this.#startMs = io.now();
  }

  show(day: UtcDay, trades: number): void {
    const nowMs = this.#io.now();
    const shown = `${dateText(day)}  ${wholeText(trades)} trades`;
    if (!this.#io.isTerminal) {
      if (day !== this.#day) this.#io.stderr(`${shown}\n`);
      this.#day = day;
    } else if (nowMs - this.#shownMs >= PROGRESS_MS) {
      this.#shownMs = nowMs;
      this.#io.stderr(`${ERASE_LINE}${shown}`);
    }
  }

  erase(): void {
    if (this.#io.isTerminal) this.#io.stderr(ERASE_LINE);
  }

  finish(result: SettledResult, kind: StudyInput['kind']): void {
    const { trades, upserts, removes, forming, warm } = result;
    this.erase();
    const seconds = (this.#io.now() - this.#startMs) / 1_000;
    const rate = wholeText(trades / Math.max(seconds, 0.001));
    const removed = removes === 0 ? '' : `, ${wholeText(removes)} removed`;
    this.#io.stderr(
      `${wholeText(upserts)} objects${removed} from ${wholeText(trades)} trades ` +
        `in ${seconds.toFixed(2)} s (${rate} trades/s)\n`,
    );
    if (forming > 0 && kind === 'file') {
      this.#io.stderr(
        `${wholeText(forming)} of them still ${forming === 1 ? 'forms' : 'form'} where the file ends: final is false, and ▸ in a table. --no-tail leaves them out.\n`,
      );
    }
    if (!warm) {
      this.#io.stderr(
        `The ${kind} does not have the earlier sessions that this indicator needs: objects may be missing.\n`,
      );
    }
  }
}

function missingText({ days, firstSession }: MissingDaysError, symbol: string): string {
  const lines = [`${symbol} has no sealed tape of ${rangesText(days)}.`];
  if (firstSession !== null) {
    const open = new Date(Number(firstSession.open / MS_NS_BIG)).toISOString();
    lines.push(`The first session it has in this range opens at ${open}.`);
  }
  lines.push(
    'tapeloom tape ls shows the days on the tape; tapeloom sim fill generates simulated days.',
  );
  return `${lines.join('\n')}\n`;
}
