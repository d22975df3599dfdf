/** `tapeloom requests`: finds a request by the id that its response carried. */

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { accessLogFiles, accessLogPath } from '@tapeloom/server/platform/log/access-log';
import { COMMON_USAGE } from '../accounts/account-options.ts';
import { type OperatorCall, operatorCommand } from '../accounts/operator-command.ts';
import { timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { factsText } from '../table-text.ts';

const REQUEST_ID = /^req_[0-9a-f]{32}$/;

export const requestsCommand = operatorCommand({
  usage: `Usage: tapeloom requests <id> [--data <directory>] [--json]

Finds a request by its id, which is in X-Request-Id of every response and in requestId of every error document. Needs the
access log, which TAPELOOM_ACCESS_DAYS turns on; in a cluster, look on the node that responded. If a request failed,
the service's log contains the same id with the reason.

  <id>                the request's id, req_ and 32 characters
${COMMON_USAGE}

Examples:
  tapeloom requests req_0f3b6c1d2e4a5968778a0f3b6c1d2e4a`,
  words: ['the id of the request'],
  run,
});

async function run({ words, data, io, tell }: OperatorCall): Promise<number> {
  const id = words[0]!;
  if (!REQUEST_ID.test(id))
    throw new UsageError(`the id must be req_ and 32 characters; got ${id}`);
  const files = await accessLogFiles(data);
  for (const file of files) {
    const found = await lineOf(file, id);
    if (found !== null) return tell(found, factsText(factsOf(found)));
  }
  io.stderr(
    files.length === 0
      ? `there is no access log in ${accessLogPath(data)}; turn it on with TAPELOOM_ACCESS_DAYS\n`
      : `${id} is not in the access log, which has ${files.length} ${files.length === 1 ? 'day' : 'days'}\n`,
  );
  return ExitCode.notFound;
}

type Line = Readonly<Record<string, string | number | null>>;

async function lineOf(path: string, id: string): Promise<Line | null> {
  const lines = createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const line of lines) {
    // The last line of a killed process may be incomplete.
    if (line.includes(`"${id}"`) && line.endsWith('}')) return JSON.parse(line) as Line;
  }
  return null;
}

function factsOf({ at, ...others }: Line): [string, string][] {
  const facts = Object.entries(others).map(([name, value]): [string, string] => [
    name,
    value === null ? '-' : String(value),
  ]);
  return [['at', timeText(BigInt(at as string) as Parameters<typeof timeText>[0])], ...facts];
}
