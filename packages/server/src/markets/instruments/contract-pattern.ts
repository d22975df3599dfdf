/** Contract names by pattern: `{root}{M}{YY}` gives ESH26, `{root} {MM}-{YY}` gives ES 03-26. */

import { MONTH_LETTERS } from '@tapeloom/core/instrument/product';
import type { UtcDay } from '@tapeloom/core/numbers';

const PART = /\{([^{}]*)\}/g;

export interface ContractMonth {
  readonly root: string;
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly expiryDay: UtcDay;
}

const PARTS = {
  root: ({ root }) => root,
  M: ({ month }) => MONTH_LETTERS[month - 1]!,
  MM: ({ month }) => String(month).padStart(2, '0'),
  Y: ({ year }) => String(year % 10),
  YY: ({ year }) => String(year % 100).padStart(2, '0'),
  YYYY: ({ year }) => String(year),
  DD: ({ expiryDay }) => String(expiryDay % 100).padStart(2, '0'),
} satisfies Record<string, (month: ContractMonth) => string>;

export const PATTERN_PARTS = Object.keys(PARTS).map((name) => `{${name}}`);

export function nameByPattern(pattern: string, month: ContractMonth): string {
  return pattern.replaceAll(PART, (_, name: keyof typeof PARTS) => PARTS[name](month));
}

/** The first unknown part in braces; null when all are known. */
export function unknownPart(pattern: string): string | null {
  const unknown = [...pattern.matchAll(PART)].find(([, name]) => !Object.hasOwn(PARTS, name!));
  return unknown?.[0] ?? null;
}
