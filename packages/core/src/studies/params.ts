/**
 * A customer's parameters, validated against the published definition. Accepted ones are canonical: every parameter
 * present, keys sorted, numbers normalised; equivalent requests have equal texts. Errors are reported field by field,
 * by JSON pointer, in sentences.
 */

import type { IndicatorDefinition, ParameterDefinition, Params, ParamValue } from './indicator.ts';
import { allowedInSentence } from './parameter-words.ts';

/** The most errors reported at once, so that a nonsensical request does not get an endless response. */
const FAULTS_MAX = 32;
const NAME_SHOWN_MAX = 64;

export interface ParamFault {
  /** JSON pointer below the parameter object: `/size`. */
  readonly path: string;
  readonly message: string;
}

export type ParsedParams = { readonly params: Params } | { readonly faults: readonly ParamFault[] };

export function parseParams(definition: IndicatorDefinition, input: unknown): ParsedParams {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { faults: [{ path: '', message: 'Parameters must be an object.' }] };
  }
  const given = new Map<string, unknown>(Object.entries(input));
  const faults: ParamFault[] = [];
  for (const name of given.keys()) {
    if (faults.length === FAULTS_MAX) break;
    if (!definition.parameters.some((parameter) => parameter.name === name)) {
      faults.push({ path: pointer(name), message: unknownMessage(definition, name) });
    }
  }
  const values = new Map<string, ParamValue>();
  for (const parameter of definition.parameters) {
    if (!given.has(parameter.name)) continue;
    const value = given.get(parameter.name);
    const found = faultsOf(parameter, value);
    if (found.length > 0) faults.push(...found);
    else values.set(parameter.name, canonicalValue(value as ParamValue));
  }
  if (faults.length > 0) return { faults: faults.slice(0, FAULTS_MAX) };
  return { params: withDefaults(definition, values) };
}

/** What makes two subscriptions one topic: all parameters but those that only change the view. */
export function canonicalText(definition: IndicatorDefinition, params: Params): string {
  const computing = definition.parameters
    .filter((parameter) => parameter.category !== 'view')
    .map((parameter) => [parameter.name, params[parameter.name]] as const);
  return JSON.stringify(sortedRecord(computing));
}

/** Whether any parameter, view ones included, differs from the indicator's defaults. */
export function isCustom(definition: IndicatorDefinition, params: Params): boolean {
  const defaults = withDefaults(definition, new Map());
  return definition.parameters.some(({ name }) => !isSameValue(params[name], defaults[name]));
}

/** Of two canonical values, or none. */
export function isSameValue(one: ParamValue | undefined, other: ParamValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function withDefaults(
  definition: IndicatorDefinition,
  values: ReadonlyMap<string, ParamValue>,
): Params {
  const byName = new Map(definition.parameters.map((parameter) => [parameter.name, parameter]));
  const filled = (parameter: ParameterDefinition): ParamValue => {
    const value = values.get(parameter.name);
    if (value !== undefined) return value;
    const deciding = parameter.defaultBy && byName.get(parameter.defaultBy.by);
    if (deciding === undefined) return parameter.default;
    return parameter.defaultBy!.values[String(filled(deciding))] ?? parameter.default;
  };
  return sortedRecord(definition.parameters.map((it) => [it.name, filled(it)] as const)) as Params;
}

function sortedRecord<T>(entries: (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adding 0 turns a negative zero into the zero it equals. */
function canonicalValue(value: ParamValue): ParamValue {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'object' ? value.map((item) => item + 0).sort((a, b) => a - b) : value;
}

function faultsOf(parameter: ParameterDefinition, value: unknown): readonly ParamFault[] {
  const path = pointer(parameter.name);
  const message = `Must be ${allowedInSentence(parameter)}.`;
  switch (parameter.type) {
    case 'integer':
    case 'number':
      if (isAllowedWord(parameter, value) || isAllowedNumber(parameter, value)) return [];
      return [{ path, message }];
    case 'boolean':
      return typeof value === 'boolean' ? [] : [{ path, message }];
    case 'string':
      return isAllowedWord(parameter, value) ? [] : [{ path, message }];
    case 'integers':
      if (!Array.isArray(value) || !isAllowedCount(parameter, value.length)) {
        return [{ path, message }];
      }
      return itemFaults(parameter, value, path);
    default:
      throw new RangeError(`unknown parameter: ${parameter satisfies never}`);
  }
}

function itemFaults(
  parameter: ParameterDefinition,
  list: readonly unknown[],
  path: string,
): readonly ParamFault[] {
  const item = `Must be ${allowedInSentence({ ...parameter, type: 'integer' })}.`;
  // `from` visits holes too.
  return Array.from(list).flatMap((value, at) => {
    if (!isAllowedNumber(parameter, value)) return [{ path: `${path}/${at}`, message: item }];
    if (list.indexOf(value) === at) return [];
    return [{ path: `${path}/${at}`, message: 'Must not be in the list twice.' }];
  });
}

function isAllowedCount(
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: ParameterDefinition,
  count: number,
): boolean {
  return count >= minItems && count <= maxItems;
}

function isAllowedWord({ values = [] }: ParameterDefinition, value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}

function isAllowedNumber(parameter: ParameterDefinition, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (parameter.type !== 'number' && !Number.isSafeInteger(value)) return false;
  if (value < (parameter.minimum ?? -Infinity) || value > (parameter.maximum ?? Infinity)) {
    return false;
  }
  if (parameter.multipleOf === undefined) return true;
  // A decimal such as 1.15 is no exact double: it is on the grid if it is the double nearest to it.
  const perUnit = Math.round(1 / parameter.multipleOf);
  return Math.round(value * perUnit) / perUnit === value;
}

function unknownMessage(definition: IndicatorDefinition, name: string): string {
  const shown = JSON.stringify(name.slice(0, NAME_SHOWN_MAX));
  const known = definition.parameters.map((parameter) => parameter.name).join(', ');
  return `"${definition.id}" has no parameter ${shown}; it has ${known}.`;
}

function pointer(name: string): string {
  return `/${name.slice(0, NAME_SHOWN_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
