/**
 * Requests pages for lines with holes, by turns, within the budget of their venue. Without a hole it asks now and then
 * whether a silent contract has trades that its subscription did not deliver; where a whole connection is silent, each
 * 30 s for the contract that traded last.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG, MS_NS_BIG } from '@tapeloom/core/units';
import { backoffMs } from '../../../platform/waiting/retry.ts';
import type { FeedAction, FeedContract, PageAnswer, PageOutcome, Venue } from '../feed.ts';
import type { Line, PageWish } from '../lines/line.ts';
import { isOpenAt } from '../watermark/open-hours.ts';
import { SILENT_NS_MAX } from './feed-connection.ts';
import type { VenueBudget } from './venue-budget.ts';

const CHECK_NS_MAX = 10n * MINUTE_NS_BIG;
/** So many checks in a row that find trades prove that the subscription is dead. */
const MISSED_MAX = 2;
/** About the request and not about the venue: a contract that is delisted must not keep the others waiting. */
const WRONG_REQUEST: ReadonlySet<number> = new Set([400, 404]);
const WRONG_BACKOFF = { firstMs: 500, lastMs: 60_000 };

/** What it needs of a line. */
export type PageTaker = Pick<
  Line,
  'wanted' | 'page' | 'pageFailed' | 'checkWish' | 'lacks' | 'fault'
>;

export interface FeedMember<Taker extends PageTaker = Line> {
  readonly contract: FeedContract;
  readonly line: Taker;
  /** When its last live trade came. */
  liveAt: EpochNs;
  checkAt: EpochNs;
  checkEveryNs: bigint;
  missed: number;
  /** Requests in a row that the venue called wrong, and when the next one may be made. */
  wrong: number;
  askAgainAt: EpochNs;
}

interface Pending {
  readonly member: FeedMember<PageTaker>;
  readonly wish: PageWish;
  /** A check of a silent contract. */
  readonly isCheck: boolean;
  readonly askedAt: EpochNs;
  /** Who was asked, for the operator. */
  readonly host: string;
}

export interface BackfillerOptions {
  readonly venue: Venue;
  readonly budget: VenueBudget;
  readonly members: ReadonlyMap<string, FeedMember<PageTaker>>;
  readonly isReady: (symbol: string) => boolean;
  readonly venueNow: (now: EpochNs) => EpochNs;
  readonly onSilent: (symbol: string, now: EpochNs) => void;
  /** Whether it stands for all contracts of its connection, as the one that traded last. */
  readonly isWitness: (symbol: string) => boolean;
  /** A page has shown that its connection has left out nothing. */
  readonly onCompared: (symbol: string, now: EpochNs) => void;
}

export class Backfiller {
  readonly #options: BackfillerOptions;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  /** Whose turn is next. */
  #turn = 0;
  pagesTotal = 0;
  /** Why the last request failed; null: it did not. */
  lastFailure: string | null = null;

  constructor(options: BackfillerOptions) {
    this.#options = options;
  }

  step(now: EpochNs): readonly FeedAction[] {
    const { venue, budget, members } = this.#options;
    if (venue.page === null) return [];
    const actions: FeedAction[] = [];
    const all = [...members.values()];
    for (let asked = 0; asked < all.length; asked += 1) {
      if (this.#pending.size >= venue.limits.pagesAtOnce || !budget.mayRequest(now)) break;
      this.#turn = (this.#turn + 1) % all.length;
      const member = all[this.#turn]!;
      const next = this.#wish(member, now);
      if (next === null) {
        budget.requestUnused();
        continue;
      }
      this.#lastId += 1;
      const request = venue.page(member.contract, next.wish);
      const { host } = new URL(request.url);
      this.#pending.set(this.#lastId, { member, ...next, askedAt: now, host });
      actions.push({ kind: 'request', id: this.#lastId, request });
    }
    return actions;
  }

  /** `answer`: null when there was none. */
  answered(id: number, answer: PageAnswer | null, why: string, now: EpochNs): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    const { member, wish } = pending;
    const { venue, budget } = this.#options;
    const used = answer === null ? null : (venue.usedUnits?.(answer) ?? null);
    if (used !== null) budget.used(used, now);
    const outcome = this.#read(member.contract, wish, answer, why);
    if (outcome.kind === 'refused') {
      this.lastFailure = `${pending.host}: ${outcome.why}`;
      if (answer !== null && WRONG_REQUEST.has(answer.status)) {
        const waitNs = BigInt(backoffMs(member.wrong, WRONG_BACKOFF)) * MS_NS_BIG;
        member.wrong += 1;
        member.askAgainAt = (now + waitNs) as EpochNs;
      } else budget.failed(outcome.retryAfterMs, now);
      if (!pending.isCheck) member.line.pageFailed();
      return;
    }
    this.pagesTotal += 1;
    this.lastFailure = null;
    member.wrong = 0;
    budget.answered();
    if (pending.isCheck) this.#checked(pending, outcome, now);
    else {
      member.line.page(wish, outcome, now);
      // There is nothing yet that could be compared.
      if (member.line.checkWish === null) this.#options.onCompared(member.contract.symbol, now);
    }
  }

  #wish(member: FeedMember<PageTaker>, now: EpochNs): Pick<Pending, 'wish' | 'isCheck'> | null {
    const { isReady, isWitness, venueNow } = this.#options;
    const { line, contract } = member;
    if (line.fault !== null || now < member.askAgainAt) return null;
    const wish = line.wanted(now);
    if (wish !== null) return { wish, isCheck: false };
    const { checkWish } = line;
    if (checkWish === null || !isReady(contract.symbol)) return null;
    if (now - member.liveAt < SILENT_NS_MAX || now < member.checkAt) return null;
    if (!isOpenAt(contract.hours, venueNow(now))) return null;
    const doubled = member.checkEveryNs * 2n;
    if (isWitness(contract.symbol)) member.checkEveryNs = SILENT_NS_MAX;
    else member.checkEveryNs = doubled < CHECK_NS_MAX ? doubled : CHECK_NS_MAX;
    member.checkAt = (now + member.checkEveryNs) as EpochNs;
    return { wish: checkWish, isCheck: true };
  }

  #checked({ member, askedAt }: Pending, outcome: PageOutcome, now: EpochNs): void {
    const { line, contract } = member;
    const hasMore = outcome.kind === 'trades' && line.lacks(outcome.trades);
    if (!hasMore && outcome.kind === 'trades') this.#options.onCompared(contract.symbol, now);
    if (member.liveAt > askedAt || !hasMore) return;
    // The stream may be slower than the page once, not twice.
    member.missed += 1;
    member.checkAt = (now + SILENT_NS_MAX / 30n) as EpochNs;
    member.checkEveryNs = SILENT_NS_MAX;
    if (member.missed < MISSED_MAX) return;
    member.missed = 0;
    this.#options.onSilent(contract.symbol, now);
  }

  #read(
    contract: FeedContract,
    wish: PageWish,
    answer: PageAnswer | null,
    why: string,
  ): PageOutcome {
    if (answer === null) return { kind: 'refused', why, retryAfterMs: null };
    try {
      return this.#options.venue.readPage(contract, wish, answer);
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      return { kind: 'refused', why: `not understood: ${what}`, retryAfterMs: null };
    }
  }
}
