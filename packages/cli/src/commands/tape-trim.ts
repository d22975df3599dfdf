/** `tapeloom tape trim`: moves aside what lies after an instant on a live tape, so that a service can start again. */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  isNothing,
  planTrim,
  type TrimPlan,
  trimTape,
} from '@tapeloom/server/operations/trim-tape';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { isReadLive } from '@tapeloom/server/tape/live-dataset';
import { isSafeName } from '@tapeloom/server/tape/tape-paths';
import { COMMON_USAGE, dataDirectory, writeJson } from '../accounts/account-options.ts';
import { timeText } from '../accounts/time-text.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { confirm } from '../customer/confirm.ts';
import { dateText } from '../day-text.ts';
import { ExitCode } from '../exit-codes.ts';
import { readArgs } from '../read-args.ts';
import { whyShared } from '../tape/why-shared.ts';
import { readInstant } from '../time-options.ts';

export const tapeTrimCommand: CommandBody = {
  usage: `Usage: tapeloom tape trim --after <time> [--yes] [options]

Moves the live tape after a given time aside. A service does not start while its tape is ahead
of the clock, such as after a clock that was ahead. Everything is moved to tape/<dataset>/aside, nothing is
deleted. The log of that day is cut at the time; a sealed day cannot be cut and is moved
whole. No service may run on the directory. Imported days stay unchanged.

  --after <time>      the current, correct time, like 2026-11-18T06:32:00Z; everything later is moved
  --yes               do not ask
${COMMON_USAGE}

Examples:
  tapeloom tape trim --after 2026-11-18T06:32:00Z`,
  run,
};

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { values } = readArgs(args, {
    texts: ['after', 'data'],
    flags: ['yes', 'json'],
    words: [],
  });
  const after = readInstant('--after', values.after);
  const data = dataDirectory(values.data, io);
  const disk = new NodeDisk();
  using _lock = lockDirectory(data);
  const plans: TrimPlan[] = [];
  for (const dataset of (await disk.list(`${data}/tape`)).filter(isSafeName)) {
    if (!(await isReadLive(disk, `${data}/tape`, dataset))) continue;
    const instead = 'correct the clock of this node; the cluster needs no trim';
    const why = await whyShared(disk, `${data}/tape`, dataset, instead);
    if (why !== null) {
      io.stderr(`${why}\n`);
      return ExitCode.failure;
    }
    const plan = await planTrim({ disk, data, dataset }, after);
    if (!isNothing(plan)) plans.push(plan);
  }
  if (plans.length === 0) {
    if (values.json) writeJson(io, { trimmed: [] });
    else io.stdout(`Nothing on the tape is after ${timeText(after)}.\n`);
    return ExitCode.ok;
  }
  for (const plan of plans) io.stderr(planText(plan, after));
  if (!(await confirm(io, 'Move this aside?', values.yes))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  const trimmed: { dataset: string; aside: string }[] = [];
  for (const plan of plans) {
    const { dataset } = plan;
    trimmed.push({ dataset, aside: await trimTape({ disk, data, dataset }, after, plan) });
  }
  if (values.json) writeJson(io, { trimmed });
  else for (const { dataset, aside } of trimmed) io.stdout(`${dataset}: moved to ${aside}.\n`);
  return ExitCode.ok;
}

function planText({ dataset, logs, cutLog, sealed, wholeDay }: TrimPlan, after: EpochNs): string {
  const count = [...sealed.values()].reduce((sum, days) => sum + days.length, 0);
  const lines = [
    ...logs.map((day) => `the log of ${dateText(day)}`),
    ...(cutLog === null ? [] : [`the log of ${dateText(cutLog)} after ${timeText(after)}`]),
    ...(count === 0 ? [] : [`${count} sealed days of ${sealed.size} contracts`]),
  ];
  const whole =
    wholeDay === null
      ? ''
      : `${dateText(wholeDay)} is sealed and cannot be cut: its part before ${timeText(after)} is moved too.\n`;
  return `${dataset}: ${lines.join(', ')}.\n${whole}`;
}
