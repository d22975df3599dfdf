/**
 * The common base of an ingest thread, alone or in a cluster: its desk, a disk with retries, its market, and its upkeep
 * beside the trades.
 */

import { parentPort } from 'node:worker_threads';
import { openLiveMarket } from '../../markets/open-live-market.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { RetryingDisk } from '../../platform/disk/retrying-disk.ts';
import { createClock } from '../../platform/system-clock.ts';
import { ThreadDesk } from '../../platform/threads/thread-desk.ts';
import { FaultRetry, type FaultRetryOptions } from '../../platform/waiting/fault-retry.ts';
import { loadEncoder } from '../../tape/write/seal/encode-day.ts';
import type { FromIngest, IngestShape, IngestWorkerData } from './ingest-wire.ts';
import { MemberTapes } from './member-tapes.ts';
import { TapeUpkeep } from './tape-upkeep.ts';

export const REPORT_MS = 1_000;
export const LIVE_CHECK_MS = 20;
/** A source with less lag than this, in real time, has caught up. */
export const LIVE_LAG_MS_MAX = 1_000;
/** How often, in the service's time, contracts and session books are refreshed. */
export const REFRESH_EVERY_MS = 6 * 3_600_000;
/** The delay after a start until the code that midnight needs is loaded; at midnight the machine is at its busiest. */
export const ENCODER_AFTER_MS = 5_000;

/** `timers` is the machine's clock. */
export function openIngestGround({ tapeRoot, keepDays, market: setting }: IngestWorkerData) {
  const desk = new ThreadDesk<IngestShape>(parentPort!);
  const send = (news: FromIngest) => desk.tell(news);
  const market = openLiveMarket(setting);
  const timers = createClock({ kind: 'system' });
  const waits: FaultRetryOptions = {
    clock: timers,
    onWait: (error) => send({ t: 'waiting', error }),
    onOver: (ms) => send({ t: 'waited', ms }),
  };
  const faultRetry = new FaultRetry(waits);
  const disk = new RetryingDisk(new NodeDisk(), faultRetry);
  const upkeep = new TapeUpkeep({
    ...{ market, disk, tapeRoot, keepDays, waits, send },
    now: timers.now(),
  });
  const members = new MemberTapes({ disk, tapeRoot, setting, market, keepDays, timers, send });
  return { desk, send, market, timers, faultRetry, disk, upkeep, members };
}

/** Loads the code that seals days. */
export async function loadSealing(send: (news: FromIngest) => void): Promise<void> {
  try {
    await loadEncoder();
  } catch (error) {
    send({ t: 'fault', what: 'the module that seals days could not be loaded', error });
  }
}
