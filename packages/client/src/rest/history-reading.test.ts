import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import { RestClient } from '../rest.ts';

test('the results of all pages come as one array, and so do the final objects alone', async () => {
  const item = (rank: number, final: boolean) => ({
    t: 'upsert',
    cursor: `20261112.${rank}.1`,
    id: `20261112.${rank}`,
    final,
    ts: '1794493800000000000',
    data: {},
  });
  const server = await ScriptedHttp.start((response, { query }) => {
    const isFirst = query.get('cursor') === null;
    const items = isFirst ? [item(1, true), item(2, true)] : [item(3, true), item(4, false)];
    const page = { items, next: isFirst ? '20261112.2.1' : null, computeUnits: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(page));
  });
  try {
    const client = new RestClient({ url: server.url, key: 'svc_live_x' });
    const request = { indicator: 'bars', instrument: 'ES.c.0', from: '2026-11-12' } as const;
    const entries = await client.history(request).toArray();
    assert.deepEqual(
      entries.map(({ t, cursor }) => [t, cursor]),
      [1, 2, 3, 4].map((rank) => ['upsert', `20261112.${rank}.1`]),
    );
    const finals = await client.history(request).finals().toArray();
    assert.deepEqual(
      finals.map(({ id }) => id),
      ['20261112.1', '20261112.2', '20261112.3'],
    );
  } finally {
    await server.close();
  }
});
