/** What an export says of itself: the query, the contract that was read, the computation. */

import type { HistoryQuery } from '../history/history-query.ts';

export function exportHeader(
  query: HistoryQuery,
  engineFingerprint: string,
  lookBackFrom: string | null | undefined,
) {
  const { instrument, contract, dataset, tickSizeNanos, indicator, params, mode } = query;
  const { from, to, untilCursor } = query;
  return {
    version: 1,
    instrument,
    contract,
    ...(dataset === undefined ? {} : { dataset }),
    tickSizeNanos,
    indicator,
    params,
    mode,
    from: String(from),
    ...(untilCursor === null ? { to: String(to) } : { untilCursor }),
    engineFingerprint,
    ...(lookBackFrom === undefined ? {} : { lookBackFrom }),
  };
}
