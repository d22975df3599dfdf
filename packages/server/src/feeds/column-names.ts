/** Names of trade columns, most specific first, in the form of `plainName`. */

export const TIME_NAMES = [
  'tsevent',
  'timestamp',
  'datetime',
  'ts',
  'transacttime',
  'tradetime',
  'createdtime',
  'time',
];
export const PRICE_NAMES = ['price', 'px', 'tradeprice', 'last'];
export const SIZE_NAMES = [
  'size',
  'qty',
  'quantity',
  'amount',
  'volume',
  'vol',
  'contracts',
  'lots',
];
export const SIDE_NAMES = [
  'side',
  'aggressor',
  'aggressorside',
  'takerside',
  'tradeside',
  'direction',
];
export const MAKER_NAMES = ['isbuyermaker', 'buyermaker'];
export const SYMBOL_NAMES = ['symbol', 'instrument', 'instrumentname', 'contract', 'ticker'];
/** Words for buy and sell of the aggressor that are unambiguous. Ask and bid, and A and B, are not. */
export const SIDE_WORDS: readonly (readonly [string, string])[] = [
  ['buy', 'sell'],
  ['buyer', 'seller'],
  ['b', 's'],
  ['1', '-1'],
  ['+1', '-1'],
  ['1.0', '-1.0'],
];

/** The spellings of a word that programs use. */
export function spelled(word: string): readonly string[] {
  const first = word.charAt(0).toUpperCase() + word.slice(1);
  return [...new Set([word, first, word.toUpperCase()])];
}

/** `Bid Volume`, `bid_volume` and `BidVolume` are equal. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The first column with one of these names; null without one. */
export function columnNamed(columns: readonly string[], names: readonly string[]): string | null {
  for (const name of names) {
    const found = columns.find((column) => plainName(column) === name);
    if (found !== undefined) return found;
  }
  return null;
}
