import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fastify } from 'fastify';
import { Type } from 'typebox';
import { ManualClock } from '../../../../../simulation/clock/manual-clock.ts';
import { createLog } from '../../platform/log/log.ts';
import { openapiDocument } from '../contract/openapi.ts';
import { addRoutes } from './add-routes.ts';
import { UnderWay } from './answers/under-way.ts';
import { UnreadAnswers } from './answers/unread-answers.ts';
import { defineRoute } from './route.ts';
import { routeHandler } from './route-handler.ts';

const PAGE_BYTES = 48 * 1024 * 1024;

test('a page stays as it is until the last byte has left, however slowly it is taken; then its memory goes', async () => {
  const page = Buffer.allocUnsafeSlow(PAGE_BYTES);
  for (let at = 0; at < page.length; at += 4) page.writeUInt32LE(at, at);
  const expected = Buffer.from(page);
  const route = defineRoute({
    method: 'GET',
    path: '/v1/page',
    operationId: 'getPage',
    summary: 'A page.',
    access: 'public',
    answer: Type.String(),
    handle: async () => page,
  });
  const log = createLog({ level: 'error', readable: true, write: () => {} });
  const meter = { countRequest: () => {} };
  await using app = fastify();
  const clock = new ManualClock(0n);
  const watch = { underWay: new UnderWay(), unread: new UnreadAnswers(clock) };
  app.get('/', routeHandler(route, { clock, log, meter }, watch));
  const [response] = (await once(get(await app.listen({ port: 0 })), 'response')) as [
    IncomingMessage,
  ];
  const parts: Buffer[] = [];
  for await (const part of response) {
    parts.push(part);
    // The socket is full again before it is read on.
    for (let turns = 0; turns < 3; turns += 1) await turn();
    if (parts.length < 10) assert.equal(page.length, PAGE_BYTES);
  }
  assert.ok(Buffer.concat(parts).equals(expected));
  while (page.length > 0) await turn();
});

test('a route that is to go says so in every response, a refusal included', async () => {
  const route = defineRoute({
    method: 'GET',
    path: '/v1/old',
    operationId: 'getOld',
    summary: 'Something old.',
    access: 'public',
    deprecated: { since: '2026-11-18', until: '2027-06-01' },
    answer: Type.Object({}),
    handle: () => ({}),
  });
  const log = createLog({ level: 'error', readable: true, write: () => {} });
  const clock = new ManualClock(0n);
  const options = { clock, log, meter: { countRequest: () => {} } };
  let isRefused = false;
  await using app = fastify();
  addRoutes(app, [route], options, {
    underWay: new UnderWay(),
    unread: new UnreadAnswers(clock),
    admitTo: () => (_request, _reply, done) => done(isRefused ? new Error('no') : undefined),
  });
  for (const status of [200, 500]) {
    isRefused = status === 500;
    const answer = await app.inject('/v1/old');
    assert.equal(answer.statusCode, status);
    assert.equal(answer.headers.deprecation, '@1794960000');
    assert.equal(answer.headers.sunset, 'Tue, 01 Jun 2027 00:00:00 GMT');
    assert.match(String(answer.headers.link), /rel="deprecation"/);
  }
  const document = openapiDocument([route], '1', null) as {
    readonly paths: { readonly '/v1/old': { readonly get: { readonly deprecated?: boolean } } };
  };
  assert.equal(document.paths['/v1/old'].get.deprecated, true);
});
