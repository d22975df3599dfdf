/** `tapeloom tape trim`: sets aside what lies on a live tape after an instant, so that a service can start again. */

import type { EpochNs } from '@tapeloom/core/numbers';
import {
  isNothing,
  planTrim,
  type TrimPlan,
  trimTape,
} from '@tapeloom/server/operations/trim-tape';
import { lockDirectory } from '@tapeloom/server/platform/disk/directory-lock';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { isImported } from '@tapeloom/server/tape/imported/imported-manifest';
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

Sets aside what lies on the live tape after a time: a service refuses to start while its tape lies ahead
of the clock, as after a clock that was ahead. Everything is moved to tape/<dataset>/aside, nothing is
deleted. The log of that day is cut at the time; a day that is sealed already cannot be cut and goes
whole. No service may run on the directory. Imported days are left alone.

  --after <time>      what lies later goes; the time your clock shows now, like 2026-11-18T06:32:00Z
  --yes               go on without a question
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
    if (await isImported(disk, `${data}/tape`, dataset)) continue;
    const instead = 'set the clock of this node, and the nodes agree on the rest';
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
    else io.stdout(`Nothing on the tape lies after ${timeText(after)}.\n`);
    return ExitCode.ok;
  }
  for (const plan of plans) io.stderr(planText(plan, after));
  if (!(await confirm(io, 'Set this aside?', values.yes))) {
    io.stderr('Nothing was changed.\n');
    return ExitCode.failure;
  }
  const trimmed: { dataset: string; aside: string }[] = [];
  for (const plan of plans) {
    const { dataset } = plan;
    trimmed.push({ dataset, aside: await trimTape({ disk, data, dataset }, after, plan) });
  }
  if (values.json) writeJson(io, { trimmed });
  else for (const { dataset, aside } of trimmed) io.stdout(`${dataset}: it is in ${aside} now.\n`);
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
      : `${dateText(wholeDay)} is sealed and cannot be cut: what lies before ${timeText(after)} goes too.\n`;
  return `${dataset}: ${lines.join(', ')}.\n${whole}`;
}
