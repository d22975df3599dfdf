/**
 * `tapeloom history`: an indicator's history from the service, page by page, as JSON lines, CSV or a table. Nothing is
 * charged before the user has seen and accepted the cost. Results go to stdout or a file, all else to stderr.
 */

import { createClock } from '@tapeloom/server/platform/system-clock';
import { type Command, type CommandIo, UsageError } from '../command.ts';
import { CUSTOMER_USAGE, customerClient } from '../customer/customer-options.ts';
import { dataFields } from '../entries/data-fields.ts';
import { defaultFormat, ENTRY_FORMATS, readFormat } from '../entries/entry-format.ts';
import { openTextSink } from '../entries/text-sink.ts';
import { ExitCode } from '../exit-codes.ts';
import { costRefusal, unitsText } from '../history/cost-question.ts';
import { gapsText } from '../history/gaps-text.ts';
import { QUERY_OPTIONS, QUERY_USAGE, QUERY_WORDS, readQuery } from '../history/history-query.ts';
import { type HistoryRead, readHistory } from '../history/read-history.ts';
import { saySummary } from '../history/summary.ts';
import { readArgs } from '../read-args.ts';
import { wholeText } from '../stream/text-format.ts';

export const historyCommand: Command = {
  path: ['history'],
  summary: "An indicator's past: shows the cost, then the results.",
  usage: `Usage: tapeloom history <instrument> <indicator> --from <time> [--to <time>] [options]

Shows the cost of the range, asks, and prints every object that became final, and every removal, in the
order of their cursors. If you stop it with ctrl-c, only the results read so far are charged.

${QUERY_USAGE}
  --snapshot          the state at --from, then every version that a stream published
  --limit <n>         stop after this many results (default: all); only results that are read are charged
  --format ndjson|csv|table  default: table on a terminal, else ndjson
  --out <file>        write there instead of to stdout; the file appears when it is complete
  --yes               do not ask; required without a terminal, unless it costs nothing
${CUSTOMER_USAGE}

With --json the last line is one JSON object with computeUnits, objects, bytes and sha256: on stdout with
--out, else on stderr, so that stdout contains only results.

CSV has the columns t, cursor, id, final, ts and the fields of the indicator's data as the catalogue lists
them; lists are JSON, prices are in ticks, times in nanoseconds since 1970 UTC. The table shows prices.

Examples:
  tapeloom history ES.c.0 footprint --from 2026-11-12 --to 2026-11-13 --params '{"size":300}'
  tapeloom history BTC.c.0 bars --from 2026-11-12 --to 2026-11-13 --yes --format csv --out bars.csv
  tapeloom history ESZ6 large-trades --from 2026-11-12T14:30:00Z --limit 100 --yes | jq .data.size`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const given = readArgs(args, {
    texts: [...QUERY_OPTIONS, 'limit', 'format', 'out'],
    flags: ['json', 'snapshot', 'yes'],
    words: QUERY_WORDS,
  });
  const { values } = given;
  const query = {
    ...readQuery(given, createClock({ kind: 'system' }).now()),
    ...(values.snapshot ? { snapshot: true as const } : {}),
  };
  if (query.studies !== undefined) {
    throw new UsageError('history reads one indicator at a time; tapeloom export takes several');
  }
  const resultsMax = values.limit === undefined ? null : readLimit(values.limit);
  const out = values.out ?? null;
  const isQuiet = values.json;
  const format = readFormat(
    values.format ?? (isQuiet ? 'ndjson' : defaultFormat(out, io)),
    ENTRY_FORMATS,
  );
  await using client = await customerClient(values, io);
  // Opened first: an unwritable file must fail before anything is charged.
  using sink = openTextSink(out, io);
  const { signal } = io;
  const estimate = await client.estimate({ ...query, signal });
  const question = { query, estimate, isMost: resultsMax !== null, isQuiet };
  const refusal = await costRefusal({ ...question, isAgreed: values.yes }, io);
  if (refusal !== null) return refusal;
  if (!isQuiet) io.stderr(gapsText(estimate));
  const fields =
    format === 'ndjson' ? [] : dataFields(await client.indicator(query.indicator, { signal }));
  const { computeUnits } = estimate;
  const wanted = { query, resultsMax, format, fields, computeUnits, isQuiet };
  const read = await readHistory(client, wanted, sink, io);
  const { instrument, indicator } = query;
  const { gaps, gapsTotal } = estimate;
  const facts = { instrument, indicator, ...read, gaps, gapsTotal };
  saySummary({ out, isJson: isQuiet, sentence: sentenceOf(read, out), facts }, io);
  return ExitCode.ok;
}

function sentenceOf({ objects, computeUnits, seconds }: HistoryRead, out: string | null): string {
  const counted = `${wholeText(objects)} object${objects === 1 ? '' : 's'}`;
  const rate = wholeText(objects / Math.max(seconds, 0.001));
  const where = out === null ? '' : ` in ${out}`;
  return `${counted}${where} for ${unitsText(computeUnits)}, ${seconds.toFixed(1)} s (${rate} objects/s).`;
}

function readLimit(text: string): number {
  const limit = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (limit >= 1) return limit;
  throw new UsageError(`--limit must be a whole number of results, 1 or more; got ${text}`);
}
