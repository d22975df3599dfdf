/** Parameters of an indicator as an option: a JSON object, or a list of them for several indicators. */

import { UsageError } from '../command.ts';

type Params = Readonly<Record<string, unknown>>;

export function readParams(text: string): Params {
  const value = parsed(text);
  if (isParams(value)) return value;
  throw new UsageError(`--params must be a JSON object such as '{"size":30}'; got ${text}`);
}

export function readParamsList(text: string, count: number): readonly Params[] {
  const value = parsed(text);
  if (Array.isArray(value) && value.length === count && value.every(isParams)) return value;
  const each = `a JSON list of ${count} objects such as '[{"size":30},{}]'`;
  throw new UsageError(`--params of ${count} indicators must be ${each}; got ${text}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isParams(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
