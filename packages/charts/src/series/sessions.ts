/** The sessions that a chart marks: when each opened and closed, and its regular hours. */

export interface SessionSpan {
  /** Trading date, YYYYMMDD. */
  readonly date: number;
  readonly openNs: bigint;
  readonly closeNs: bigint;
  /** Null: no regular hours that day. */
  readonly regular: { readonly openNs: bigint; readonly closeNs: bigint } | null;
}

/** An alias stands for another contract from this instant on. */
export interface Roll {
  readonly atNs: bigint;
  readonly from: string;
  readonly to: string;
}

/** The index of the session that contains the instant; -1 between sessions. `spans` ascend by time. */
export function sessionAt(spans: readonly SessionSpan[], ns: bigint): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.openNs <= ns) low = middle + 1;
    else high = middle;
  }
  const at = low - 1;
  return at >= 0 && ns < spans[at]!.closeNs ? at : -1;
}
