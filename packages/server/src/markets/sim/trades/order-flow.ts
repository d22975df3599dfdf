/**
 * The hot loop of the simulator: one slice of one contract as a stream of aggressive orders that meet resting ones.
 * Nothing is allocated per trade, and only basic arithmetic and square roots are used (exact on every machine).
 */

import type { SimProfile } from './profile.ts';
import { drawExponential, drawSize, powerSizes, type SizeQuantiles } from './quantiles.ts';
import type { Random } from './random.ts';
import { SLICE_PRINTS_MAX } from './slice.ts';
import type { TradeColumns } from './trade-columns.ts';

/** Prints per order; the last one takes the rest. */
const ORDER_PRINTS_MAX = 160;
const ORDER_LEVELS_MAX = 14;
const AUCTION_PRINTS_MAX = 60;
/** Time left free at the end of a slice whose last prints are a closing auction. */
const CLOSING_NS = 60_000_000;
const RESTING_MOST_LOTS = 400;

/** Probabilities are compared with 32-bit integer draws. */
const chance = (p: number): number => Math.trunc(p * 0x1_0000_0000);
const REACTION = chance(0.44);
const HERDING = chance(0.38);
const SPREAD_LEG = chance(0.0025);
const GIANT = chance(0.00006);
/** An absorbing level holds more than any single order. */
const HELD_LEVEL = 3;
/** Orders above this multiple of the least size mostly go in the direction of the price. */
const LARGE_ORDERS = 12;
const INFORMED = chance(0.72);
/** How much more likely the side of the slice's own direction is, per standard deviation of its move. */
const LEAN = 0.08;
const LEAN_DEVIATIONS_MAX = 1.5;
/** An order moves the fair price by this many ticks per usual depth it takes, up to a few depths. */
const IMPACT = 0.4;
const IMPACT_DEPTHS_MAX = 3;
/** The part of a sweep's distance that the fair price keeps. */
const SWEEP_LASTING = 0.7;
const ABSORPTION_SLICE = chance(0.22);
const ABSORPTION_ORDERS_MIN = 40;

/** The memory of waiting times (an autoregressive conditional duration model) decays slowly. */
const ACD_CONSTANT = 0.08;
const ACD_RECENT = 0.14;
const ACD_MEMORY = 0.78;
/** A reaction follows its cause after this share of the mean waiting time. */
const REACTION_WAIT = 0.004;

export interface SliceFlow {
  /** [startNs, endNs) is when the slice is open, nanoseconds since the day's midnight. */
  startNs: number;
  endNs: number;
  /** Share of the density at the slice's start. */
  lead: number;
  orders: number;
  /** Fair price at both ends, in ticks. */
  fromTicks: number;
  toTicks: number;
  /** Standard deviation of the fair price over the slice, in ticks. */
  deviationTicks: number;
  /** Prints of the opening and the closing auction; 0 for none. */
  openingPrints: number;
  closingPrints: number;
}

/**
 * The fair price walks as a bridge from its value at the slice's start to that at its end. The quote follows when the
 * fair price is away from it by more than some inertia, which gives bid-ask bounce. Buyers are more likely above the
 * middle, and aggressors tend to repeat. An order fills resting orders, one print each with one timestamp, and walks to
 * the next price when a level is empty. Some orders sweep several prices, are very large, or are spread legs without a
 * side; at times one price absorbs all orders.
 */
export class OrderFlow {
  readonly #profile: SimProfile;
  readonly #orderSizes: SizeQuantiles;
  readonly #restingSizes: SizeQuantiles;
  readonly #sweep: number;
  #waits = new Float64Array(4_096);

