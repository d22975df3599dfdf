/** Instants in JSON: nanoseconds since 1970-01-01 UTC, as a decimal string, for no double holds them. */

import type { TString } from 'typebox';
import { Type } from './schema.ts';

export function Instant(description: string): TString {
  return Type.String({
    pattern: '^(0|[1-9][0-9]*)$',
    description: `${description}, nanoseconds since 1970-01-01 UTC.`,
  });
}
