/**
 * Reads a request body. What it returns is plain JSON of bounded depth in which no key can reach an
 * object's prototype, however the value is copied later.
 */

import { notJson, pointerToken } from './problem-document.ts';
import { invalidParameters } from './problem-error.ts';

const DEPTH_MAX = 16;

/** The value of a body; undefined for an empty one, which is the schema's to refuse. */
export function readJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    throw notJson(error);
  }
  refuseTraps(value, '', 1);
  return value;
}

function refuseTraps(value: unknown, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > DEPTH_MAX) {
    throw invalidParameters([{ path, message: `is nested deeper than ${DEPTH_MAX} levels` }]);
  }
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = `${path}/${pointerToken(name)}`;
    if (name === '__proto__' || (name === 'constructor' && hasPrototype(inner))) {
      throw invalidParameters([{ path: innerPath, message: 'is not known' }]);
    }
    refuseTraps(inner, innerPath, depth + 1);
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}
