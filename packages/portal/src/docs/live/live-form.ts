/**
 * An indicator's parameters as a small form: the catalogue's definitions give the fields, and the service's rules check
 * the input. Defaults are omitted, because a plan counts configurations that differ from them.
 */

import type {
  IndicatorDefinition,
  ParameterDefinition,
  Params,
} from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { LiveParams } from './live-stream.ts';

export interface FormField {
  readonly name: string;
  readonly kind: 'choice' | 'text';
  readonly options: readonly string[];
  /** The value that applies while the field is empty. */
  readonly placeholder: string;
  readonly hint: string;
}

/** Typed text by parameter name; absent or empty means the default. */
export type Typed = Readonly<Record<string, string>>;

export type ReadForm =
  | { readonly given: LiveParams; readonly params: Params }
  | { readonly faults: Readonly<Record<string, string>> };

export function formFields(definition: IndicatorDefinition, typed: Typed): readonly FormField[] {
  return shownParameters(definition).map((parameter) => ({
    name: parameter.name,
    kind: isChoice(parameter) ? 'choice' : 'text',
    options: parameter.type === 'boolean' ? ['true', 'false'] : (parameter.values ?? []),
    placeholder: String(defaultOf(parameter, typed)),
    hint: hintOf(parameter),
  }));
}

export function readForm(definition: IndicatorDefinition, typed: Typed): ReadForm {
  const given: Record<string, unknown> = {};
  for (const parameter of shownParameters(definition)) {
    const text = (typed[parameter.name] ?? '').trim();
    if (text !== '') given[parameter.name] = typedValue(parameter, text);
  }
  const parsed = parseParams(definition, given);
  if ('faults' in parsed) {
    return {
      faults: Object.fromEntries(
        parsed.faults.map(({ path, message }) => [path.slice(1), message]),
      ),
    };
  }
  const needed = Object.keys(given).filter((name) => {
    const { [name]: _, ...others } = given;
    const without = parseParams(definition, others);
    return !('params' in without) || without.params[name] !== parsed.params[name];
  });
  return {
    given: Object.fromEntries(needed.map((name) => [name, parsed.params[name]!])),
    params: parsed.params,
  };
}

function shownParameters({ parameters }: IndicatorDefinition): readonly ParameterDefinition[] {
  return parameters.filter(({ category }) => category !== 'view');
}

function isChoice({ type }: ParameterDefinition): boolean {
  return type === 'string' || type === 'boolean';
}

/** Text that is no number stays text, so that the check rejects it with a message. */
function typedValue({ type }: ParameterDefinition, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  if (type === 'string') return text;
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function defaultOf({ default: value, defaultBy }: ParameterDefinition, typed: Typed): unknown {
  if (defaultBy === undefined) return value;
  return defaultBy.values[typed[defaultBy.by] ?? ''] ?? value;
}

function hintOf({ type, minimum, maximum, unit, values = [] }: ParameterDefinition): string {
  if (type === 'string' || type === 'boolean') return '';
  const range = `${minimum?.toLocaleString('en')} to ${maximum?.toLocaleString('en')}`;
  return [...values, unit === undefined ? range : `${range} ${unit}`].join(', or ');
}
