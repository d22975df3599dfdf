/**
 * The simulated market: trades as a pure function of (seed, scale, contract, UTC day). A day is the concatenation of
 * its slices, and every slice is made independently. So days and slices can be made in any order and in any thread,
 * always with the same result. State between calls is only a cache.
 */

import { calendarNamed } from '@tapeloom/core/calendar/calendars';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import { DAY_NS } from '@tapeloom/core/units';
import { addDays, dayNumber, dayOf, nsOfDay } from '@tapeloom/core/utc-day';
import { priceOfReturn } from './fair-value.ts';
import { OrderFlow, type SliceFlow } from './order-flow.ts';
import type { SimProfile } from './profile.ts';
import { mixKey, Random, textKey } from './random.ts';
import { CONTRACTS_BEFORE, contractShare } from './roll-share.ts';
import { SLICE_NS, SLICES_PER_DAY, weekFirstDay, weekOf } from './slice.ts';
import type { TradeColumns } from './trade-columns.ts';
import { planWeek, type WeekPlan } from './week.ts';

const TRADES_KEY = textKey('trades');
const DAYS_PER_YEAR = 365;
/** Cached plans per product: a fill works on a few weeks at a time. */
const WEEK_PLANS_MAX = 4;
const NANOS = 1_000_000_000;
/** Two contracts of a product live at a time: a contract lives from the expiry of the second one before it. */
const CONTRACTS_LIVE = 2;

export interface SimOptions {
  readonly seed: number;
  /** Multiplies every product's prints per day. */
  readonly printsScale: number;
}

/** A product, its contracts by expiry. The first ones only affect shares of later ones (`CONTRACTS_BEFORE`). */
export interface SimProduct {
  readonly profile: SimProfile;
  readonly contracts: readonly Contract[];
  /** The day on which activity leaves each contract. */
  readonly rollDays: readonly UtcDay[];
}

/** First and last UTC day on which a contract may trade. */
export interface ContractLife {
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
}

