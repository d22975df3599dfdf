/** Describes each wrong argument of a call by name, with what is accepted. */

import type * as z from 'zod';

export function wrongArguments({ issues }: z.ZodError, input: z.ZodObject): string {
  return issues.flatMap((issue) => faultsOf(issue, input)).join('; ');
}

function faultsOf(issue: z.core.$ZodIssue, { shape }: z.ZodObject): readonly string[] {
  const { path, message } = issue;
  const names = Object.keys(shape);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${key} is not known; the arguments are ${names.join(', ')}`);
  }
  if (path.length === 0) return ['the arguments must be an object'];
  const name = path.join('.');
  const description = shape[String(path[0])]?.description ?? '';
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [`${name} is missing: ${description}`];
  }
  if (issue.code === 'invalid_value') {
    return [
      `${name} must be one of ${issue.values.map((value) => `"${String(value)}"`).join(', ')}`,
    ];
  }
  return [`${name}: ${lowerFirst(message)}. ${description}`.trim()];
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
