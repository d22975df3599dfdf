/**
 * An indicator is published data plus the study that computes it. What `GET /v1/indicators` shows is
 * exactly this record (without the functions), so a customer can reproduce every number from it.
 *
 * Two kinds of look-back, both finite, both told by `lookBackSessionsMax`:
 * - A study that needs something of the past (a threshold) takes it from the newest earlier session that
 *   has it and is complete on the tape (`InheritedValue`), and says through `Study.warm` whether it has
 *   it. A run starts at the newest session that leaves it warm: from there on it knows what a run that
 *   never ended knows.
 * - A study whose objects outlive their session (`objectsOutliveSession`: zones, levels) carries them.
 *   A run starts exactly `lookBackSessionsMax` sessions of the table before the first one that reaches
 *   into the UTC day on which the current one opened, whatever of them is on the tape, and reads
 *   everything since: at that day's midnight, where numbering starts afresh, it carries what a run
 *   that never ended carries, so both give every later update the same number. The study is always
 *   warm; it counts the sessions that open, and removes at a session's close what was made that many
 *   sessions before. Such objects are final at birth, every one ends by a published `remove` (its ts
 *   is the time of the removal), and the indicator has no `depth`.
 */

import type { SessionKind } from '../calendar/session.ts';
import type { Deprecation } from '../deprecation.ts';
import type { Study } from './study.ts';

export type ParamValue = number | string | boolean;
/** Parameters in canonical form: every parameter present, keys sorted, numbers normalised. */
export type Params = Readonly<Record<string, ParamValue>>;

export interface ParameterDefinition {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'string' | 'boolean';
  readonly default: ParamValue;
  /** Where the default depends on another parameter's value: `{ by: 'bar', values: { tick: 1000 } }`. */
  readonly defaultBy?: {
    readonly by: string;
    readonly values: Readonly<Record<string, ParamValue>>;
  };
  readonly minimum?: number;
  readonly maximum?: number;
  /** The grid of a `number` parameter (0.01), so that it is exact as a whole number of grid steps. */
  readonly multipleOf?: number;
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
  /** Raised by one whenever the same tape gives other results (`computation.ts`). */
  readonly version: number;
  readonly name: string;
  /** One paragraph, exact enough to reproduce every number. */
  readonly description: string;
  readonly parameters: readonly ParameterDefinition[];
  /** JSON Schema of an object's `data`. */
  readonly data: JsonSchema;
  readonly computeUnitsPerTrade: number;
  /** Left out: it stays. */
  readonly deprecated?: Deprecation;
  readonly presets: readonly {
    readonly id: string;
    readonly name: string;
    readonly params: Readonly<Record<string, ParamValue>>;
  }[];
  readonly example: {
    readonly id: string;
    readonly final: boolean;
    readonly ts: string;
    readonly data: unknown;
  };
}

/** An object that has all of these properties, and no others. */
export function closedObject(properties: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export interface Indicator extends IndicatorDefinition {
  /** Which sessions the study runs over. */
  sessionKind(params: Params): SessionKind;
  /**
   * How many sessions before the current one a run may have to start so that its state is right;
   * where objects outlive their session, exactly how many (see above).
   */
  lookBackSessionsMax(params: Params): number;
  /** Objects stay until they are removed, across sessions; without it they end with their session. */
  readonly objectsOutliveSession?: true;
  create(params: Params): Study;
}
