/**
 * The fields of a query for one or several indicators of one contract: `indicator` repeated, with `params` in the same
 * order. Each study is parsed as if it were requested alone; its errors carry its index in the list, `/indicator/3` or
 * `/params/2/size`. Pages have one study.
 */

import type { FieldFault } from '@tapeloom/protocol/problem';
import {
  FAULTS_MAX,
  type HistoryFields,
  type HistoryOperation,
  readHistoryFields,
} from './history-fields.ts';

export const STUDIES_MAX = 8;
/** Fields of an estimate that apply to pages only. */
const OF_PAGES = ['limit', 'cursor', 'snapshot'];
const OF_STUDY = /^\/(?:indicator|params)(?=\/|$)/;

type Raw = Readonly<Record<string, unknown>>;

export type ReadStudies =
  | { readonly studies: readonly HistoryFields[] }
  | { readonly faults: readonly FieldFault[] };

export function readStudyFields(raw: Raw, operation: HistoryOperation): ReadStudies {
  const { indicator } = raw;
  if (!Array.isArray(indicator) || operation === 'history') {
    const read = readHistoryFields(raw, operation);
    return 'faults' in read ? read : { studies: [read.fields] };
  }
  const wrong = listFaults(raw, indicator.length);
  if (wrong.length > 0) return { faults: wrong };
  const { indicator: _indicator, params: list, ...common } = raw;
  const reads = indicator.map((id: unknown, at) => {
    const params = Array.isArray(list) ? { params: list[at] } : {};
    return readHistoryFields({ ...common, indicator: id, ...params }, operation);
  });
  const faults = reads.flatMap((read, at) => ('faults' in read ? faultsAt(read.faults, at) : []));
  if (faults.length > 0) return { faults: faults.slice(0, FAULTS_MAX) };
  return { studies: reads.flatMap((read) => ('fields' in read ? [read.fields] : [])) };
}

function listFaults(raw: Raw, count: number): readonly FieldFault[] {
  if (count > STUDIES_MAX) {
    return [{ path: '/indicator', message: `must be given ${STUDIES_MAX} times at most` }];
  }
  const { params } = raw;
  const isListed = params === undefined || (Array.isArray(params) && params.length === count);
  const message = `must be left out, or given ${count} times, in the order of /indicator`;
  const paged = OF_PAGES.filter((name) => raw[name] !== undefined);
  return [
    ...(isListed ? [] : [{ path: '/params', message }]),
    ...paged.map((name) => ({
      path: `/${name}`,
      message: 'applies to pages, which have one indicator',
    })),
  ];
}

/** Errors of common fields are reported with the first study only. */
function faultsAt(faults: readonly FieldFault[], at: number): readonly FieldFault[] {
  return faults.flatMap(({ path, message }) => {
    if (OF_STUDY.test(path)) {
      return [{ path: path.replace(OF_STUDY, (name) => `${name}/${at}`), message }];
    }
    return at === 0 ? [{ path, message }] : [];
  });
}
