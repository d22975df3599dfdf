/** What the simulated venue lists, and what it can be told. */

export type VenueOrder = 'addresses' | 'trade' | 'quiet' | 'down' | 'up' | 'times';

export function contractOf(number: number) {
  return { venueSymbol: `C${`${number}`.padStart(3, '0')}USDT`, tick: '0.1', lot: '0.001' };
}
