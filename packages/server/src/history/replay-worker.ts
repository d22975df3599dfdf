/**
 * The replays' thread: joins `StudyReplays` to the tape's port and to its parent. Bytes of pages are moved
 * to the parent, not copied. What fails is told twice: to the operator with its cause, to who asked
 * without it.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { NodeDisk } from '../platform/node-disk.ts';
import { TapeFollower } from '../tape/tape-follower.ts';
import type { Replay, ReplayRequest } from './replay.ts';
import { NotOnTapeError, ReplayClosedError, ReplaysFullError } from './replay-errors.ts';
import type { FromReplayWorker, ReplayWorkerData, ToReplayWorker } from './replay-wire.ts';
import { SessionTables } from './session-tables.ts';
import { StudyReplays } from './study-replays.ts';

/** A replay from the moment it is asked for; it may be closed before it is open. */
interface Held {
  readonly request: ReplayRequest;
  readonly opening: Promise<Replay>;
}

const parent = parentPort!;
const setup = workerData as ReplayWorkerData;
const tables = new SessionTables(setup.sessions);
const held = new Map<number, Held>();

const tape = await TapeFollower.connect(
  new NodeDisk(),
  setup.tapeRoot,
  setup.dataset,
  setup.tapePort,
);
const replays = new StudyReplays({
  tape,
  indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
  sessionsOf: (contract, kind) => tables.of(contract, kind),
  yieldTurn: () => turn(),
});
parent.on('message', receive);

function receive(message: ToReplayWorker): void {
  switch (message.t) {
    case 'locate':
      void answer(message.call, null, locate(message));
      return;
    case 'open':
      void answer(message.call, message.request, open(message));
      return;
    case 'next':
      void answer(message.call, held.get(message.replay)?.request ?? null, next(message));
      return;
    case 'close':
      void close(message.replay);
      return;
    case 'sessions':
      tables.replace(message.sessions);
      return;
    default:
      throw new RangeError(`no such message: ${JSON.stringify(message satisfies never)}`);
  }
}

async function locate({
  call,
  contract,
  cursor,
}: Extract<ToReplayWorker, { t: 'locate' }>): Promise<FromReplayWorker> {
  return { t: 'located', call, place: await replays.locate(contract, cursor) };
}

async function open({
  call,
  replay,
  request,
}: Extract<ToReplayWorker, { t: 'open' }>): Promise<FromReplayWorker> {
  const opening = replays.open(request);
  held.set(replay, { request, opening });
  try {
    await opening;
    return { t: 'opened', call };
  } catch (error) {
    held.delete(replay);
    throw error;
  }
}

async function next({
  call,
  replay,
  until,
}: Extract<ToReplayWorker, { t: 'next' }>): Promise<FromReplayWorker> {
  const opened = await held.get(replay)?.opening;
  if (opened === undefined) throw new ReplayClosedError();
  return { t: 'page', call, page: await opened.next(until ?? undefined) };
}

async function close(replay: number): Promise<void> {
  const found = held.get(replay);
  held.delete(replay);
  try {
    await (await found?.opening)?.[Symbol.asyncDispose]();
  } catch (error) {
    // Who asked was told when it could not be opened.
    if (!isExpected(error)) send({ t: 'fault', error, request: found!.request });
  }
}

async function answer(
  call: number,
  request: ReplayRequest | null,
  work: Promise<FromReplayWorker>,
): Promise<void> {
  try {
    send(await work);
  } catch (error) {
    if (!isExpected(error)) send({ t: 'fault', error, request });
    send({ t: 'refused', call, why: whyOf(error) });
  }
}

function send(message: FromReplayWorker): void {
  if (message.t === 'page') parent.postMessage(message, [message.page.bytes.buffer]);
  else parent.postMessage(message);
}

function isExpected(error: unknown): boolean {
  return error instanceof ReplayClosedError || whyOf(error) !== 'failed';
}

function whyOf(error: unknown) {
  if (error instanceof ReplaysFullError) return 'full';
  return error instanceof NotOnTapeError ? 'not-on-tape' : 'failed';
}
