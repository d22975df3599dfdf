import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContractJudge } from './contract-judge.ts';

const judge = new ContractJudge();
const ID = `req_${'0'.repeat(32)}`;
const OFFERS = JSON.stringify({ offers: [], plans: [] });

function faults(
  status: number,
  body: string,
  more: Readonly<Record<string, string>> = {},
  url = '/v1/offers',
) {
  const headers = new Map(
    Object.entries({
      'content-type': 'application/json',
      'x-request-id': ID,
      etag: '"a"',
      ...more,
    }),
  );
  return judge.faults({ method: 'GET', url, status, headers, body: Buffer.from(body) });
}

test('a response that is as documented has no faults, and others are none of ours', () => {
  assert.deepEqual(faults(200, OFFERS, { 'cache-control': 'public, max-age=60' }), []);
  assert.equal(faults(200, OFFERS, { 'x-request-id': 'of another server' }), null);
  assert.equal(faults(200, OFFERS, {}, '/plans'), null);
});

test('an undocumented status, a wrong content type, a body that does not fit and a missing header are told', () => {
  assert.deepEqual(faults(418, OFFERS), ['GET /v1/offers 418: the status is not documented']);
  assert.match(
    faults(200, OFFERS, { 'content-type': 'text/html' })![0]!,
    /content type text\/html/,
  );
  assert.match(faults(200, '{"offers":1,"plans":[]}')!.at(-1)!, /the body\/offers must be array/);
  assert.match(faults(200, '{')!.at(-1)!, /the body is no JSON/);
  assert.match(faults(200, '{}', {}, '/v1/none')![0]!, /is not documented/);
});

test('every documented status is known, and which of them a response shows', () => {
  const { documented } = judge;
  for (const [method, url, status, shown] of [
    ['GET', '/v1/offers', 200, 'GET /v1/offers 200'],
    ['HEAD', '/v1/history?limit=1', 304, 'GET /v1/history 304'],
    ['DELETE', '/v1/keys/key_1', 404, 'DELETE /v1/keys/{id} 404'],
  ] as const) {
    assert.equal(judge.shownBy({ method, url, status }), shown);
    assert.ok(documented.includes(shown));
  }
  assert.ok(!documented.includes(judge.shownBy({ method: 'GET', url: '/v1/offers', status: 418 })));
});
