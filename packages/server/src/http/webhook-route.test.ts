import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkProblem } from '../../../../simulation/problem-check.ts';
import { DOCS_URL, RestService } from '../../../../simulation/rest-service.ts';
import { UNSIGNED_PER_MINUTE } from '../accounts/address-throttle.ts';
import { signed } from '../billing/scripted-provider.ts';

const KIB = 1_024;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let events = 0;

function webhook(padding = 0) {
  events += 1;
  const event = {
    id: `evt_route_${events}`,
    ref: 'nothing',
    at: '1',
    padding: 'x'.repeat(padding),
  };
  const { headers, body } = signed(event);
  return service.post('/v1/webhooks/test', { headers, body: Buffer.from(body) });
}

function forged() {
  return service.post('/v1/webhooks/test', { headers: { 'x-signature': '00' }, body: '{}' });
}

test('a webhook may have 256 KiB, and not more', async () => {
  assert.equal((await webhook(255 * KIB)).status, 200);
  const large = await webhook(256 * KIB);
  checkProblem(large, DOCS_URL, { status: 413, code: 'INVALID_PARAMETERS' });
});

test('a flood without signatures is refused by its address, and keeps no provider out [SEC-29]', async () => {
  // A provider that comes by the same address, as behind a proxy, was heard before.
  assert.equal((await webhook()).status, 200);
  for (let count = 0; count < UNSIGNED_PER_MINUTE + 5; count += 1) {
    assert.equal((await forged()).status, 400);
  }
  assert.equal((await webhook()).status, 200, 'what is signed is heard');
  // Nobody heard of it for a day: then it is as any address.
  service.clock.advance(86_400_000);
  for (let count = 0; count < UNSIGNED_PER_MINUTE; count += 1) {
    assert.equal((await forged()).status, 400);
  }
  const refused = await forged();
  checkProblem(refused, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal((await service.get('/v1/status')).status, 200, 'and the rest is open');
});
