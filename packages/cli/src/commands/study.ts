/**
 * `tapeloom study`: runs a study over the sealed days of the local tape. Reads only. The log goes to
 * stdout or a file; progress and the summary go to stderr, so a pipe gets nothing but the log.
 */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import {
  extendSessionBook,
  type SessionBook,
  sessionTable,
} from '@tapeloom/core/calendar/session-book';
import type { UtcDay } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { NO_LIVE_DAYS, TapeReader } from '@tapeloom/server/tape/read/tape-reader';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import type { CommandBody, CommandIo } from '../command.ts';
import { dateText, rangesText } from '../day-text.ts';
import { dataFields } from '../entries/data-fields.ts';
import { entryText } from '../entries/entry-text.ts';
import { openTextSink } from '../entries/text-sink.ts';
import { ERASE_LINE } from '../progress-line.ts';
import { wholeText } from '../stream/text-format.ts';
import { MissingDaysError, runSettled, type SettledResult } from '../study/settled-study.ts';
import { readStudyRequest, type StudyRequest } from '../study/study-request.ts';

const PROGRESS_MS = 200;
/** Calendar days that surely hold this many sessions: holidays, weekends and a spare. */
const DAYS_PER_SESSION = 2;
const DAYS_SPARE = 14;

export const studyCommand: CommandBody = {
  usage: `Usage: tapeloom study <indicator> --tape <contract> --from <time> --to <time> [options]

Runs a study over sealed days and prints every object that became final, and every removal, after
--from and until --to, in the order of their cursors: what a stream settled in that time. Reads only;
the service may run.

  --tape <contract>   a contract (ESU6) or an alias (ES.c.0: the contract it means at --from)
  --from <time>       a date (its midnight UTC), a time like 2026-09-01T13:30:00Z, or nanoseconds
  --to <time>         likewise, not included
  --params <json>     parameters of the indicator, for example '{"bar":"volume","size":500}'
  --tail              end with the objects that still form at --to, with final false
  --format <format>   ndjson, csv or table; default: table on a terminal, else ndjson
  --json              the same as --format ndjson
  --out <file>        write there instead of to stdout
  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)

Examples:
  tapeloom study footprint --tape ES.c.0 --from 2026-09-01 --to 2026-09-02 --params '{"size":300}'
  tapeloom study large-trades --tape ESU6 --from 2026-09-01 --to 2026-09-05 --format csv --out large.csv`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const request = readStudyRequest(args, io);
  const { indicator, params, contract, from, to, hasTail } = request;
  const disk = new NodeDisk();
  const tapeRoot = `${request.data}/tape`;
  const store = new SessionStore(disk, tapeRoot, contract.dataset);
  const book = coveringBook(await store.load(contract.calendar), request);
  const text = entryText(request.format, dataFields(indicator), contract.tickSizeNanos);
  using sink = openTextSink(request.out, io);
  const progress = new Progress(io);
  try {
    const result = await runSettled(
      {
        indicator,
        params,
        symbol: contract.symbol,
        tape: new TapeReader(disk, tapeRoot, contract.dataset, NO_LIVE_DAYS),
        sessions: sessionTable(book, indicator.sessionKind(params)),
        fullSessions: sessionTable(book, 'full'),
        from,
        to,
        hasTail,
      },
      {
        entry: (entry) => sink.write(text.add(entry)),
        progress: (day, trades) => progress.show(day, trades),
      },
      io.signal,
    );
    sink.write(text.end());
    sink.finish();
    progress.finish(result);
    return 0;
  } catch (error) {
    progress.erase();
    if (!(error instanceof MissingDaysError)) throw error;
    io.stderr(missingText(error, contract.symbol));
    return 1;
  }
}

/** The sessions kept with the tape, and where they do not reach, what the calendar says. */
function coveringBook(kept: SessionBook | null, request: StudyRequest): SessionBook {
  const { contract, indicator, params, from, to } = request;
  const backDays = indicator.lookBackSessionsMax(params) * DAYS_PER_SESSION + DAYS_SPARE;
  const first = addDays(dayOf(from), -backDays);
  const last = addDays(dayOf(to), DAYS_SPARE);
  // All sessions on a sealed tape have opened: as of `to` none that is kept may change.
  return extendSessionBook(kept, calendarNamed(contract.calendar), first, last, to);
}

/** On a terminal one line that changes, elsewhere one line per day; and a summary at the end. */
class Progress {
  readonly #io: CommandIo;
  readonly #startMs = performance.now();
  #shownMs = Number.NEGATIVE_INFINITY;
  #day: UtcDay | null = null;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  show(day: UtcDay, trades: number): void {
    const nowMs = performance.now();
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

  finish({ trades, upserts, removes, warm }: SettledResult): void {
    this.erase();
    const seconds = (performance.now() - this.#startMs) / 1_000;
    const rate = wholeText(trades / Math.max(seconds, 0.001));
    const removed = removes === 0 ? '' : `, ${wholeText(removes)} removed`;
    this.#io.stderr(
      `${wholeText(upserts)} objects${removed} from ${wholeText(trades)} trades ` +
        `in ${seconds.toFixed(2)} s (${rate} trades/s)\n`,
    );
    if (!warm) {
      this.#io.stderr(
        'The tape lacks the earlier sessions this study looks back on: objects may be missing.\n',
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
  lines.push('tapeloom tape ls shows what is there; tapeloom sim fill makes simulated days.');
  return `${lines.join('\n')}\n`;
}
