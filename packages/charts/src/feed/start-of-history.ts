/** Where the history of a contract begins for an account: at the start of the tape, or of what the plan includes. */

import { HISTORY_DAYS_ALL } from '@tapeloom/core/entitlement/plan';
import type { InstrumentFacts } from './instrument-facts.ts';
import type { PlanRoom } from './plan-room.ts';
import type { Segment } from './segments.ts';
import { type HemText, startHem } from './words.ts';

const DAY_MS = 86_400_000;
const NS_PER_MS = 1_000_000n;

export interface HistoryStart {
  /** Null: not known; the service says it. */
  readonly fromNs: bigint | null;
  readonly hem: HemText;
}

export async function startOfHistory(
  facts: InstrumentFacts,
  { contract, endNs }: Pick<Segment, 'contract' | 'endNs'>,
  { limits: { historyDays }, planName }: PlanRoom,
  nowMs: number,
): Promise<HistoryStart> {
  const isLimited = historyDays < HISTORY_DAYS_ALL;
  const planMs = isLimited ? Math.floor(nowMs / DAY_MS) * DAY_MS - historyDays * DAY_MS : null;
  const ofPlan = startHem(contract, null, { name: planName, days: historyDays });
  const history = await facts.historyOf(contract);
  const firstMs = history == null ? null : Date.parse(history.firstDay);
  // Nothing of an earlier contract: its time under this name is over where history begins.
  if (history === null) {
    return { fromNs: endNs, hem: isLimited ? ofPlan : startHem(contract, null, null) };
  }
  const isPlan = planMs !== null && (firstMs === null || planMs >= firstMs);
  const ms = isPlan ? planMs : firstMs;
  return {
    fromNs: ms === null ? null : BigInt(ms) * NS_PER_MS,
    hem: isPlan ? ofPlan : startHem(contract, history?.firstDay ?? null, null),
  };
}
