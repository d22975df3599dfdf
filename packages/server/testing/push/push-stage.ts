/** A push source on a tape of a simulated disk, with a clock that moves only when told. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { OffTickPrice, PushCounts } from '@tapeloom/protocol/push';
import { ManualClock } from '../../../../simulation/clock/manual-clock.ts';
import { SimDisk } from '../../../../simulation/disk/sim-disk.ts';
import { PushSource } from '../../src/markets/push/push-source.ts';
import type { PushAnswer, PushRequest } from '../../src/platform/push-exchange.ts';
import type { Intake } from '../../src/tape/write/intake.ts';
import { openSimTape } from '../tape/tape-on-sim-disk.ts';

export const DAY = utcDay(20_260_105);
const OPEN = epochNs(DAY, 36_000_000_000_000);
export const at = (seconds: number): EpochNs =>
  (OPEN + BigInt(Math.round(seconds * 1e9))) as EpochNs;
const listed = ['ESZ6', 'NQZ6'].map(
  (symbol) =>
    ({
      symbol,
      dataset: 'SIM',
      tickSizeNanos: 250_000_000,
      lotSizeNanos: 1_000_000_000,
    }) as Contract,
);
export interface PushedTrade {
  readonly id: number;
  readonly s: number;
  readonly contract?: string;
  readonly price?: string;
}
const bodyOf = (trades: readonly PushedTrade[]) =>
  new TextEncoder().encode(
    trades
      .map(({ id, s, contract = 'ESZ6', price = '100.25' }) =>
        JSON.stringify({ contract, id, ts: `${at(s)}`, price, size: 1, side: 'buy' }),
      )
      .join('\n'),
  );
export const request = (
  batchId: string,
  trades: readonly PushedTrade[],
  upTo: EpochNs | null = null,
  missingBefore: EpochNs | null = null,
): PushRequest => ({
  batchId,
  contentType: 'application/x-ndjson',
  upTo,
  missingBefore,
  firstId: null,
  body: bodyOf(trades),
});

export interface PushStageOptions {
  readonly machine?: SimDisk;
  readonly now?: EpochNs;
  /** The contracts at this moment. */
  readonly contracts?: () => readonly string[];
}

export async function pushStage({
  machine = new SimDisk(),
  now = at(10),
  contracts = () => ['ESZ6', 'NQZ6'],
}: PushStageOptions = {}) {
  const clock = new ManualClock(now);
  const jumped = { ns: 0n };
  const tape = await openSimTape(machine.boot(), { now, listed: () => contracts() });
  const offTick: OffTickPrice[] = [];
  const onTick: string[] = [];
  const intake: Intake = {
    lastId: (symbol) => tape.intake.lastId(symbol),
    get promise() {
      return tape.intake.promise;
    },
    get gaps() {
      return tape.intake.gaps;
    },
    position: (key) => tape.intake.position(key),
    batch: (id) => tape.intake.batch(id),
    offer: (...offer) => tape.intake.offer(...offer),
  };
  const streamed = () => listed.filter(({ symbol }) => contracts().includes(symbol));
  const listing = () => ({
    book: {} as InstrumentBook,
    contracts: streamed(),
    streamedOn: streamed,
  });
  const source = new PushSource({
    market: { dataset: 'SIM', listing },
    intake,
    clock: {
      now: () => (clock.now() + jumped.ns) as EpochNs,
      every: (...of) => clock.every(...of),
    },
    monotonicNs: () => clock.now(),
    feed: { graceMs: 250, gapAfterMs: 15 * 60_000 },
    hoursOf: () => null,
    onOffTick: (contract, price) => (price === null ? onTick.push(contract) : offTick.push(price)),
  });
  const stopping = new AbortController();
  const run = source.run(stopping.signal);
  run.catch(() => undefined);
  const stop = async () => {
    stopping.abort();
    await run;
    await tape[Symbol.asyncDispose]();
  };
  return { machine, clock, jumped, tape, source, intake, offTick, onTick, run, stopping, stop };
}

export async function runningPush(t: TestContext, options: PushStageOptions = {}) {
  const stage = await pushStage(options);
  t.after(stage.stop);
  return stage;
}

export function countsOf(answer: PushAnswer): PushCounts | null {
  assert.equal(answer.t, 'acknowledged', JSON.stringify(answer));
  return answer.t === 'acknowledged' ? answer.receipt.counts : null;
}
