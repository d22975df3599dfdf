/**
 * Reads a request body. The result is plain JSON of bounded depth in which no key can reach an object's prototype,
 * however the value is copied later.
 */

import { jsonFault } from '@tapeloom/core/json-fault';
import { brokenJson, pointerToken } from '../problems/problem-document.ts';
import { invalidParameters } from '../problems/problem-error.ts';

export const DEPTH_MAX = 16;

/** The value of a body; undefined for an empty one, which the schema rejects where a body is needed. */
export function readJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = utf8Text(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw brokenJson(jsonFault(text), error);
  }
  refuseTraps(value, '', 1);
  return value;
}

function utf8Text(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw brokenJson('it is not UTF-8', error);
  }
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
