/** The header's facts of an export: the query, the contract that was read, the computation. */

import type { GapList } from '../history/gap-list.ts';
import type { HistoryQuery } from '../history/history-query.ts';

/** One of the studies of an export; their queries differ in indicator and parameters alone. */
export interface ExportStudy {
  readonly query: HistoryQuery;
  /** Undefined for a resumed export from before this fact existed: its header stays the same. */
  readonly lookBackFrom: string | null | undefined;
}

export function exportHeader(
  studies: readonly ExportStudy[],
  engineFingerprint: string,
  /** The missing parts of the range, where they are allowed. */
  gaps: GapList | null = null,
) {
  const { query, lookBackFrom } = studies[0]!;
  const { instrument, contract, dataset, tickSizeNanos, indicator, params, mode } = query;
  const { from, to, untilCursor } = query;
  const isOne = studies.length === 1;
  return {
    version: 1,
    instrument,
    contract,
    ...(dataset === undefined ? {} : { dataset }),
    tickSizeNanos,
    ...(isOne ? { indicator, params } : { studies: studies.map(studyFacts) }),
    mode,
    from: String(from),
    ...(untilCursor === null ? { to: String(to) } : { untilCursor }),
    engineFingerprint,
    ...(isOne && lookBackFrom !== undefined ? { lookBackFrom } : {}),
    ...gaps,
  };
}

function studyFacts({ query: { indicator, params }, lookBackFrom }: ExportStudy) {
  return { indicator, params, lookBackFrom };
}
