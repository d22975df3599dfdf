/** Checks that a response fits its route's schema. A schema is compiled once: pages of history are large. */

import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import type { Route } from '../../src/http/server/route.ts';

const compiled = new WeakMap<object, ReturnType<typeof Compile>>();

export function checkAnswer({ path, answer }: Route, body: unknown): void {
  const schema = compiled.get(answer) ?? Compile(answer as object);
  compiled.set(answer, schema);
  assert.ok(schema.Check(body), `the answer of ${path} fits its schema`);
}
