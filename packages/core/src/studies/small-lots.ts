/**
 * Sums of lots in 32-bit integers, which processors add several times faster than doubles: of no more
 * than `SMALL_ROWS_MAX` trades, each of no more than `SMALL_LOTS_MAX` lots, no sum reaches 2^31. Nearly
 * all trades are so small; whoever uses this adds the others one by one in doubles.
 *
 * A bitwise or of sizes tells whether all of them are small: it exceeds the limit when one of them does.
 */

export const SMALL_LOTS_MAX = 2 ** 15 - 1;
export const SMALL_ROWS_MAX = 2 ** 16 - 1;
