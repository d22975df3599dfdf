/**
 * An indicator is published data plus the study that computes it. What `GET /v1/indicators` shows is
 * exactly this record (without the functions), so a customer can reproduce every number from it.
 */

import type { SessionKind } from '../calendar/session.ts';
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
  /** The allowed values of a `string` parameter. */
  readonly values?: readonly string[];
  readonly unit?: string;
  /** `view`: changes what a snapshot shows, not what is computed. */
  readonly category?: 'view';
  readonly description: string;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface IndicatorDefinition {
  readonly id: string;
  readonly name: string;
  /** One paragraph, exact enough to reproduce every number. */
  readonly description: string;
  readonly parameters: readonly ParameterDefinition[];
  /** JSON Schema of an object's `data`. */
  readonly data: JsonSchema;
  readonly computeUnitsPerTrade: number;
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

export interface Indicator extends IndicatorDefinition {
  /** Which sessions the study runs over. */
  sessionKind(params: Params): SessionKind;
  /**
   * How many sessions before the current one a run may have to start so that its state is right.
   * A run starts at the first session that leaves `Study.warm` true, looking at most this far back.
   */
  lookBackSessionsMax(params: Params): number;
  create(params: Params): Study;
}
