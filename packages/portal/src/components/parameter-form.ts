/**
 * An indicator's parameters as a small form: the catalogue's definitions give the fields, and the service's rules check
 * the input. Defaults are omitted, because a plan counts configurations that differ from them.
 */

import type {
  GivenParams,
  IndicatorDefinition,
  ParameterDefinition,
  Params,
  ParamValue,
} from '@tapeloom/core/studies/indicator';
import { allowedInShort, valueText } from '@tapeloom/core/studies/parameter-words';
import { isSameValue, parseParams } from '@tapeloom/core/studies/params';

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
  | { readonly given: GivenParams; readonly params: Params }
  | { readonly faults: Readonly<Record<string, string>> };

export function formFields(definition: IndicatorDefinition, typed: Typed): readonly FormField[] {
  return shownParameters(definition).map((parameter) => ({
    name: parameter.name,
    kind: isChoice(parameter) ? 'choice' : 'text',
    options: parameter.type === 'boolean' ? ['true', 'false'] : (parameter.values ?? []),
    placeholder: valueText(defaultOf(parameter, typed)),
    hint: isChoice(parameter) ? '' : allowedInShort(parameter),
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
    // Of a list, the first number that is wrong is reported at its field.
    const faults = parsed.faults.map(({ path, message }) => [path.split('/')[1], message] as const);
    return { faults: Object.fromEntries(faults.toReversed()) };
  }
  const needed = Object.keys(given).filter((name) => {
    const { [name]: _, ...others } = given;
    const without = parseParams(definition, others);
    return !('params' in without) || !isSameValue(without.params[name], parsed.params[name]);
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
  return type === 'integers' ? typedList(text) : typedNumber(text);
}

function typedList(text: string): readonly unknown[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return text === valueText([]) ? [] : parts.map(typedNumber);
}

function typedNumber(text: string): unknown {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function defaultOf({ default: value, defaultBy }: ParameterDefinition, typed: Typed): ParamValue {
  if (defaultBy === undefined) return value;
  return defaultBy.values[typed[defaultBy.by] ?? ''] ?? value;
}
