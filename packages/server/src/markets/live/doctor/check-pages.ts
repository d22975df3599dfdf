/** Requests past trades of the time that was observed, and compares them with what came live. */

import type { EpochNs } from '@tapeloom/core/numbers';
import type { FeedContract, PageOutcome, Venue } from '../feed.ts';
import { type FeedTrade, instantOf, type PageWish } from '../lines/line.ts';
import { NumberedLine } from '../lines/numbered-line.ts';
import type { Network } from '../network.ts';
import { reasonOf } from '../reason-of.ts';
import { type DoctorFinding, found } from './finding.ts';
import type { Observation } from './observation.ts';

const NEWEST: PageWish = { fromId: null, toId: null, before: null };

export interface AskedPage {
  readonly contract: FeedContract;
  /** Null: the venue has no requests of past trades. */
  readonly outcome: PageOutcome | null;
}

/** The past of what was seen so far. */
export async function askPage(
  venue: Venue,
  contract: FeedContract,
  seen: Observation,
  network: Network,
  signal: AbortSignal,
): Promise<AskedPage> {
  if (venue.page === null) return { contract, outcome: null };
  const live = liveOf(contract, seen);
  const wish = live.length > 0 && isNumbered(contract, seen) ? wishOf(live) : NEWEST;
  try {
    const answer = await network.request(venue.page(contract, wish), signal);
    return { contract, outcome: venue.readPage(contract, wish, answer) };
  } catch (error) {
    return { contract, outcome: { kind: 'refused', why: reasonOf(error), retryAfterMs: null } };
  }
}

export function judgePage({ contract, outcome }: AskedPage, seen: Observation): DoctorFinding {
  const check = `past trades of ${contract.venueSymbol}`;
  if (outcome === null) {
    return found(check, 'skipped', 'the venue has no requests of past trades');
  }
  if (outcome.kind === 'refused') return found(check, 'failed', outcome.why);
  if (outcome.kind === 'forgotten') {
    return found(check, 'failed', 'the venue does not remember the last minute');
  }
  const live = liveOf(contract, seen);
  if (live.length === 0) return judgeSilence(check, outcome.trades, seen);
  return compare(check, live, outcome.trades, isNumbered(contract, seen) ? byNumber : byContent);
}

function liveOf({ symbol }: FeedContract, { trades }: Observation): readonly FeedTrade[] {
  return trades.get(symbol)!.map(({ trade }) => trade);
}

function isNumbered({ symbol }: FeedContract, { lines }: Observation): boolean {
  return lines.get(symbol) instanceof NumberedLine;
}

function wishOf(live: readonly FeedTrade[]): PageWish {
  const ids = live.map(({ id }) => id).sort((a, b) => a - b);
  return { fromId: ids[0]!, toId: ids.at(-1)!, before: null };
}

/** A subscription may be accepted and deliver nothing. */
function judgeSilence(
  check: string,
  page: readonly FeedTrade[],
  { from, to, openedMs, readyMs }: Observation,
): DoctorFinding {
  if (openedMs === null) return found(check, 'skipped', 'there was no stream to compare with');
  const since = (from + BigInt(readyMs ?? 0) * 1_000_000n) as EpochNs;
  const traded = page.filter((trade) => instantOf(trade) > since && instantOf(trade) < to).length;
  if (traded === 0) {
    return found(check, 'warning', 'nothing was traded while it was observed; name other symbols');
  }
  return found(
    check,
    'failed',
    `the stream was silent, but the venue has ${traded} trades of that time`,
  );
}

/** The identity of a trade, and where it lies between others. */
interface Identity {
  /** Trades at an edge of a page may share their place with trades beyond it. */
  readonly hasTies: boolean;
  readonly key: (trade: FeedTrade) => string;
  readonly place: (trade: FeedTrade) => bigint;
}

const byNumber: Identity = {
  hasTies: false,
  key: ({ id }) => `${id}`,
  place: ({ id }) => BigInt(id),
};
const byContent: Identity = {
  hasTies: true,
  key: ({ key, day, ns, price, size, side }) => key ?? `${day}.${ns}:${price}:${size}:${side}`,
  place: instantOf,
};

function compare(
  check: string,
  live: readonly FeedTrade[],
  page: readonly FeedTrade[],
  identity: Identity,
): DoctorFinding {
  const [liveIn, pageIn] = overlap(live, page, identity);
  if (liveIn.size === 0 || pageIn.size === 0) {
    return found(
      check,
      'failed',
      `${page.length} trades, none from the time of the ${live.length} live ones`,
    );
  }
  const notLive = [...pageIn.keys()].filter((key) => !liveIn.has(key));
  const notInPage = [...liveIn.keys()].filter((key) => !pageIn.has(key));
  const common = [...liveIn].flatMap(([key, trade]) => {
    const other = pageIn.get(key);
    return other === undefined ? [] : [[trade, other] as const];
  });
  const differing = (['price', 'size', 'side'] as const).flatMap((field) => {
    const others = common.filter(([a, b]) => a[field] !== b[field]);
    const [first] = others;
    if (first === undefined) return [];
    const [a, b] = first;
    return [
      `${others.length} of another ${field} (trade ${a.id}: live ${a[field]}, page ${b[field]})`,
    ];
  });
  const times = common.filter(([a, b]) => instantOf(a) !== instantOf(b)).length;
  const told = [
    `${common.length} trades in both`,
    ...(notLive.length === 0 ? [] : [`${notLive.length} that the stream left out (${notLive[0]})`]),
    ...(notInPage.length === 0
      ? []
      : [`${notInPage.length} that the page left out (${notInPage[0]})`]),
    ...differing,
    ...(times === 0 ? [] : [`${times} of another time`]),
  ].join(', ');
  const isFailed = notLive.length + notInPage.length + differing.length > 0;
  return found(check, isFailed ? 'failed' : times > 0 ? 'warning' : 'ok', told);
}

/** Those of both that lie in the range that both cover. */
function overlap(
  live: readonly FeedTrade[],
  page: readonly FeedTrade[],
  { key, place, hasTies }: Identity,
): readonly [ReadonlyMap<string, FeedTrade>, ReadonlyMap<string, FeedTrade>] {
  const ends = (trades: readonly FeedTrade[]) => {
    const places = trades.map(place).sort((a, b) => (a < b ? -1 : 1));
    return [places[0] ?? 0n, places.at(-1) ?? -1n] as const;
  };
  const [[liveFrom, liveTo], [pageFrom, pageTo]] = [ends(live), ends(page)];
  const edge = hasTies ? 1n : 0n;
  const from = (liveFrom > pageFrom ? liveFrom : pageFrom) + edge;
  const to = (liveTo < pageTo ? liveTo : pageTo) - edge;
  const inside = (trades: readonly FeedTrade[]) => {
    const within = trades.filter((trade) => place(trade) >= from && place(trade) <= to);
    return new Map(within.map((trade) => [key(trade), trade]));
  };
  return [inside(live), inside(page)];
}
