/** The parameters of each simulated product: part of the tape's identity, since a change to one changes every day. */

export interface SimProfile {
  readonly root: string;
  /** The level around which the price moves, in units of price. */
  readonly basePrice: number;
  /** Standard deviation of a regular day's return. */
  readonly dailyVolatility: number;
  /** The share of its return from the market's common risk factor, -1 to 1. */
  readonly riskLoading: number;
  /** Yearly carry: the premium of a contract one year further out, as a fraction of the price. */
  readonly carry: number;
  /** Prints of the whole product on a regular day. */
  readonly printsPerDay: number;
  /** Measured mean prints per aggressive order with the sizes below. */
  readonly printsPerOrder: number;
  /** Tail and least size of aggressive orders, as `powerSizes` takes them. */
  readonly orderTailEighths: number;
  readonly orderLeastLots: number;
  readonly orderMostLots: number;
  /** Tail and least size of the resting orders they meet. */
  readonly restingTailEighths: number;
  readonly restingLeastLots: number;
  /** Lots that usually rest at the best price. */
  readonly depthLots: number;
  /** Distance of the fair price beyond the quote, in ticks, at which the quote follows. */
  readonly quoteInertiaTicks: number;
  /** Probability that an aggressive order sweeps several prices. */
  readonly sweepChance: number;
  /** Such a sweep takes at least 2 and fewer than 2 + this many further prices. */
  readonly sweepReachTicks: number;
  readonly rhythm: Rhythm;
}

/** Relative trading intensity of the parts of the day; see `rhythm.ts`. */
export interface Rhythm {
  readonly asia: number;
  readonly europe: number;
  readonly usDay: number;
  readonly usOpenPeak: number;
  readonly usClosePeak: number;
  readonly afterHours: number;
  /** Weight of economic releases at 08:30, 10:00 and 14:00 New York time. */
  readonly releases: number;
  /** Weight of the Wednesday 10:30 inventory report. */
  readonly inventories: number;
  /** Regular hours in minutes of the New York day, for days without hours in the calendar. */
  readonly usOpenMinute: number;
  readonly usCloseMinute: number;
  /** Activity on a weekend day of a market that never closes. */
  readonly weekend: number;
}

const EQUITY: Rhythm = {
  asia: 0.1,
  europe: 0.3,
  usDay: 1,
  usOpenPeak: 2.2,
  usClosePeak: 2.4,
  afterHours: 0.16,
  releases: 2.5,
  inventories: 0,
  usOpenMinute: 570,
  usCloseMinute: 960,
  weekend: 0,
};