export class SimMarket {
  readonly options: SimOptions;
  readonly #listings = new Map<string, Listing>();
  readonly #random = new Random();
  readonly #flow: SliceFlow = {
    startNs: 0,
    endNs: 0,
    lead: 0.5,
    orders: 0,
    fromTicks: 0,
    toTicks: 0,
    deviationTicks: 0,
    openingPrints: 0,
    closingPrints: 0,
  };

  constructor(options: SimOptions, products: readonly SimProduct[]) {
    this.options = options;
    for (const product of products) {
      const market = new ProductMarket(options.seed, product);
      product.contracts.forEach((contract, index) => {
        if (index < CONTRACTS_BEFORE) return;
        const born = dayOf(product.contracts[index - CONTRACTS_LIVE]!.expiresAt);
        const life = { firstDay: addDays(born, 1), lastDay: dayOf(contract.expiresAt) };
        this.#listings.set(contract.symbol, { market, contract, index, life });
      });
    }
  }

  life(symbol: string): ContractLife {
    return this.#listing(symbol).life;
  }

  /** Expected prints of a contract on a day whose market is open all day. */
  expectedPrints(symbol: string, day: UtcDay): number {
    const { market, index, life } = this.#listing(symbol);
    if (day < life.firstDay || day > life.lastDay) return 0;
    const share = contractShare(market.rollDays, index, dayNumber(day));
    return market.profile.printsPerDay * this.options.printsScale * share;
  }

  /** Appends a whole day of a contract; nothing if it did not trade. */
  appendDay(symbol: string, day: UtcDay, out: TradeColumns): void {
    for (let slice = 0; slice < SLICES_PER_DAY; slice += 1)
      this.appendSlice(symbol, day, slice, out);
  }

  appendSlice(symbol: string, day: UtcDay, slice: number, out: TradeColumns): void {
    const { market, contract, index, life } = this.#listing(symbol);
    if (day < life.firstDay || day > life.lastDay) return;
    const number = dayNumber(day);
    const week = weekOf(number);
    const plan = market.week(week);
    const dayInWeek = number - weekFirstDay(week);
    const i = dayInWeek * SLICES_PER_DAY + slice;
    if (plan.closeNs[i] === 0) return;
    const flow = this.#flow;
    flow.startNs = plan.openNs[i]! - dayInWeek * DAY_NS;
    flow.endNs = plan.closeNs[i]! - dayInWeek * DAY_NS;
    if (day === life.lastDay) flow.endNs = Math.min(flow.endNs, nsOfDay(contract.expiresAt));
    if (flow.endNs <= flow.startNs) return;
    const { profile } = market;
    const random = this.#random;
    random.seed(
      mixKey(mixKey(mixKey(mixKey(this.options.seed, TRADES_KEY), textKey(symbol)), number), slice),
    );
    const share = contractShare(market.rollDays, index, number);
    const prints = profile.printsPerDay * this.options.printsScale * share * plan.activity[i]!;
    flow.orders = Math.trunc(prints / profile.printsPerOrder + random.unit());
    flow.lead = plan.lead[i]!;
    const perTick = NANOS / contract.tickSizeNanos;
    const ns = slice * SLICE_NS;
    flow.fromTicks = carried(profile, contract, plan.path[i]!, number, ns) * perTick;
    flow.toTicks = carried(profile, contract, plan.path[i + 1]!, number, ns + SLICE_NS) * perTick;
    flow.deviationTicks =
      profile.basePrice * perTick * profile.dailyVolatility * Math.sqrt(plan.variance[i]!);
    const auction = plan.auction[i]!;
    const auctionPrints = 1 + Math.trunc(share * (6 + 30 * random.unit()));
    flow.openingPrints = (auction & 1) > 0 ? auctionPrints : 0;
    flow.closingPrints = (auction & 2) > 0 ? auctionPrints : 0;
    market.flow.run(random, flow, out);
  }

  #listing(symbol: string): Listing {
    const listing = this.#listings.get(symbol);
    if (listing === undefined) throw new RangeError(`no simulated contract is named ${symbol}`);
    return listing;
  }
}

interface Listing {
  readonly market: ProductMarket;
  readonly contract: Contract;
  readonly index: number;
  readonly life: ContractLife;
}

/** The state that the contracts of one product share. */
class ProductMarket {
  readonly profile: SimProfile;
  readonly rollDays: readonly number[];
  #flow: OrderFlow | null = null;
  readonly #seed: number;
  readonly #calendarName: string;
  readonly #weeks = new Map<number, WeekPlan>();

  constructor(seed: number, product: SimProduct) {
    this.#seed = seed;
    this.profile = product.profile;
    this.#calendarName = product.contracts[0]!.calendar;
    this.rollDays = product.rollDays.map(dayNumber);
  }

  /** Created on first use: most threads only need the list of contracts. */
  get flow(): OrderFlow {
    this.#flow ??= new OrderFlow(this.profile);
    return this.#flow;
  }

  week(week: number): WeekPlan {
    const known = this.#weeks.get(week);
    if (known !== undefined) return known;
    const plan = planWeek(this.#seed, this.profile, calendarNamed(this.#calendarName), week);
    if (this.#weeks.size >= WEEK_PLANS_MAX) {
      for (const oldest of this.#weeks.keys()) {
        this.#weeks.delete(oldest);
        break;
      }
    }
    this.#weeks.set(week, plan);
    return plan;
  }
}

/** The fair price of a contract: the product's, plus the carry to the contract's expiry. */
function carried(
  profile: SimProfile,
  contract: Contract,
  y: number,
  day: number,
  ns: number,
): number {
  const toExpiry = dayNumber(dayOf(contract.expiresAt)) - day - ns / DAY_NS;
  return priceOfReturn(profile, y) * (1 + (profile.carry * toExpiry) / DAYS_PER_YEAR);
}
