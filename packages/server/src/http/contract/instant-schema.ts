/** Instants in JSON: nanoseconds since 1970-01-01 UTC, as a decimal string, since no double holds them. */

import { INSTANT_PATTERN } from '@tapeloom/protocol/text-patterns';
import type { TString } from 'typebox';
import { Type } from './schema.ts';

export function Instant(description: string): TString {
  return Type.String({
    pattern: INSTANT_PATTERN,
    description: `${description}, in nanoseconds since 1970-01-01 UTC.`,
  });
}
