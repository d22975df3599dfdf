/**
 * `tapeloom export`: downloads an indicator's history as a file. After a lost connection, a kill or a reboot, the same
 * command resumes without a second charge. It ends with the file's digest.
 */

import { type Estimate, type TapeloomClient, TapeloomError } from '@tapeloom/client';
import type { Command, CommandIo } from '../command.ts';
import { CUSTOMER_USAGE, customerClient } from '../customer/customer-options.ts';
import { ExitCode } from '../exit-codes.ts';
import { costRefusal, unitsText } from '../history/cost-question.ts';
import { type ExportDone, ExportRun } from '../history/export-run.ts';
import { readTarget, requireWritable } from '../history/export-target.ts';
import { gapsText } from '../history/gaps-text.ts';
import {
  FIXED_QUERY_USAGE,
  type HistoryQuery,
  QUERY_OPTIONS,
  QUERY_WORDS,
  readQuery,
} from '../history/history-query.ts';
import { saySummary } from '../history/summary.ts';
import { readArgs } from '../read-args.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';

export const exportCommand: Command = {
  path: ['export'],
  summary: "Download an indicator's history as a file; resumes after an interruption.",
  usage: `Usage: tapeloom export <instrument> <indicator> --from <time> [--to <time>] [options]

Shows the cost of the range, asks, and downloads all of it into a file. A lost connection is resumed
automatically. After ctrl-c, a kill or a reboot run the same command again within 24 hours: it resumes where
it stopped and is not charged again. The file appears under its name when it is complete.

${FIXED_QUERY_USAGE}
  --format ndjson|csv|table|parquet|arrow  default: ndjson, compressed with zstd; parquet and arrow are
                      for indicators whose data is flat
  --expand            ndjson without compression
  --out <file>        where to write (default: a name derived from the query, in this directory)
  --force             start again: replace the existing file or partial file
  --yes               do not ask; required without a terminal, unless it costs nothing
${CUSTOMER_USAGE}

With --json the last line on stdout is one JSON object with contract, computeUnits, objects, bytes and sha256.

Examples:
  tapeloom export ES.c.0 footprint --from 2026-11-01 --to 2026-11-08
  tapeloom export ES.c.0 bars --from 2026-11-01 --to 2026-11-08 --format parquet --out bars.parquet --yes
  tapeloom export BTC.c.0 large-trades --from 2026-11-01 --format csv --yes --json | jq -r .sha256`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const given = readArgs(args, {
    texts: [...QUERY_OPTIONS, 'format', 'out'],
    flags: ['json', 'expand', 'force', 'yes'],
    words: QUERY_WORDS,
  });
  const { values } = given;
  const query = readQuery(given, null);
  const target = readTarget(values, query);
  requireWritable(target);
  const isJson = values.json;
  const isAgreed = values.yes;
  await using client = await customerClient(values, io);
  const run = new ExportRun({ client, query, target, isQuiet: isJson }, io);
  const isBegun = await run.find();
  let estimate: Estimate | null = null;
  if (!isBegun) {
    estimate = await estimated(client, query, isAgreed, io);
    const question = { query, isAgreed, isMost: false, isQuiet: isJson };
    const refusal = estimate && (await costRefusal({ ...question, estimate }, io));
    if (refusal !== null) return refusal;
    if (!isJson && estimate !== null) io.stderr(gapsText(estimate));
  }
  const done = await run.finish();
  const computeUnits = isBegun ? 0 : (estimate?.computeUnits ?? null);
  const { instrument, indicator } = query;
  const facts = { instrument, indicator, ...done, computeUnits, isResumed: isBegun };
  const sentence = sentenceOf(done, target.path, computeUnits);
  saySummary({ out: target.path, isJson, sentence, facts }, io);
  return ExitCode.ok;
}

/** Null for a key with the scope `export` alone, which may not estimate: `--yes` then proceeds without an estimate. */
async function estimated(
  client: TapeloomClient,
  query: HistoryQuery,
  isAgreed: boolean,
  { signal }: CommandIo,
): Promise<Estimate | null> {
  try {
    return await client.estimate({ ...query, signal });
  } catch (error) {
    if (isAgreed && error instanceof TapeloomError && error.code === 'FORBIDDEN') return null;
    throw error;
  }
}

function sentenceOf(done: ExportDone, path: string, units: number | null): string {
  const { objects, bytes, sha256, seconds } = done;
  const cost = units === null ? '' : ` for ${unitsText(units)}`;
  const what = `${wholeText(objects)} object${objects === 1 ? '' : 's'}, ${sizeText(bytes)}`;
  return `${path}: ${what}${cost}, ${seconds.toFixed(1)} s.\nsha-256 ${sha256}`;
}
