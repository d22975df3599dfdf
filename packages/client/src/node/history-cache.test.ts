import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import { RestClient } from '../rest.ts';
import { historyCache } from './history-cache.ts';

const scratch = mkdtempSync(join(tmpdir(), 'history-cache-'));
after(() => rmSync(scratch, { recursive: true }));
let folders = 0;
const freshFolder = () => join(scratch, String(folders++));
const REQUEST = {
  indicator: 'bars',
  instrument: 'ES.c.0',
  from: '2026-11-09',
  to: '2026-11-10',
} as const;

/** A service of one page that can be changed. `tag` null: the page has no strong ETag. */
class OnePage {
  price = 100;
  tag: string | null = '"one"';
  status = 200;
  readonly server: ScriptedHttp;

  private constructor(server: ScriptedHttp) {
    this.server = server;
    server.answering = (response, { headers }) => {
      if (this.tag !== null && headers['if-none-match'] === this.tag) {
        response.writeHead(304, { etag: this.tag, 'ratelimit-limit': '60' }).end();
        return;
      }
      const kept = this.tag === null ? {} : { etag: this.tag };
      const type = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      response.writeHead(this.status, { ...type, ...kept });
      const entry = { t: 'upsert', cursor: '20261109.1.1', id: 'a', final: true, ts: '1' };
      const items = [{ ...entry, data: { close: this.price, note: 'ä€🧵' } }];
      const page = { instrument: 'ES.c.0', contract: 'ESZ6', tickSizeNanos: 1, items, next: null };
      response.end(gzipSync(JSON.stringify({ ...page, computeUnits: 7 })));
    };
  }

  static async start(): Promise<OnePage> {
    return new OnePage(await ScriptedHttp.start());
  }

  client(folder: string, options: Parameters<typeof historyCache>[1] = {}): RestClient {
    const { url } = this.server;
    const fetch = historyCache(folder, options);
    return new RestClient({ url, key: 'svc_live_x', maxRetries: 0, fetch });
  }

  /** Returns the close price and the cost of the page. */
  async read(client: RestClient): Promise<readonly [close: unknown, units: number]> {
    for await (const { items, computeUnits } of client.history(REQUEST).pages()) {
      const [entry] = items;
      assert.ok(entry?.t === 'upsert');
      return [entry.object.data.close, computeUnits];
    }
    return assert.fail('there is no page');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server.close();
  }
}

test('a page that has changed is never served from the folder', async () => {
  await using service = await OnePage.start();
  const client = service.client(freshFolder());
  assert.deepEqual(await service.read(client), [100, 7]);
  assert.deepEqual(await service.read(client), [100, 0]);
  Object.assign(service, { price: 200, tag: '"two"' });
  assert.deepEqual(await service.read(client), [200, 7]);
  assert.deepEqual(await service.read(client), [200, 0]);
  assert.equal(service.server.requests.length, 4);
  assert.equal(client.rateLimit, null);
});

test('what may be another the next time is not kept, nor what is weakly tagged or refused', async () => {
  await using service = await OnePage.start();
  for (const state of [{ tag: null }, { tag: 'W/"one"' }, { tag: '"one"', status: 500 }]) {
    const folder = freshFolder();
    Object.assign(service, { status: 200 }, state);
    const client = service.client(folder);
    for (const _ of [1, 2]) await service.read(client).catch(() => {});
    assert.throws(() => readdirSync(folder), { code: 'ENOENT' }, JSON.stringify(state));
  }
});

test('a service that says no to a key is heard, whatever is in the folder', async () => {
  await using service = await OnePage.start();
  const client = service.client(freshFolder());
  await service.read(client);
  service.server.answering = (response) => {
    response.writeHead(403, { 'content-type': 'application/problem+json' });
    response.end('{"code":"FORBIDDEN","title":"no"}');
  };
  await assert.rejects(service.read(client), { code: 'FORBIDDEN' });
});

test('whatever is wrong with a file, the page is right', async () => {
  await using service = await OnePage.start();
  const folder = freshFolder();
  const client = service.client(folder);
  await service.read(client);
  const [name] = readdirSync(folder) as [string];
  const path = join(folder, name);
  const whole = readFileSync(path);
  const damage = fc.oneof(
    fc.nat(whole.length - 1).map((length) => whole.subarray(0, length)),
    fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 })).map(([at, by]) => {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= by;
      return bytes;
    }),
    fc.uint8Array({ maxLength: 300 }),
  );
  // Damage inside the tag, with a byte that no header can carry.
  const tagged = Buffer.from(whole);
  tagged[whole.indexOf('"etag":"') + 11] = 0xef;
  await fc.assert(
    fc.asyncProperty(damage, async (bytes) => {
      writeFileSync(path, bytes);
      assert.equal((await service.read(client))[0], 100);
    }),
    { numRuns: 100, examples: [[tagged]] },
  );
});

test('a folder that cannot be used is told once, and pages come from the service', async () => {
  await using service = await OnePage.start();
  const file = join(scratch, 'a-file');
  writeFileSync(file, '');
  const told: string[] = [];
  const client = service.client(file, { onWarning: ({ code }) => told.push(code) });
  for (const _ of [1, 2]) assert.deepEqual(await service.read(client), [100, 7]);
  assert.deepEqual(told, ['CACHE_FAILED']);
  assert.throws(() => historyCache(file, { bytesMax: 5 }), { code: 'CONFIGURATION' });
});
