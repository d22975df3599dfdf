/**
 * Fetches past days of a venue behind its running feed. It requests a page only while half of the venue's budget is
 * free, so the feed's own requests always come first.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/waiting/sleep.ts';
import { Backfiller, type FeedMember } from '../connection/backfiller.ts';
import type { VenueBudget } from '../connection/venue-budget.ts';
import type { FeedAction, FeedContract, Venue } from '../feed.ts';
import type { Network } from '../network.ts';
import { reasonOf } from '../reason-of.ts';
import { PastDay, type PastDayResult } from './past-day.ts';

const STEP_MS = 20;
/** The share of the budget that is left to the feed. */
const LEFT_SHARE = 0.5;
/** So many answers in a row that call a request wrong: the venue does not serve this contract any more. */
const WRONG_MAX = 6;

export interface PastDaysOptions {
  readonly venue: Venue;
  readonly budget: VenueBudget;
  readonly network: Network;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly now: () => EpochNs;
}

/** The day cannot be fetched, now or later; the message is for the operator. */
export class PastDayError extends Error {}

/**
 * The trades of the day of `from`, from there on. Resolves to null after an abort. Rejects with a `PastDayError`. While
 * the venue cannot be reached it keeps trying.
 */
export async function fetchPastDay(
  { venue, budget, network, clock, now }: PastDaysOptions,
  contract: FeedContract,
  from: EpochNs,
  signal: AbortSignal,
): Promise<PastDayResult | null> {
  const past = new PastDay(venue, contract, from);
  const startedAt = now();
  const member: FeedMember<PastDay> = {
    ...{ contract, line: past, liveAt: startedAt, checkAt: startedAt, checkEveryNs: MS_NS_BIG },
    ...{ missed: 0, wrong: 0, askAgainAt: startedAt },
  };
  const backfiller = new Backfiller({
    venue,
    budget,
    members: new Map([[contract.symbol, member]]),
    isReady: () => false,
    venueNow: (at) => at,
    onSilent: () => undefined,
    isWitness: () => false,
    onCompared: () => undefined,
  });
  const request = async ({ id, request: wanted }: FeedAction & { readonly kind: 'request' }) => {
    try {
      backfiller.answered(id, await network.request(wanted, signal), '', now());
    } catch (error) {
      backfiller.answered(id, null, reasonOf(error), now());
    }
  };
  while (!signal.aborted && past.result === null) {
    if (past.fault !== null) throw new PastDayError(past.fault);
    if (member.wrong >= WRONG_MAX) throw new PastDayError(backfiller.lastFailure!);
    if (budget.requestsLeft(now()) >= LEFT_SHARE) {
      for (const action of backfiller.step(now())) {
        if (action.kind === 'request') void request(action);
      }
    }
    await sleep(clock, STEP_MS, signal);
  }
  return signal.aborted ? null : past.result;
}
