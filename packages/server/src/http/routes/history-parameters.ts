/** The published parameters of history queries; `history-fields.ts` parses and checks them. */

import {
  CURSOR_PATTERN,
  INSTANT_TEXT_PATTERN,
  NEXT_PATTERN,
} from '@tapeloom/protocol/text-patterns';
import type { TObject, TSchema } from 'typebox';
import {
  EXPORT_FORMATS,
  HISTORY_PARAMETERS,
  type HistoryOperation,
  LIMIT_DEFAULT,
  LIMIT_MAX,
} from '../../history/history-fields.ts';
import { STUDIES_MAX } from '../../history/study-fields.ts';
import { IndicatorId } from '../contract/indicator-schemas.ts';
import { closedObject, Type } from '../contract/schema.ts';

const INSTANT = 'nanoseconds since 1970-01-01 UTC, an RFC 3339 time, or a date YYYY-MM-DD';

const REQUIRED: ReadonlySet<string> = new Set(['instrument', 'indicator', 'from']);
const SCHEMAS: Readonly<Record<string, TSchema>> = {
  instrument: Type.String({
    description: 'Symbol or alias. An alias designates the contract that it designated at `from`.',
  }),
  indicator: IndicatorId('The id of an indicator.'),
  params: Type.String({
    contentMediaType: 'application/json',
    description:
      'Parameters of the indicator, as a JSON object. A parameter that you leave out has its default.',
  }),
  from: Type.String({
    pattern: INSTANT_TEXT_PATTERN,
    description: `Start of the range: ${INSTANT}.`,
  }),
  to: Type.String({
    pattern: INSTANT_TEXT_PATTERN,
    description: `End of the range, exclusive: ${INSTANT}. Default: the newest time that the key may see.`,
  }),
  untilCursor: Type.String({
    pattern: CURSOR_PATTERN,
    description: 'Instead of `to`: the cursor of the last update of the range.',
  }),
  mode: Type.Enum(['live', 'confirmed'], {
    title: 'StreamMode',
    default: 'live',
    description:
      '`live`: the results end with the objects that still form at the end of the range.',
  }),
  dataset: Type.String({
    description: 'The dataset of the contract. Required if the contract is not streamed.',
  }),
  gaps: Type.Enum(['refuse', 'allow'], {
    title: 'GapsMode',
    default: 'refuse',
    description:
      '`allow`: if days or hours of the range are missing, you get the results of the rest, and a list of the gaps.',
  }),
  limit: Type.Integer({
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'The most results in a page. A page of `footprint` has at most 5,400.',
  }),
  cursor: Type.String({ pattern: NEXT_PATTERN, description: 'The `next` of the previous page.' }),
  snapshot: Type.Boolean({
    default: false,
    description:
      'The results start with the state at `from`. Then follows every update, as a stream published it.',
  }),
  format: Type.Enum([...EXPORT_FORMATS], {
    title: 'ExportFormat',
    default: 'ndjson',
    description:
      '`ndjson`: lines of JSON, compressed with zstd. `parquet`, `arrow`, `csv`: the same results as a ' +
      'table, one row each. `csv` is compressed with zstd too, and available only for indicators whose ' +
      'data has no lists.',
  }),
};

/** For exports and estimates, which accept several studies. */
const REPEATED: Readonly<Record<string, TSchema>> = {
  indicator: listed(
    IndicatorId('The id of an indicator.'),
    'The id of an indicator. For several indicators of one contract, repeat the parameter, at most ' +
      `${STUDIES_MAX} times.`,
  ),
  params: listed(
    Type.String({ contentMediaType: 'application/json' }),
    'Parameters of the indicator, as a JSON object. A parameter that you leave out has its default. ' +
      'With several indicators: as often as `indicator`, in the same order, or not at all.',
  ),
};

function listed(one: TSchema, description: string): TSchema {
  return Type.Union([one, Type.Array(one, { maxItems: STUDIES_MAX })], { description });
}

export function historyParameters(operation: HistoryOperation): TObject {
  const entries = HISTORY_PARAMETERS[operation].map((name): [string, TSchema] => {
    const repeated = operation === 'history' ? undefined : REPEATED[name];
    const schema = repeated ?? SCHEMAS[name]!;
    return [name, REQUIRED.has(name) ? schema : Type.Optional(schema)];
  });
  return closedObject(Object.fromEntries(entries));
}
