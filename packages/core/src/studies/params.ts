/**
 * A customer's parameters, validated against the published definition. Accepted ones are canonical: every parameter
 * present, keys sorted, numbers normalised; equivalent requests have equal texts. Errors are reported field by field,
 * by JSON pointer, in sentences.
 */

import type { IndicatorDefinition, ParameterDefinition, Params, ParamValue } from './indicator.ts';

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
    const value = given.get(parameter.name);
    if (!given.has(parameter.name)) continue;
    const message = faultOf(parameter, value);
    if (message !== null) faults.push({ path: pointer(parameter.name), message });
    // Adding 0 turns a negative zero into the zero it equals.
    else values.set(parameter.name, typeof value === 'number' ? value + 0 : (value as ParamValue));
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
  return definition.parameters.some(({ name }) => params[name] !== defaults[name]);
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

/** What is wrong with this value, as a sentence; null when nothing is. */
function faultOf(parameter: ParameterDefinition, value: unknown): string | null {
  switch (parameter.type) {
    case 'integer':
    case 'number':
      if (isAllowedWord(parameter, value) || isAllowedNumber(parameter, value)) return null;
      return `Must be ${[...wordsAllowed(parameter), numbersAllowed(parameter)].join(' or ')}.`;
    case 'boolean':
      return typeof value === 'boolean' ? null : 'Must be true or false.';
    case 'string':
      if (isAllowedWord(parameter, value)) return null;
      return `Must be one of ${wordsAllowed(parameter).join(', ')}.`;
    default:
      throw new RangeError(`unknown parameter type: ${parameter.type satisfies never}`);
  }
}

function isAllowedWord({ values = [] }: ParameterDefinition, value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}

function wordsAllowed({ values = [] }: ParameterDefinition): readonly string[] {
  return values.map((word) => `"${word}"`);
}

function isAllowedNumber(parameter: ParameterDefinition, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (parameter.type === 'integer' && !Number.isSafeInteger(value)) return false;
  if (value < (parameter.minimum ?? -Infinity) || value > (parameter.maximum ?? Infinity)) {
    return false;
  }
  if (parameter.multipleOf === undefined) return true;
  // A decimal such as 1.15 is no exact double: it is on the grid if it is the double nearest to it.
  const perUnit = Math.round(1 / parameter.multipleOf);
  return Math.round(value * perUnit) / perUnit === value;
}

function numbersAllowed(parameter: ParameterDefinition): string {
  const kind = parameter.type === 'integer' ? 'a whole number' : 'a number';
  const { minimum, maximum, multipleOf, unit } = parameter;
  let range = '';
  if (minimum !== undefined && maximum !== undefined) range = ` from ${minimum} to ${maximum}`;
  else if (minimum !== undefined) range = ` of ${minimum} or more`;
  else if (maximum !== undefined) range = ` of ${maximum} or less`;
  const grid = multipleOf === undefined ? '' : `, a multiple of ${multipleOf}`;
  return `${kind}${range}${grid}${unit === undefined ? '' : ` (${unit})`}`;
}

function unknownMessage(definition: IndicatorDefinition, name: string): string {
  const shown = JSON.stringify(name.slice(0, NAME_SHOWN_MAX));
  const known = definition.parameters.map((parameter) => parameter.name).join(', ');
  return `"${definition.id}" has no parameter ${shown}; it has ${known}.`;
}

function pointer(name: string): string {
  return `/${name.slice(0, NAME_SHOWN_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
