/** The venue's clock against ours, and how long trades take to arrive. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS, MS_NS_BIG } from '@tapeloom/core/units';
import { instantOf } from '../lines/line.ts';
import { type DoctorFinding, found } from './finding.ts';
import { percent } from './judge-stream.ts';
import type { Observation } from './observation.ts';
import type { RecordedRequest } from './recording-network.ts';

const SKEW_MS_WARNING = 1_000;
const SKEW_MS_FAILED = 60_000;
/** The header has whole seconds. */
const DATE_MS = 1_000;
/** The share of trades beyond the grace from which on it is too short. */
const LATE_FAILED = 0.01;

export function judgeTime(
  seen: Observation,
  answered: readonly RecordedRequest[],
  graceMs: number,
): readonly DoctorFinding[] {
  const lagsMs = [...seen.trades.values()].flatMap((trades) =>
    trades.map(({ trade, at }) => msOf(at - instantOf(trade))),
  );
  const beatsMs = seen.heartbeatLagsNs.map(msOf);
  return [judgeClock(lagsMs, beatsMs, answered), judgeArrival(lagsMs, beatsMs, graceMs)];
}

function judgeClock(
  lagsMs: readonly number[],
  beatsMs: readonly number[],
  answered: readonly RecordedRequest[],
): DoctorFinding {
  const check = 'clock';
  const [least, source] =
    beatsMs.length > 0
      ? [smallest(beatsMs), 'heartbeats']
      : lagsMs.length > 0
        ? [smallest(lagsMs), 'trades']
        : [smallest(dateLags(answered)), 'the Date header'];
  if (!Number.isFinite(least)) return found(check, 'skipped', 'the venue named no time');
  const size = Math.abs(least);
  // A message is never there before it was sent, so a positive difference may be its way alone.
  const told =
    least < 0
      ? `this machine's is at least ${size.toFixed(0)} ms behind the venue's, by ${source}`
      : `this machine's is at most ${size.toFixed(0)} ms ahead of the venue's, by ${source}`;
  const slack = source === 'the Date header' ? DATE_MS : 0;
  if (size >= SKEW_MS_FAILED) return found(check, 'failed', told);
  return found(check, size >= SKEW_MS_WARNING + slack ? 'warning' : 'ok', told);
}

/** Behind the fastest of all: the watermark follows the venue's own clock, so its difference to ours does not count. */
function judgeArrival(
  lagsMs: readonly number[],
  beatsMs: readonly number[],
  graceMs: number,
): DoctorFinding {
  const check = `arrival within ${graceMs} ms`;
  if (lagsMs.length === 0) return found(check, 'skipped', 'no trade came');
  const fastest = Math.min(smallest(lagsMs), smallest(beatsMs));
  const sorted = lagsMs.map((ms) => ms - fastest).sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const late = sorted.filter((ms) => ms > graceMs).length;
  const told = `half within ${at(0.5).toFixed(0)} ms, 99 % within ${at(0.99).toFixed(0)} ms, all within ${sorted.at(-1)!.toFixed(0)} ms; ${late} of ${sorted.length} later than the grace (${percent(late / sorted.length)})`;
  if (late === 0) return found(check, 'ok', told);
  return found(check, late / sorted.length > LATE_FAILED ? 'failed' : 'warning', told);
}

function dateLags(answered: readonly RecordedRequest[]): readonly number[] {
  return answered.flatMap(({ atNs, answer }) => {
    const ms = Date.parse(answer.headers.date ?? '');
    return Number.isNaN(ms) ? [] : [msOf(atNs - ((BigInt(ms) * MS_NS_BIG) as EpochNs))];
  });
}

function smallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function msOf(ns: bigint): number {
  return Number(ns) / MS_NS;
}