  constructor(profile: SimProfile) {
    this.#profile = profile;
    this.#orderSizes = powerSizes(
      profile.orderTailEighths,
      profile.orderLeastLots,
      profile.orderMostLots,
    );
    this.#restingSizes = powerSizes(
      profile.restingTailEighths,
      profile.restingLeastLots,
      RESTING_MOST_LOTS,
    );
    this.#sweep = chance(profile.sweepChance);
  }

  /** Appends the slice's trades; their times lie in [startNs, endNs) and never decrease. */
  run(random: Random, flow: SliceFlow, out: TradeColumns): void {
    const base = out.count;
    if (flow.openingPrints > 0) {
      const at = flow.startNs + 1_000 + (random.next() & 0xfffff);
      this.#auction(random, at, flow.fromTicks, flow.openingPrints, out);
    }
    const firstNs = out.count > base ? out.ts[out.count - 1]! + 1_000 : flow.startNs;
    const lastNs = flow.closingPrints > 0 ? flow.endNs - CLOSING_NS : flow.endNs;
    const total = this.#drawWaits(random, flow.orders);
    this.#trade(random, flow, firstNs, lastNs, total, base, out);
    if (flow.closingPrints > 0) {
      const at = flow.endNs - 1_000_000 - (random.next() & 0xffffff);
      this.#auction(random, at, flow.toTicks, flow.closingPrints, out);
    }
  }

  /** Fills `#waits` with the orders' unscaled arrival times, and returns their end. */
  #drawWaits(random: Random, orders: number): number {
    if (this.#waits.length < orders) this.#waits = new Float64Array(orders * 2);
    const waits = this.#waits;
    let expected = 1;
    let at = 0;
    for (let k = 0; k < orders; k += 1) {
      let wait = drawExponential(random);
      if (k > 0 && random.next() < REACTION) {
        wait *= REACTION_WAIT;
      } else {
        wait *= expected;
        expected = ACD_CONSTANT + ACD_RECENT * wait + ACD_MEMORY * expected;
      }
      at += wait;
      waits[k] = at;
    }
    return at + drawExponential(random) * expected;
  }

  #trade(
    random: Random,
    flow: SliceFlow,
    firstNs: number,
    lastNs: number,
    total: number,
    base: number,
    out: TradeColumns,
  ): void {
    const { orders, toTicks, lead } = flow;
    const waits = this.#waits;
    const { quoteInertiaTicks: inertia, depthLots: depth } = this.#profile;
    const largeLots = LARGE_ORDERS * this.#profile.orderLeastLots;
    const trend = (toTicks - flow.fromTicks) / flow.deviationTicks;
    const lean = LEAN * Math.min(Math.max(trend, -LEAN_DEVIATIONS_MAX), LEAN_DEVIATIONS_MAX);
    const deviation = orders > 0 ? flow.deviationTicks / Math.sqrt(orders) : 0;
    const slope = 1 - 2 * lead;
    const lengthNs = lastNs - firstNs;
    // The price would have to return too fast after a late sweep.
    const sweepsUntil = Math.max(20, orders * 0.2);
    let fair = flow.fromTicks;
    let bid = Math.floor(fair);
    let side = random.next() & 1 ? 1 : -1;
    let ts = firstNs;
    let holdFrom = orders;
    let holdTo = orders;
    let holdSide = 1;
    if (orders > ABSORPTION_ORDERS_MIN * 4 && random.next() < ABSORPTION_SLICE) {
      holdFrom = Math.trunc(orders * (0.1 + 0.6 * random.unit()));
      holdTo = holdFrom + ABSORPTION_ORDERS_MIN + Math.trunc(orders * 0.08 * random.unit());
      holdSide = side;
    }
    for (let k = 0; k < orders; k += 1) {
      const p = waits[k]! / total;
      const x = slope * slope < 1e-6 ? p : (Math.sqrt(lead * lead + slope * p) - lead) / slope;
      ts = Math.max(ts + 1, Math.trunc(firstNs + x * lengthNs));
      if (ts >= lastNs || out.count - base > SLICE_PRINTS_MAX - 2 * ORDER_PRINTS_MAX) return;
      out.reserve(ORDER_PRINTS_MAX);
      if (k >= holdFrom && k < holdTo) {
        side = random.next() < 0xe000_0000 ? holdSide : -holdSide;
        const thrown = 2 * this.#drawLots(random);
        this.#hit(random, ts, side > 0 ? bid + 1 : bid, side, thrown, HELD_LEVEL * thrown, out);
        fair = bid + 0.5 - 0.2 * holdSide;
        continue;
      }
      const left = orders - k;
      fair += (toTicks - fair) / left + deviation * random.bell();
      let lots = this.#drawLots(random);
      // A very large order goes to a deeper level than usual; it may still walk a few prices.
      let level = depth + lots * 0.3;
      if (left > sweepsUntil && random.next() < this.#sweep) {
        const levels = 2 + Math.trunc(random.unit() * this.#profile.sweepReachTicks);
        lots += levels * (1 + Math.trunc(depth * 0.5 * random.unit()));
        level = lots / (levels + 1);
        side = fair < toTicks ? 1 : -1;
        fair += side * levels * SWEEP_LASTING;
      } else if (lots > largeLots && random.next() < INFORMED) side = fair < toTicks ? 1 : -1;
      else if (fair > bid + 1 + inertia) side = 1;
      else if (fair < bid - inertia) side = -1;
      else if (random.next() >= HERDING) {
        side = random.unit() < 0.5 + lean + 0.34 * (fair - bid - 0.5) ? 1 : -1;
      }
      const last = this.#hit(random, ts, side > 0 ? bid + 1 : bid, side, lots, level, out);
      fair += side * Math.min(lots / depth, IMPACT_DEPTHS_MAX) * IMPACT;
      if (fair > bid + 1 + inertia || fair < bid - inertia) bid = Math.floor(fair);
      else if (side > 0 && last > bid + 1) bid = last - 1;
      else if (side < 0 && last < bid) bid = last;
    }
  }

  #drawLots(random: Random): number {
    const lots = drawSize(random, this.#orderSizes);
    if (random.next() >= GIANT) return lots;
    return lots + Math.trunc(this.#profile.depthLots * (5 + 15 * random.unit()));
  }

  /** One aggressive order: fills resting orders from `price` on, about `levelLots` at each; returns the last price. */
  #hit(
    random: Random,
    ts: number,
    price: number,
    side: number,
    orderLots: number,
    levelLots: number,
    out: TradeColumns,
  ): number {
    if (random.next() < SPREAD_LEG) {
      out.push(ts, price, Math.min(orderLots * 3, this.#profile.orderMostLots), 0);
      return price;
    }
    let lots = orderLots;
    const fillFactor = 1 + (lots >> 5);
    let level = 1 + Math.trunc(levelLots * (0.4 + 1.2 * random.unit()));
    let levels = 0;
    let prints = 1;
    let at = price;
    while (true) {
      let fill = drawSize(random, this.#restingSizes) * fillFactor;
      if (fill > level) fill = level;
      if (fill >= lots || prints >= ORDER_PRINTS_MAX) {
        out.push(ts, at, lots, side);
        return at;
      }
      out.push(ts, at, fill, side);
      prints += 1;
      lots -= fill;
      level -= fill;
      if (level > 0) continue;
      levels += 1;
      if (levels < ORDER_LEVELS_MAX) at += side;
      level = 1 + Math.trunc(levelLots * (0.4 + 1.2 * random.unit()));
    }
  }

  /** All prints of an auction have one time and one price, and no aggressor. */
  #auction(random: Random, ts: number, fair: number, prints: number, out: TradeColumns): void {
    const count = Math.min(prints, AUCTION_PRINTS_MAX);
    const price = Math.round(fair);
    out.reserve(count);
    for (let i = 0; i < count; i += 1) {
      out.push(
        ts,
        price,
        drawSize(random, this.#orderSizes) + drawSize(random, this.#restingSizes),
        0,
      );
    }
  }
}
