/** `tapeloom cache warm`: computes and caches the days of a range before a reader requests them. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { writeJson } from '../accounts/account-options.ts';
import { CACHE_USAGE } from '../cache/cache-options.ts';
import { paramsText } from '../cache/params-text.ts';
import { OUTCOME_TEXT, WarmProgress } from '../cache/warm-progress.ts';
import { readWarmRequest, type WarmRequest } from '../cache/warm-request.ts';
import { type DayOutcome, type WarmedDay, type WarmPlan, WarmRun } from '../cache/warm-run.ts';
import type { CommandBody, CommandIo } from '../command.ts';
import { dateText, rangesText } from '../day-text.ts';
import { sizeText } from '../size-text.ts';
import { wholeText } from '../stream/text-format.ts';

const EXIT_INTERRUPTED = 130;
const OUTCOMES = Object.keys(OUTCOME_TEXT) as readonly DayOutcome[];

export const cacheWarmCommand: CommandBody = {
  usage: `Usage: tapeloom cache warm --instrument <contract> --indicator <id> --from <date> [options]

Computes every sealed day of the range and caches the result for history and exports. Days that are
already cached stay unchanged. The service may run and uses cached days at once. You can stop it at
any moment and start it again. Exits with 1 if a day is missing, damaged or could not be cached.

  --instrument <name>  a contract (ESZ6) or an alias (ES.c.0: the contract it designates on the first day)
  --indicator <id>     an indicator (footprint)
  --params <json>      parameters of the indicator, for example '{"size":300}'
  --from <date>        first day in UTC, as 2026-09-01
  --to <date>          last day in UTC, included (default: the last sealed day)
${CACHE_USAGE}

Examples:
  tapeloom cache warm --instrument ES.c.0 --indicator footprint --from 2026-11-02`,
  run,
};

interface Warmed {
  readonly days: readonly WarmedDay[];
  readonly isComplete: boolean;
  readonly evicted: number;
  readonly seconds: number;
  readonly rate: number;
}

async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const request = await readWarmRequest(args, io);
  if (request.place.bytesMax === 0)
    throw new Error('TAPELOOM_CACHE_BYTES is 0: the cache is turned off');
  await using warming = await WarmRun.open(request);
  const plan = await warming.plan();
  const progress = new WarmProgress(io, plan, request.isJson);
  const days: WarmedDay[] = [];
  try {
    for await (const day of warming.days(plan, io.signal)) {
      days.push(day);
      progress.show(day);
    }
  } catch (error) {
    if (!io.signal.aborted) throw error;
  } finally {
    progress.erase();
  }
  const { evicted } = warming;
  const isComplete = days.length === plan.days.length;
  const warmed = { days, isComplete, evicted, seconds: progress.seconds, rate: progress.rate };
  if (request.isJson) writeJson(io, jsonOf(request, plan, warmed));
  else tell(io, request, plan, warmed);
  if (!isComplete) return EXIT_INTERRUPTED;
  const isWell = days.every(({ outcome }) => outcome !== 'not-kept' && outcome !== 'damaged');
  return isWell && days.length > 0 && plan.missingDays.length === 0 ? 0 : 1;
}

function jsonOf(request: WarmRequest, plan: WarmPlan, warmed: Warmed) {
  const { contract, indicator, params } = request;
  const { days, isComplete, evicted, seconds, rate } = warmed;
  return {
    dataset: contract.dataset,
    contract: contract.symbol,
    indicator: indicator.id,
    params,
    isComplete,
    days,
    missingDays: plan.missingDays,
    evicted,
    seconds: Number(seconds.toFixed(3)),
    tradesPerSecond: Math.round(rate),
  };
}

function tell(io: CommandIo, request: WarmRequest, plan: WarmPlan, warmed: Warmed): void {
  const { contract, indicator, params, place } = request;
  const { days, isComplete, evicted, seconds, rate } = warmed;
  const name = `${contract.symbol} ${indicator.id} (${paramsText(indicator.id, params)})`;
  const of = (outcome: DayOutcome) =>
    days.flatMap((one) => (one.outcome === outcome ? [one.day] : []));
  if (plan.days.length === 0) {
    io.stderr(`${contract.symbol} has no sealed day in this range; tapeloom tape ls shows all.\n`);
  } else {
    const parts = OUTCOMES.flatMap((outcome) => {
      const count = of(outcome).length;
      return count === 0 ? [] : [`${wholeText(count)} ${OUTCOME_TEXT[outcome]}`];
    });
    const speed = rate === 0 ? '' : `, ${wholeText(rate)} trades/s`;
    const range = `${dateText(plan.days[0]!.day)} to ${dateText(plan.days.at(-1)!.day)}`;
    const stopped = isComplete ? '' : `Stopped after ${days.length} of ${plan.days.length} days. `;
    const done = parts.length === 0 ? 'nothing' : parts.join(', ');
    io.stdout(`${stopped}${name}, ${range}: ${done} (${seconds.toFixed(2)} s${speed}).\n`);
  }
  const named = (what: string, which: readonly UtcDay[]) => {
    if (which.length > 0) io.stderr(`${what}: ${rangesText(which)}.\n`);
  };
  if (plan.days.length > 0) named('Already cached', of('there'));
  named('Missing on the tape', plan.missingDays);
  named('Damaged; see tapeloom tape verify', of('damaged'));
  named('Too large to be cached, or the disk failed', of('not-kept'));
  if (evicted > 0) {
    io.stderr(
      `${wholeText(evicted)} least recently used results were evicted: the limit is ` +
        `${sizeText(place.bytesMax)} (TAPELOOM_CACHE_BYTES).\n`,
    );
  }
}
