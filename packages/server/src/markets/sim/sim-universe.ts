/**
 * The simulated dataset on a day: for each root three expired contracts, the current and the next one, and one alias.
 * Contracts and rolls follow from the products' rules. So the same day always gives the same universe, and a contract
 * trades the same in every universe that includes it.
 */

import type { Alias, Contract, Designation } from '@tapeloom/core/instrument/contract';
import { contractsOf } from '@tapeloom/core/instrument/contracts';
import { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import { PRODUCTS, type Product } from '@tapeloom/core/instrument/product';
import { calendarRolls, volumeRolls } from '@tapeloom/core/instrument/rolls';
import type { UtcDay } from '@tapeloom/core/numbers';
import { addDays, dayOf } from '@tapeloom/core/utc-day';
import { SIM_PROFILES, type SimProfile } from './trades/profile.ts';
import { SimMarket, type SimOptions, type SimProduct } from './trades/sim-market.ts';

export const SIM_DATASET = 'SIM';

const EXPIRED_COUNT = 3;
const LIVE_COUNT = 2;
/** How far around today contracts are known: enough for the listed ones and their predecessors. */
const REACH_BACK_DAYS = 900;
const REACH_AHEAD_DAYS = 600;
/** Roots whose alias follows volume instead of the calendar. */
const VOLUME_ROOTS: readonly string[] = ['CL'];

export interface SimUniverse {
  readonly market: SimMarket;
  readonly book: InstrumentBook;
  /** The contracts of the book, per root ascending by expiry. */
  readonly contracts: readonly Contract[];
  /** The contracts that trade live on a day: the current and the next one of each root. */
  streamedOn(day: UtcDay): readonly Contract[];
}

interface Made {
  readonly options: SimOptions;
  readonly today: UtcDay;
  readonly universe: SimUniverse;
}

/** Cached: a thread requests the same day several times while it starts, and each takes a tenth of the start. */
let last: Made | null = null;

export function createSimUniverse(options: SimOptions, today: UtcDay): SimUniverse {
  const { seed, printsScale } = options;
  const isSame =
    last?.today === today && last.options.seed === seed && last.options.printsScale === printsScale;
  last = isSame ? last : { options, today, universe: makeUniverse(options, today) };
  return last!.universe;
}

function makeUniverse(options: SimOptions, today: UtcDay): SimUniverse {
  const chains = SIM_PROFILES.map((profile) => chainOf(profile, today));
  const market = new SimMarket(options, chains);
  const listed = chains.map((chain) => listedOn(chain, today));
  const aliases = chains.map((chain, i) => aliasOf(chain, listed[i]!, market));
  const contracts = listed.flat();
  return {
    market,
    contracts,
    book: new InstrumentBook(contracts, aliases),
    streamedOn: (day) => chains.flatMap((chain) => liveOn(chain, day)),
  };
}

interface Chain extends SimProduct {
  readonly product: Product;
}

function chainOf(profile: SimProfile, today: UtcDay): Chain {
  const product = PRODUCTS.find(({ root }) => root === profile.root);
  if (product === undefined) throw new RangeError(`no product is named ${profile.root}`);
  const from = addDays(today, -REACH_BACK_DAYS);
  const all = contractsOf(product, SIM_DATASET, from, addDays(today, REACH_AHEAD_DAYS));
  // A designation gives the begin of a contract's time as current one, so each later one ends the previous.
  const rolls = calendarRolls(all, product.roll, dayOf(all[0]!.expiresAt));
  const contracts = all.filter(({ symbol }) => rolls.some((roll) => roll.symbol === symbol));
  return {
    profile,
    product,
    contracts: contracts.slice(0, -1),
    rollDays: rolls.slice(1).map(({ from: day }) => day),
  };
}

/** The first contracts that have not expired when the day begins, at most two. */
function liveOn(chain: Chain, day: UtcDay): readonly Contract[] {
  const first = chain.contracts.findIndex((contract) => dayOf(contract.expiresAt) >= day);
  return first === -1 ? [] : chain.contracts.slice(first, first + LIVE_COUNT);
}

function listedOn(chain: Chain, today: UtcDay): readonly Contract[] {
  const first = chain.contracts.findIndex((contract) => dayOf(contract.expiresAt) >= today);
  return chain.contracts.slice(first - EXPIRED_COUNT, first + LIVE_COUNT);
}

/** The alias of a root over the listed contracts, from the day the first of them became current. */
function aliasOf(chain: Chain, listed: readonly Contract[], market: SimMarket): Alias {
  const { root, roll } = chain.product;
  const from = chain.rollDays[chain.contracts.indexOf(listed[0]!) - 1]!;
  const byVolume = VOLUME_ROOTS.includes(root);
  const rolls: Designation[] = byVolume
    ? // Simulated volumes are known ahead, so planned rolls follow them like past ones.
      volumeRolls(listed, expectedVolume, roll, from, dayOf(listed.at(-1)!.expiresAt))
    : calendarRolls(listed, roll, from);
  return { alias: `${root}.${byVolume ? 'v' : 'c'}.0`, dataset: SIM_DATASET, root, rolls };

  function expectedVolume(symbol: string, day: UtcDay): number {
    return market.expectedPrints(symbol, day);
  }
}
