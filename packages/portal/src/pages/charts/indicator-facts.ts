/** What the page knows of the indicators beyond their schema: where they stand in the drawer, and in few words. */

export interface IndicatorFacts {
  /** In the legend row. */
  readonly short: string;
  /** In the drawer, below the name. */
  readonly say: string;
}

export const INDICATOR_FACTS: Readonly<Record<string, IndicatorFacts>> = {
  footprint: { short: 'Footprint', say: 'Bid and ask at each price of a bar' },
  bars: { short: 'Bars', say: 'Candles, six kinds of bars' },
  vwap: { short: 'VWAP', say: 'Average price of all lots, with bands' },
  'large-trades': { short: 'Large', say: 'Big orders put together again' },
  sweeps: { short: 'Sweeps', say: 'One order through several prices' },
  absorption: { short: 'Absorption', say: 'Much volume, and the price held' },
  imbalances: { short: 'Zones', say: 'Zones that one side left behind' },
  'unfinished-auctions': { short: 'Auctions', say: 'Extremes where both sides traded' },
  'naked-levels': { short: 'Naked', say: 'Old POC, VAH, VAL not traded since' },
  'session-levels': { short: 'Levels', say: 'Open, high, low, initial balance' },
  'volume-profile': { short: 'Profile', say: 'Volume by price' },
  tpo: { short: 'TPO', say: 'Time by price, in letters' },
  delta: { short: 'Cum. delta', say: 'Buying less selling since the open' },
  'tape-speed': { short: 'Speed', say: 'Trades a second, and bursts' },
};

/** Whether this page can draw it; others are shown as a table from their schema. */
export function isDrawn(indicator: string): boolean {
  return Object.hasOwn(INDICATOR_FACTS, indicator);
}

export function shortName(indicator: string): string {
  return isDrawn(indicator) ? INDICATOR_FACTS[indicator]!.short : indicator;
}
