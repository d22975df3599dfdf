/** Recognises exchange symbols that are no futures, as Databento writes them. */

const OPTION = / [CP]\d/;

/** `spread` for `ESU4-ESZ4`, `option` for `ESH4 C5000`, null for others. */
export function noFuture(symbol: string): string | null {
  if (symbol.includes('-')) return 'spread';
  return OPTION.test(symbol) ? 'option' : null;
}
