import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { signed } from '../../../testing/billing/scripted-provider.ts';
import { checkProblem } from '../../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../../testing/rest/rest-service.ts';
import { UNSIGNED_PER_MINUTE } from '../../accounts/auth/address-throttle.ts';
import {
  UNKNOWN_AT_ONCE_MAX,
  UNKNOWN_PER_ADDRESS_MAX,
  UnknownSenders,
} from '../server/bodies/unknown-senders.ts';

const KIB = 1_024;

let service: RestService;
before(async () => {
  service = await RestService.start();
});
after(() => service[Symbol.asyncDispose]());

let events = 0;

function webhook(padding = 0, from = {}) {
  events += 1;
  const event = {
    id: `evt_route_${events}`,
    ref: 'nothing',
    at: '1',
    padding: 'x'.repeat(padding),
  };
  const { headers, body } = signed(event);
  return service.post('/v1/webhooks/test', { headers, body: Buffer.from(body), ...from });
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
  // A provider at the same address, as behind a proxy, has sent a signed event before.
  assert.equal((await webhook()).status, 200);
  for (let count = 0; count < UNSIGNED_PER_MINUTE + 5; count += 1) {
    assert.equal((await forged()).status, 400);
  }
  assert.equal((await webhook()).status, 200, 'what is signed is heard');
  // After a day without one, it is treated like any address.
  service.clock.advance(86_400_000);
  for (let count = 0; count < UNSIGNED_PER_MINUTE; count += 1) {
    assert.equal((await forged()).status, 400);
  }
  const refused = await forged();
  checkProblem(refused, DOCS_URL, { status: 429, code: 'RATE_LIMITED' });
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal((await service.get('/v1/status')).status, 200, 'and the rest is open');
});

test('unknown senders that are slow hold few places, and keep out nobody who is known [SEC-37]', async () => {
  const port = await service.listen();
  const slow = Array.from({ length: UNKNOWN_PER_ADDRESS_MAX }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write('POST /v1/webhooks/test HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n{');
    return socket;
  });
  const sent = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/webhooks/test`, { method: 'POST' });
    await answer.text();
    return answer.status;
  };
  const until = async (status: number) => {
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await sent()) === status) return;
      await pause(50);
    }
    assert.fail(`never answered ${status}`);
  };
  await Promise.all(slow.map((socket) => once(socket, 'connect')));
  await until(503);
  assert.equal((await webhook(0, { address: '203.0.113.9' })).status, 200, 'others are heard');
  for (const socket of slow) socket.destroy();
  await until(400);
});

test('unknown senders from many addresses hold few places in all', () => {
  const senders = new UnknownSenders();
  const leave = Array.from({ length: UNKNOWN_AT_ONCE_MAX }, (_, index) =>
    senders.enter(`${index}`),
  );
  assert.ok(leave.every((one) => one !== null));
  assert.equal(senders.enter('one more'), null);
  leave[0]!();
  assert.notEqual(senders.enter('one more'), null);
});
