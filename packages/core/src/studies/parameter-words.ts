/**
 * The accepted values of a parameter, in words: the only place that words them, for errors, the documentation, the
 * portal's forms and the command line. A new type of parameter gets its words here.
 */

import type { ParameterType, ParamValue } from './indicator.ts';

/** The part of a definition that says which values are allowed. */
export interface AllowedValues {
  readonly type: ParameterType;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly values?: readonly string[];
  readonly unit?: string;
}

/** Behind "Must be": `"session" or a whole number from 1 to 86400 (seconds)`. */
export function allowedInSentence(allowed: AllowedValues): string {
  const { type, values = [], unit } = allowed;
  const words = values.map((word) => `"${word}"`);
  if (type === 'boolean') return 'true or false';
  if (type === 'string') return `one of ${words.join(', ')}`;
  const numbers = `${numbersInSentence(allowed)}${unit === undefined ? '' : ` (${unit})`}`;
  if (type !== 'integers') return [...words, numbers].join(' or ');
  return `a list of ${countText(allowed)} different ${numbers}`;
}

/**
 * For a table or below a field: `session, or 1 to 86,400 seconds`.
 * @param mark How an accepted word is written in the text; default: as it is.
 */
export function allowedInShort(allowed: AllowedValues, mark = (word: string) => word): string {
  const { type, values = [], unit, multipleOf } = allowed;
  if (type === 'boolean') return ['true', 'false'].map(mark).join(', ');
  const words = values.map(mark);
  if (type === 'string') return words.join(', ');
  const bounds = boundsText(allowed, (bound) => bound.toLocaleString('en'));
  const range = bounds === '' ? `any ${type === 'number' ? 'number' : 'whole number'}` : bounds;
  const step = multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
  const numbers = `${range}${step}${unit === undefined ? '' : ` ${unit}`}`;
  if (type !== 'integers') return [...words, numbers].join(', or ');
  return `${countText(allowed)} different whole numbers, each ${numbers}`;
}

/** A value as people write it; `none` for a list without numbers. */
export function valueText(value: ParamValue): string {
  if (typeof value !== 'object') return String(value);
  return value.length === 0 ? 'none' : value.join(', ');
}

function numbersInSentence(allowed: AllowedValues): string {
  const { type, minimum, maximum, multipleOf } = allowed;
  const article = type === 'integers' ? '' : 'a ';
  const kind = type === 'number' ? 'number' : 'whole number';
  const bounds = boundsText(allowed, String);
  const joint = minimum !== undefined && maximum !== undefined ? 'from' : 'of';
  const grid = multipleOf === undefined ? '' : `, a multiple of ${multipleOf}`;
  const range = bounds === '' ? '' : ` ${joint} ${bounds}`;
  return `${article}${kind}${type === 'integers' ? 's' : ''}${range}${grid}`;
}

/** `1 to 100`, `1 or more`, `100 or less`; empty without bounds. */
function boundsText(
  { minimum, maximum }: AllowedValues,
  numberText: (bound: number) => string,
): string {
  if (minimum === undefined) return maximum === undefined ? '' : `${numberText(maximum)} or less`;
  if (maximum === undefined) return `${numberText(minimum)} or more`;
  return `${numberText(minimum)} to ${numberText(maximum)}`;
}

function countText({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: AllowedValues): string {
  if (minItems === maxItems) return String(maxItems);
  return minItems === 0 ? `up to ${maxItems}` : `${minItems} to ${maxItems}`;
}
