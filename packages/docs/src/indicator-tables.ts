/** Renders an indicator's parameters and object members from the catalogue, as tables. */

import type { JsonSchema, ParameterDefinition } from '@tapeloom/core/studies/indicator';
import { allowedInShort, valueText } from '@tapeloom/core/studies/parameter-words';
import { code, table } from './markdown-table.ts';

export function parametersTable(parameters: readonly ParameterDefinition[]): string {
  const rows = parameters.map((parameter) => {
    const { name, type, description, category } = parameter;
    const view = category === 'view' ? ' Changes the view only, not what is computed.' : '';
    return [
      code(name),
      type,
      allowedInShort(parameter, code),
      defaultText(parameter),
      `${description}${view}`,
    ];
  });
  return table(['parameter', 'type', 'allowed', 'default', 'what it does'], rows);
}

export function fieldsTable(schema: JsonSchema): string {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const rows = Object.entries(properties).map(([name, field]) => [
    code(name),
    kindOf(field),
    unitOf(field),
    String(field.description ?? ''),
  ]);
  return table(['field', 'type', 'unit', 'meaning'], rows);
}

function kindOf({ type, enum: values }: JsonSchema): string {
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(', ');
  return [type].flat().join(' or ');
}

/** The first match gives the unit; members without a match, such as names, have none. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/per second/, 'trades a second'],
  [/^\[price, bid, ask\]/, 'ticks, lots'],
  [/^\[price, letters\]/, 'ticks, letters'],
  [/^\[price, side\]/, 'ticks, side'],
  [/^Distinct prices/, 'prices'],
  [/^Adjacent rows/, 'rows'],
  [/in ticks|^Most ticks|\bprices? of\b|^vwap [+-]/i, 'ticks'],
  [/\blots\b|\bdelta\b|^ask - bid/i, 'lots'],
  [/\btrades\b|\bprints\b/i, 'trades'],
];

function unitOf({ type, pattern, enum: values, description }: JsonSchema): string {
  if (pattern === '^[0-9]+$') return 'ns since 1970 UTC';
  if (Array.isArray(values) || type === 'boolean' || type === 'string') return '';
  return UNITS.find(([words]) => words.test(String(description)))?.[1] ?? '';
}

function defaultText({ default: value, defaultBy }: ParameterDefinition): string {
  if (defaultBy === undefined) return code(valueText(value));
  const each = Object.entries(defaultBy.values).map(
    ([of, it]) => `${code(valueText(it))} for ${of}`,
  );
  return `by ${code(defaultBy.by)}: ${each.join(', ')}`;
}
