/** The parameters of an indicator as an option: a JSON object. */

import { UsageError } from '../command.ts';

export function readParams(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`--params is a JSON object such as '{"size":30}', not ${text}`);
  }
  return value as Readonly<Record<string, unknown>>;
}
