/** `tapeloom tape verify`: checks every file of the tape and reports each fault with its position. */

import { requireKnownFormat } from '@tapeloom/server/platform/disk/data-format';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { verifyTape } from '@tapeloom/server/tape/inspect/verify-tape';
import type { CommandBody, CommandIo } from '../command.ts';
import { readArgs } from '../read-args.ts';

export const tapeVerifyCommand: CommandBody = {
  usage: `Usage: tapeloom tape verify [--data <directory>] [--json]

Checks every checksum, rank and time of logs, sealed days and session books, and that every log, day
and contract of the manifest is there. Reads only; the service may run. Exits with 1 if there is an error or no tape.

  --data <directory>  the data directory (default: TAPELOOM_DATA or ./data)
  --json              one JSON object per finding and note, and a summary as the last line

Examples:
  tapeloom tape verify
  tapeloom tape verify --json || echo 'the tape needs attention'`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, { texts: ['data'], flags: ['json'], words: [] });
  const data = values.data ?? io.env.TAPELOOM_DATA ?? './data';
  requireKnownFormat(data);
  const summary = { files: 0, trades: 0, bytes: 0, findings: 0, notes: 0 };
  const showsProgress = io.isTerminal && values.json !== true;
  for await (const event of verifyTape(new NodeDisk(), `${data}/tape`)) {
    io.signal.throwIfAborted();
    if (event.type === 'file') {
      summary.files += 1;
      summary.trades += event.trades;
      summary.bytes += event.bytes;
      if (showsProgress) io.stderr(`\r\x1b[K${formatSize(summary)} … ${event.file}`);
      continue;
    }
    if (event.type === 'finding') summary.findings += 1;
    else summary.notes += 1;
    if (showsProgress) io.stderr('\r\x1b[K');
    io.stdout(
      values.json === true
        ? `${JSON.stringify(event)}\n`
        : `${event.type === 'finding' ? 'WRONG' : 'note '}  ${event.file}: ${event.what}\n`,
    );
  }
  if (showsProgress) io.stderr('\r\x1b[K');
  if (summary.files === 0) {
    io.stderr(`There is no tape in ${data}.\n`);
    return 1;
  }
  const verdict = summary.findings === 0 ? 'no errors' : `${summary.findings} wrong`;
  io.stdout(
    values.json === true
      ? `${JSON.stringify({ type: 'summary', ...summary })}\n`
      : `${formatSize(summary)}: ${verdict}\n`,
  );
  return summary.findings === 0 ? 0 : 1;
}

function formatSize(summary: {
  readonly files: number;
  readonly trades: number;
  readonly bytes: number;
}): string {
  const { files, trades, bytes } = summary;
  const number = (value: number) => value.toLocaleString('en');
  return `${number(files)} files, ${number(trades)} trades, ${number(bytes)} bytes`;
}
