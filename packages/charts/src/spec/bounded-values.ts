/** Values of unknown origin, made harmless: each function returns a value within its bounds, and never throws. */

import type { GivenParams, ParamValue } from '@tapeloom/core/studies/indicator';

/** Of texts that people write. */
export const TEXT_CHARS_MAX = 200;
const NAME_CHARS_MAX = 64;
const PARAMS_MAX = 32;
const LIST_MAX = 32;
/** Controls, line separators, and the marks that reorder text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;
const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
const INDICATOR_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const NANOSECONDS = /^\d{1,20}$/;

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

/** One line without control characters; empty for anything that is no text. */
export function boundedText(value: unknown, charsMax = TEXT_CHARS_MAX): string {
  if (typeof value !== 'string') return '';
  // A cut may split a pair of surrogates.
  const text = value
    .slice(0, charsMax * 4)
    .toWellFormed()
    .replace(CONTROLS, ' ');
  return text.slice(0, charsMax).toWellFormed().trim();
}

/** The name of an instrument; null if it cannot be one. */
export function boundedName(value: unknown): string | null {
  const text = boundedText(value, NAME_CHARS_MAX);
  return text !== '' && text === value ? text : null;
}

export function boundedIndicator(value: unknown): string | null {
  return typeof value === 'string' && INDICATOR_ID.test(value) ? value : null;
}

export function oneOf<T extends string>(value: unknown, known: readonly T[], otherwise: T): T {
  return known.find((it) => it === value) ?? otherwise;
}

export interface NumberBounds {
  readonly from: number;
  readonly to: number;
  readonly otherwise: number;
}

export function boundedInteger(value: unknown, { from, to, otherwise }: NumberBounds): number {
  const isGood =
    Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to;
  // Adding 0 turns a negative zero into 0.
  return isGood ? (value as number) + 0 : otherwise;
}

export function boundedNumber(value: unknown, { from, to, otherwise }: NumberBounds): number {
  const isGood = typeof value === 'number' && value >= from && value <= to;
  return isGood ? value + 0 : otherwise;
}

/** Nanoseconds since 1970 as text; null if it is none. */
export function boundedNs(value: unknown): string | null {
  return typeof value === 'string' && NANOSECONDS.test(value) ? value : null;
}

/** Parameters of an indicator that this page may not know: names and values within bounds, the rest left out. */
export function boundedParams(value: unknown): GivenParams {
  if (!isFields(value)) return {};
  const params: [string, ParamValue][] = [];
  for (const name of Object.keys(value).slice(0, PARAMS_MAX)) {
    const given = PARAMETER_NAME.test(name) ? boundedParam(value[name]) : null;
    if (given !== null) params.push([name, given]);
  }
  return Object.fromEntries(params);
}

function boundedParam(value: unknown): ParamValue | null {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'string') return boundedText(value, NAME_CHARS_MAX);
  if (!Array.isArray(value) || value.length > LIST_MAX) return null;
  const isList = value.every((item) => typeof item === 'number' && Number.isFinite(item));
  return isList ? value.map((item: number) => item + 0) : null;
}
