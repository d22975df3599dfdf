/** `tapeloom serve --file` and `--replay`: a service in a temporary directory that is removed with the process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BY_NAME } from '@tapeloom/server/config/called-as';
import { keepSessions, writeReplay } from '@tapeloom/server/markets/replay/write-replay';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import type { CommandIo } from '../command.ts';
import { ExitCode } from '../exit-codes.ts';
import { fileReplay } from './file-replay.ts';
import { openBrowser } from './open-browser.ts';
import { type ReplayRequest, readReplayRequest } from './replay-request.ts';
import { tapeReplay } from './tape-replay.ts';

export async function runReplay(args: readonly string[], io: CommandIo): Promise<number> {
  const request = readReplayRequest(args, io);
  const data = mkdtempSync(join(tmpdir(), 'tapeloom-replay-'));
  const remove = () => {
    if (!request.isKept) rmSync(data, { recursive: true, force: true });
  };
  // Covers the second signal, which ends the process at once.
  process.once('exit', remove);
  try {
    return await play(request, data, io);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

async function play(request: ReplayRequest, data: string, io: CommandIo): Promise<number> {
  const { source, from, serviceArgs, isHeld, exitsAtEnd, isKept, opensChart } = request;
  const disk = new NodeDisk();
  const replay =
    source.kind === 'file'
      ? await fileReplay(source, from, disk, io)
      : await tapeReplay(source, from, disk, io);
  if (replay === null) return ExitCode.failure;
  const { plan, days, sessions } = replay;
  const options = await writeReplay(disk, data, plan, days);
  if (sessions !== null) await keepSessions(disk, data, plan, sessions);
  io.signal.throwIfAborted();
  io.stderr(
    isKept
      ? `The data directory ${data} is kept afterwards.\n`
      : `The data directory ${data} is removed afterwards; --keep keeps it.\n`,
  );
  const { runProcess } = await import('@tapeloom/server/serve');
  const market = { kind: 'replay', ...options, isHeld } as const;
  const onChart = (link: string) => {
    if (opensChart) openBrowser(link, io);
  };
  return await runProcess(serviceArgs, BY_NAME, { market, data, exitsAtEnd, onChart });
}
