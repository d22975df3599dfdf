import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import { RestClient } from '../rest.ts';

const allowance = (remaining: number) => ({
  'content-type': 'application/json',
  'ratelimit-limit': '600',
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': '12',
  'ratelimit-policy': '600;w=60',
});

test('what is left of the minute is known after every answer that tells it, refusals too', async () => {
  const server = await ScriptedHttp.start((response, _, count) => {
    if (count === 1) response.writeHead(200, allowance(599)).end('{}');
    else if (count === 2) response.writeHead(403, allowance(598)).end('{"code":"FORBIDDEN"}');
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  try {
    const clock = new HurriedClock();
    const client = new RestClient({ url: server.url, key: 'svc_live_x', clock });
    const left = () => client.rateLimit?.remaining;
    assert.equal(left(), undefined);
    await client.usage();
    assert.deepEqual(client.rateLimit, { limit: 600, remaining: 599, resetSeconds: 12 });
    await assert.rejects(client.usage(), { code: 'FORBIDDEN' });
    assert.equal(left(), 598);
    await client.status();
    assert.equal(left(), 598);
  } finally {
    await server.close();
  }
});