export const SIM_PROFILES: readonly SimProfile[] = [
  {
    root: 'ES',
    basePrice: 6_850,
    dailyVolatility: 0.0085,
    riskLoading: 0.94,
    carry: 0.04,
    printsPerDay: 535_000,
    printsPerOrder: 2,
    orderTailEighths: 6,
    orderLeastLots: 1,
    orderMostLots: 2_400,
    restingTailEighths: 5,
    restingLeastLots: 1,
    depthLots: 90,
    quoteInertiaTicks: 0.3,
    sweepChance: 0.003,
    sweepReachTicks: 5,
    rhythm: EQUITY,
  },
  {
    root: 'NQ',
    basePrice: 25_200,
    dailyVolatility: 0.0115,
    riskLoading: 0.9,
    carry: 0.04,
    printsPerDay: 470_000,
    printsPerOrder: 1.56,
    orderTailEighths: 4,
    orderLeastLots: 1,
    orderMostLots: 400,
    restingTailEighths: 3,
    restingLeastLots: 1,
    depthLots: 4,
    quoteInertiaTicks: 0.5,
    sweepChance: 0.006,
    sweepReachTicks: 5,
    rhythm: { ...EQUITY, europe: 0.26 },
  },
  {
    root: 'CL',
    basePrice: 67,
    dailyVolatility: 0.019,
    riskLoading: 0.25,
    carry: -0.05,
    printsPerDay: 275_000,
    printsPerOrder: 1.8,
    orderTailEighths: 5,
    orderLeastLots: 1,
    orderMostLots: 600,
    restingTailEighths: 4,
    restingLeastLots: 1,
    depthLots: 18,
    quoteInertiaTicks: 0.35,
    sweepChance: 0.004,
    sweepReachTicks: 5,
    rhythm: {
      asia: 0.12,
      europe: 0.45,
      usDay: 1,
      usOpenPeak: 1.6,
      usClosePeak: 2.2,
      afterHours: 0.14,
      releases: 0.6,
      inventories: 4.5,
      usOpenMinute: 540,
      usCloseMinute: 870,
      weekend: 0,
    },
  },
  {
    root: 'GC',
    basePrice: 4_120,
    dailyVolatility: 0.0105,
    riskLoading: -0.05,
    carry: 0.042,
    printsPerDay: 260_000,
    printsPerOrder: 1.49,
    orderTailEighths: 4,
    orderLeastLots: 1,
    orderMostLots: 500,
    restingTailEighths: 4,
    restingLeastLots: 1,
    depthLots: 8,
    quoteInertiaTicks: 0.45,
    sweepChance: 0.005,
    sweepReachTicks: 5,
    rhythm: {
      asia: 0.25,
      europe: 0.5,
      usDay: 1,
      usOpenPeak: 1.8,
      usClosePeak: 1.2,
      afterHours: 0.2,
      releases: 3,
      inventories: 0,
      usOpenMinute: 500,
      usCloseMinute: 810,
      weekend: 0,
    },
  },
  {
    root: 'ZN',
    basePrice: 112.5,
    dailyVolatility: 0.0036,
    riskLoading: -0.2,
    carry: -0.012,
    printsPerDay: 190_000,
    printsPerOrder: 2.52,
    orderTailEighths: 6,
    orderLeastLots: 2,
    orderMostLots: 8_000,
    restingTailEighths: 5,
    restingLeastLots: 1.5,
    depthLots: 1_200,
    quoteInertiaTicks: 0.2,
    sweepChance: 0.0003,
    sweepReachTicks: 2,
    rhythm: {
      asia: 0.14,
      europe: 0.35,
      usDay: 1,
      usOpenPeak: 1,
      usClosePeak: 1.6,
      afterHours: 0.15,
      releases: 5,
      inventories: 0,
      usOpenMinute: 500,
      usCloseMinute: 900,
      weekend: 0,
    },
  },
  {
    root: '6E',
    basePrice: 1.168,
    dailyVolatility: 0.0044,
    riskLoading: 0.2,
    carry: 0.018,
    printsPerDay: 112_000,
    printsPerOrder: 1.8,
    orderTailEighths: 5,
    orderLeastLots: 1,
    orderMostLots: 900,
    restingTailEighths: 4,
    restingLeastLots: 1,
    depthLots: 45,
    quoteInertiaTicks: 0.3,
    sweepChance: 0.003,
    sweepReachTicks: 5,
    rhythm: {
      asia: 0.2,
      europe: 0.85,
      usDay: 1,
      usOpenPeak: 0.7,
      usClosePeak: 0.5,
      afterHours: 0.15,
      releases: 3,
      inventories: 0,
      usOpenMinute: 500,
      usCloseMinute: 900,
      weekend: 0,
    },
  },
  {
    root: 'BTC',
    basePrice: 98_000,
    dailyVolatility: 0.021,
    riskLoading: 0.4,
    carry: 0.06,
    printsPerDay: 245_000,
    printsPerOrder: 1.56,
    orderTailEighths: 4,
    orderLeastLots: 1,
    orderMostLots: 250,
    restingTailEighths: 3,
    restingLeastLots: 1,
    depthLots: 5,
    quoteInertiaTicks: 0.5,
    sweepChance: 0.006,
    sweepReachTicks: 5,
    rhythm: {
      asia: 0.55,
      europe: 0.6,
      usDay: 0.7,
      usOpenPeak: 1.2,
      usClosePeak: 0.8,
      afterHours: 0.5,
      releases: 2,
      inventories: 0,
      usOpenMinute: 570,
      usCloseMinute: 960,
      weekend: 0.45,
    },
  },
];
