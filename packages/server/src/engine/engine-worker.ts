/**
 * The engine's thread: connects an `Engine` to the tape's port and to its parent, and makes it report its positions
 * once a second. The memory of blocks is moved to the parent, not copied.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import { NodeDisk } from '../platform/disk/node-disk.ts';
import { RetryingDisk } from '../platform/disk/retrying-disk.ts';
import { collectAfterRushes } from '../platform/memory/collect-garbage.ts';
import { createClock } from '../platform/system-clock.ts';
import { ThreadDesk } from '../platform/threads/thread-desk.ts';
import { FaultRetry } from '../platform/waiting/fault-retry.ts';
import { SessionTables } from '../runs/session-tables.ts';
import { followTapes, openImportedTapes, RoutedTape } from '../tape/read/routed-tape.ts';
import { Engine } from './engine.ts';
import type { EngineNews, EngineOrder, EngineShape, EngineWorkerData } from './engine-wire.ts';
import { OutgoingFlow } from './outgoing-flow.ts';

const PULSE_MS = 1_000;

const desk = new ThreadDesk<EngineShape>(parentPort!);
const setup = workerData as EngineWorkerData;
const flow = new OutgoingFlow();
const tables = new SessionTables(setup.sessions);
let utilization = performance.eventLoopUtilization();

const faultRetry = new FaultRetry({ clock: createClock({ kind: 'system' }) });
const disk = new RetryingDisk(new NodeDisk(), faultRetry);
const tape = new RoutedTape({
  live: await followTapes(disk, setup.tapeRoot, setup.tapePorts),
  imported: await openImportedTapes(disk, setup.tapeRoot, setup.imported),
  datasetOf: (contract) => tables.datasetOf(contract),
});
const engine = new Engine({
  tape,
  nextDays: (contract) => tape.next(contract),
  flow,
  indicators: new Map(INDICATORS.map((indicator) => [indicator.id, indicator])),
  sessionsOf: tables.of.bind(tables),
  emit: send,
  yieldTurn: () => turn(),
  onFault: (error, spec) => send({ t: 'fault', error, spec }),
  meter: { nowMs: () => performance.now(), busyShare },
});
desk.open({ calls: {}, obey });
engine.pulse();
setInterval(() => engine.pulse(), PULSE_MS);
collectAfterRushes();

function send(message: EngineNews): void {
  if (message.t !== 'flush' && message.t !== 'snapshot') {
    desk.tell(message);
    return;
  }
  const { memory } = message.block;
  flow.sent(memory.byteLength);
  desk.tell(message, [memory]);
}

function obey(order: EngineOrder): void {
  switch (order.t) {
    case 'sessions':
      tables.replace(order.sessions);
      return;
    case 'acknowledge':
      flow.acknowledged(order.bytes);
      return;
    default:
      engine.execute(order);
  }
}

function busyShare(): number {
  const before = utilization;
  utilization = performance.eventLoopUtilization();
  return performance.eventLoopUtilization(utilization, before).utilization;
}
