/**
 * An indicator is published data plus the study that computes it. `GET /v1/indicators` shows exactly this record
 * without its functions, so a customer can reproduce every number from it.
 */

// There are two kinds of look-back. Both are finite; `lookBackSessionsMax` is their length.
// - A study that needs a past value (a threshold) takes it from the newest earlier session that has it and is complete
//   on the tape (`InheritedValue`). `Study.warm` is true once it has the value. A run starts at the newest session that
//   leaves it warm, and from there knows what a run that never ended knows.
// - A study whose objects outlive their session (`objectsOutliveSession`: zones, levels) carries them and is always
//   warm. A run starts exactly `lookBackSessionsMax` sessions of the table, on the tape or not, before the first
//   session that reaches into the UTC day of the current open. It reads everything since. At that day's midnight
//   numbering restarts, and the run carries the same objects as one that never ended: so both number every later update
//   equally. The study counts opened sessions, and at a close removes objects made that many sessions before. Such
//   objects are final at birth, each ends by a published `remove` (its ts is the time of removal), and the indicator
//   has no `depth`.

import type { SessionKind } from '../calendar/session.ts';
import type { Deprecation } from '../deprecation.ts';
import type { Study } from './study.ts';

/** A value of a parameter; a list is ascending and has no number twice. */
export type ParamValue = number | string | boolean | readonly number[];
/** Parameters in canonical form: every parameter present, keys sorted, numbers normalised, lists ascending. */
export type Params = Readonly<Record<string, ParamValue>>;
/** Parameters as a customer gives them: those that are left out have their defaults. */
export type GivenParams = Params;

export type ParameterType = 'integer' | 'number' | 'string' | 'boolean' | 'integers';
export type ParameterDefinition = SingleParameter | ListParameter;

export interface SingleParameter extends ParameterFacts<number | string | boolean> {
  readonly type: Exclude<ParameterType, 'integers'>;
}

/** Different whole numbers, each between the bounds; their order makes no difference. */
interface ListParameter extends ParameterFacts<readonly number[]> {
  readonly type: 'integers';
  readonly minimum: number;
  readonly maximum: number;
  readonly minItems: number;
  readonly maxItems: number;
  readonly multipleOf?: never;
  readonly values?: never;
}

interface ParameterFacts<Value extends ParamValue> {
  readonly name: string;
  readonly default: Value;
  /** Where the default depends on another parameter's value: `{ by: 'bar', values: { tick: 1000 } }`. */
  readonly defaultBy?: {
    readonly by: string;
    readonly values: Readonly<Record<string, Value>>;
  };
  /** Of a number, and of each number of a list. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** The grid of a `number` parameter (0.01), so that it is exact as a whole number of grid steps. */
  readonly multipleOf?: number;
  /** How many numbers a list has. */
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The allowed values of a `string` parameter; of a number, the words it takes in place of one. */
  readonly values?: readonly string[];
  readonly unit?: string;
  /** `view`: changes what a snapshot shows, not what is computed. */
  readonly category?: 'view';
  readonly description: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface IndicatorDefinition {
  readonly id: string;
  /** Raised by one whenever the same tape gives different results (`computation.ts`). */
  readonly version: number;
  readonly name: string;
  /** One paragraph, exact enough to reproduce every number. */
  readonly description: string;
  readonly parameters: readonly ParameterDefinition[];
  /** JSON Schema of an object's `data`. */
  readonly data: JsonSchema;
  readonly computeUnitsPerTrade: number;
  /** Absent: it stays. */
  readonly deprecated?: Deprecation;
  readonly presets: readonly {
    readonly id: string;
    readonly name: string;
    readonly params: GivenParams;
  }[];
  readonly example: {
    readonly id: string;
    readonly final: boolean;
    readonly ts: string;
    readonly data: unknown;
  };
}

/** The schema of an object with all of these properties and no others. */
export function closedObject(properties: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export interface Indicator extends IndicatorDefinition {
  /** The kind of sessions that the study runs over. */
  sessionKind(params: Params): SessionKind;
  /**
   * How many sessions before the current one a run may have to start so that its state is right; if objects outlive
   * their session, exactly how many (see above).
   */
  lookBackSessionsMax(params: Params): number;
  /** Objects stay across sessions until they are removed; otherwise they end with their session. */
  readonly objectsOutliveSession?: true;
  create(params: Params): Study;
}
