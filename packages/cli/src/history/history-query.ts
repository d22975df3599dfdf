/** Shared by `history`, `estimate` and `export`: the query, read from arguments and options. */

import type { StudyRequest } from '@tapeloom/client';
import type { EpochNs } from '@tapeloom/core/numbers';
import { readSince, timeText } from '../accounts/time-text.ts';
import { UsageError } from '../command.ts';
import { PLACE_OPTIONS } from '../customer/customer-options.ts';
import { readParams, readParamsList } from '../customer/params-option.ts';
import type { ReadArgs } from '../read-args.ts';
import { readInstant, requireRange } from '../time-options.ts';

/** `2h`, `7d`: a time that differs at every call. */
const SPAN = /^\d+[a-z]$/;

/** Options with a value, besides a command's own. */
export const QUERY_OPTIONS = [
  ...PLACE_OPTIONS,
  'from',
  'to',
  'params',
  'mode',
  'dataset',
  'gaps',
] as const;
export const QUERY_WORDS = ['the instrument (ES.c.0)', 'the indicator (footprint)'];

const OTHER_USAGE = `  --to <time>         likewise, not included (default: the newest time the key can see)
  --params <json>     parameters of the indicator, for example '{"size":300}'; of several (bars,footprint) a
                      list with one object for each
  --mode live|confirmed  live (default) ends with the objects that still form at --to
  --dataset <name>    required for a contract that is no longer streamed
  --gaps refuse|allow  allow: return what exists where days or hours are missing, and list the gaps`;

export const QUERY_USAGE = `  --from <time>       a date (its midnight UTC), a time like 2026-11-12T14:30:00Z, nanoseconds since 1970, or
                      a span until now like 2h or 7d
${OTHER_USAGE}`;

/** For commands whose times must be the same at every call. */
export const FIXED_QUERY_USAGE = `  --from <time>       a date (its midnight UTC), a time like 2026-11-12T14:30:00Z, or nanoseconds since 1970
${OTHER_USAGE}`;

export interface HistoryQuery {
  readonly instrument: string;
  readonly indicator: string;
  readonly from: EpochNs;
  /** Absent: the newest time the key can see. */
  readonly to?: EpochNs;
  readonly params?: Readonly<Record<string, unknown>>;
  /** For several indicators, instead of `params`; `indicator` stays as typed. */
  readonly studies?: readonly StudyRequest[];
  readonly mode?: 'live' | 'confirmed';
  readonly dataset?: string;
  readonly gaps?: 'refuse' | 'allow';
}

/** A span ends at `now`; null: spans are rejected. */
export function readQuery(
  { values, words }: ReadArgs<(typeof QUERY_OPTIONS)[number], never>,
  now: EpochNs | null,
): HistoryQuery {
  const [instrument, indicator] = words;
  const from = readTime('--from', values.from, now);
  const to = values.to === undefined ? null : readTime('--to', values.to, now);
  if (to !== null) requireRange(from, to);
  const { mode, dataset, gaps } = values;
  if (mode !== undefined && mode !== 'live' && mode !== 'confirmed') {
    throw new UsageError(`--mode must be live or confirmed; got ${mode}`);
  }
  if (gaps !== undefined && gaps !== 'refuse' && gaps !== 'allow') {
    throw new UsageError(`--gaps must be refuse or allow; got ${gaps}`);
  }
  return {
    instrument: instrument!,
    indicator: indicator!,
    from,
    ...(to === null ? {} : { to }),
    ...studiesOf(indicator!, values.params),
    ...(mode === undefined ? {} : { mode }),
    ...(dataset === undefined ? {} : { dataset }),
    ...(gaps === undefined ? {} : { gaps }),
  };
}

/** A list such as `bars,footprint` is several studies. */
function studiesOf(
  indicator: string,
  text: string | undefined,
): Pick<HistoryQuery, 'params' | 'studies'> {
  const names = indicator.split(',');
  if (names.length === 1) return text === undefined ? {} : { params: readParams(text) };
  if (text === undefined) return { studies: names.map((name) => ({ indicator: name })) };
  const list = readParamsList(text, names.length);
  return { studies: names.map((name, at) => ({ indicator: name, params: list[at]! })) };
}

function readTime(option: string, text: string | undefined, now: EpochNs | null): EpochNs {
  if (text === undefined || !SPAN.test(text)) return readInstant(option, text);
  if (now !== null) return readSince(option, text, now);
  throw new UsageError(
    `${option} must be a fixed time: with ${text} the same command would not find its file again`,
  );
}

/** `ES.c.0 footprint, 2026-11-12 00:00:00Z to 2026-11-13 00:00:00Z`. */
export function queryText({ instrument, indicator, from, to }: HistoryQuery): string {
  const end = to === undefined ? 'now' : timeText(to);
  return `${instrument} ${indicator}, ${timeText(from)} to ${end}`;
}
