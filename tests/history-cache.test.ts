/** The client's history cache against a service, and against processes killed while they write. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RestClient } from '@tapeloom/client';
import { historyCache } from '@tapeloom/client/node';
import { PageFolder } from '../packages/client/src/node/page-folder.ts';
import { fillMarket } from '../packages/server/testing/history/history-market.ts';
import type { Usage } from '../packages/server/testing/history/history-requests.ts';
import { RestService } from '../packages/server/testing/rest/rest-service.ts';

const MODULE = join(import.meta.dirname, '../packages/client/src/node/page-folder.ts');
const MIB = 1024 ** 2;
const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-history-cache-'));
after(() => rmSync(scratch, { recursive: true }));

test('a page that was paid for costs nothing the second time, in another process too', async () => {
  await using service = await RestService.start();
  fillMarket(service);
  const url = `http://127.0.0.1:${await service.listen()}`;
  const { secret: key } = await service.key(await service.account('history'));
  const used = async () => (await service.get<Usage>('/v1/usage', { key })).body.used.computeUnits;
  const folder = join(scratch, 'paid');
  const read = async (fetch?: typeof globalThis.fetch) => {
    const before = await used();
    const client = new RestClient({ url, key, ...(fetch === undefined ? {} : { fetch }) });
    const request = {
      indicator: 'bars',
      instrument: 'ESZ6',
      params: { bar: 'tick', size: 2 },
      from: '2026-11-09',
      to: '2026-11-10',
    } as const;
    const units: number[] = [];
    const items: unknown[] = [];
    for await (const page of client.history({ ...request, limit: 200 }).pages()) {
      units.push(page.computeUnits);
      items.push(...page.items);
    }
    return { items, said: units.reduce((sum, it) => sum + it, 0), cost: (await used()) - before };
  };
  const plain = await read();
  assert.ok(plain.cost > 0 && plain.items.length > 200);
  assert.deepEqual(await read(historyCache(folder)), plain);
  const again = await read(historyCache(folder));
  assert.deepEqual(again, { items: plain.items, said: 0, cost: 0 });
});

test('processes that write at once, and are killed, leave only whole pages', async () => {
  const path = join(scratch, 'killed');
  const program = `
    import { PageFolder } from ${JSON.stringify(MODULE)};
    const folder = new PageFolder(${JSON.stringify(path)}, ${MIB});
    process.stdout.write('ready');
    for (let turn = 0; ; turn += 1) {
      const number = turn % 50;
      const body = Buffer.alloc(20_000 + number, number);
      await folder.write(number.toString(16).padStart(64, '0'), { etag: '"' + number + '"', body });
      if (turn === 200) process.stdout.write('far');
    }
  `;
  const children = [1, 2].map(() =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(
    children.map(async (child) => {
      for await (const said of child.stdout) if (String(said).includes('far')) break;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
  const folder = new PageFolder(path, MIB);
  let whole = 0;
  for (let number = 0; number < 50; number += 1) {
    const page = await folder.read(number.toString(16).padStart(64, '0'));
    if (page === null) continue;
    whole += 1;
    assert.equal(page.etag, `"${number}"`);
    assert.deepEqual(Buffer.from(page.body), Buffer.alloc(20_000 + number, number));
  }
  assert.ok(whole > 0);
  const size = readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
  assert.ok(size <= MIB * (1 + 2 / 8), `${size}`);
});
