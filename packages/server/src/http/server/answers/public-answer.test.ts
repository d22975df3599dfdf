import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { ORIGIN, RestService } from '../../../../testing/rest/rest-service.ts';
import {
  EncodedBody,
  isNamed,
  preferredEncoding,
  WAITING_MAX,
} from '../../../platform/network/encoded-body.ts';
import { contractRoutes } from '../../contract/contract.ts';
import { asyncapiText, openapiText } from '../../contract/interface-documents.ts';
import { PublicAnswer } from './public-answer.ts';

const PUBLIC = [
  '/v1/indicators',
  '/v1/offers',
  '/v1/pricing',
  '/v1/status',
  '/v1/status/history',
  '/v1/openapi.json',
  '/v1/asyncapi.json',
];
const DECODERS = {
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  gzip: gunzipSync,
} as const;

let service: RestService;
let key = '';
before(async () => {
  service = await RestService.start();
  key = await service.customer('live_history');
});
after(() => service[Symbol.asyncDispose]());

const get = (url: string, headers: Record<string, string> = {}) =>
  service.http.app.inject({ method: 'GET', url, headers });

test('the encoding a client likes best is chosen, of equal ones the smallest', () => {
  for (const [accepted, encoding] of [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['deflate', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', 'zstd'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.001', 'gzip'],
    ['identity;q=1, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', null],
    ['br;q=0, *', 'zstd'],
    ['gzip;q=nonsense', 'gzip'],
    ['gzip;q=0.0000, br ; q = 0', null],
    ['gzip;q=5, zstd;q=0.9', 'gzip'],
  ] as const) {
    assert.equal(preferredEncoding(accepted), encoding, String(accepted));
  }
});

test('many bodies that are asked for at once are encoded one after the other, or sent as they are', async () => {
  const bodies = Array.from(
    { length: 3 * WAITING_MAX },
    (_, index) => new EncodedBody(Buffer.from(`page ${index} `.repeat(500))),
  );
  const rssBefore = process.memoryUsage.rss();
  const sent = bodies.map((body) => {
    const { encoding, etag, bytes } = body.choose('zstd');
    return { encoding, etag, bytes: bytes() };
  });
  assert.deepEqual(
    sent.map(({ encoding }) => encoding),
    bodies.map((_, index) => (index < WAITING_MAX ? 'zstd' : null)),
  );
  for (const [index, { encoding, bytes }] of sent.entries()) {
    const made = await bytes;
    const plain = encoding === null ? made : zstdDecompressSync(made);
    assert.equal(plain.toString(), `page ${index} `.repeat(500));
  }
  assert.ok(process.memoryUsage.rss() - rssBefore < 64 * 1024 ** 2);
  // Once encoded, the next client gets it; the tag of the unencoded body is another.
  const later = bodies.at(-1)!.choose('zstd');
  assert.equal(later.encoding, 'zstd');
  assert.notEqual(later.etag, sent.at(-1)!.etag);
});

test('a tag is named in a list, weak or not, or by a star', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '*', '"b",W/"a"']) {
    assert.equal(isNamed('"a"', header), true, header);
  }
  for (const header of [undefined, '', '"b"', 'a', '"a-gzip"']) {
    assert.equal(isNamed('"a"', header), false, String(header));
  }
});

test('an encoding of a text is made once, and anew for another text', async () => {
  const answers = new PublicAnswer();
  const [one, other] = ['x'.repeat(2_000), 'y'.repeat(2_000)];
  const first = answers.choose(one, 'gzip');
  const again = answers.choose(one, 'gzip');
  assert.equal(await first.bytes(), await again.bytes());
  const next = answers.choose(other, 'gzip');
  assert.notEqual(next.etag, first.etag);
  assert.equal(gunzipSync(await next.bytes()).toString(), other);
  assert.equal(gunzipSync(await first.bytes()).toString(), one, 'what was chosen stays');
  assert.equal(answers.choose('small', 'gzip').encoding, null);
});

test('public answers come in the encoding that is accepted, each with a strong tag of its own', async () => {
  for (const path of PUBLIC) {
    const plain = await get(path);
    assert.equal(plain.statusCode, 200);
    assert.equal(plain.headers.vary, 'Accept-Encoding');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.match(String(plain.headers.etag), /^"[0-9a-f]{32}"$/);
    // A status as short as this one is not worth it.
    for (const [encoding, decode] of path === '/v1/status' ? [] : Object.entries(DECODERS)) {
      const packed = await get(path, { 'accept-encoding': encoding });
      assert.equal(packed.headers['content-encoding'], encoding, path);
      assert.equal(packed.headers.etag, `${String(plain.headers.etag).slice(0, -1)}-${encoding}"`);
      assert.equal(decode(packed.rawPayload).toString(), plain.body);
      assert.ok(packed.rawPayload.length < plain.rawPayload.length / 2);
    }
  }
});

test('If-None-Match with the tag of an answer is 304 without a body, by GET and by HEAD', async () => {
  for (const path of PUBLIC) {
    for (const encoding of ['identity', 'gzip']) {
      const { headers } = await get(path, { 'accept-encoding': encoding });
      const etag = String(headers.etag);
      for (const method of ['GET', 'HEAD'] as const) {
        const same = await service.http.app.inject({
          method,
          url: path,
          headers: { 'accept-encoding': encoding, 'if-none-match': etag },
        });
        assert.equal(same.statusCode, 304, `${method} ${path}`);
        assert.equal(same.body, '');
        assert.equal(same.headers.etag, etag);
        assert.equal(same.headers['cache-control'], headers['cache-control']);
        assert.equal(same.headers['access-control-allow-origin'], '*');
      }
      assert.equal((await get(path, { 'if-none-match': '"other"' })).statusCode, 200);
    }
  }
});

test('a status that changed has another tag', async () => {
  const { headers } = await get('/v1/status');
  service.market.engine = 'down';
  const changed = await get('/v1/status', { 'if-none-match': String(headers.etag) });
  service.market.engine = 'up';
  assert.equal(changed.statusCode, 200);
  assert.notEqual(changed.headers.etag, headers.etag);
});

test('HEAD on a public route is its GET without the body', async () => {
  for (const path of PUBLIC) {
    const { headers: got, rawPayload } = await get(path, { 'accept-encoding': 'gzip' });
    const head = await service.http.app.inject({
      method: 'HEAD',
      url: path,
      headers: { 'accept-encoding': 'gzip' },
    });
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, '');
    assert.equal(head.headers['content-length'], String(rawPayload.length));
    assert.equal(head.headers.etag, got.etag);
  }
});

test('how long an answer may be kept is said; with a key, and where it failed, it is not', async () => {
  const kept = async (path: string, headers = {}) =>
    (await get(path, headers)).headers['cache-control'];
  for (const path of PUBLIC.filter((it) => !it.startsWith('/v1/status'))) {
    assert.equal(await kept(path), 'public, max-age=60');
    assert.equal(await kept(`${path}?x=1`), 'no-store');
  }
  assert.equal(await kept('/v1/status'), 'no-cache');
  assert.equal(await kept('/v1/status/history'), 'no-cache');
  assert.equal(await kept('/v1/status', { authorization: `Bearer ${key}` }), 'no-store');
});

test('pages of any origin may read public routes, their refusals too, and never with credentials', async () => {
  const origin = 'https://shop.example';
  for (const path of PUBLIC) {
    for (const url of [path, `${path}?x=1`]) {
      const { headers } = await get(url, { origin });
      assert.equal(headers['access-control-allow-origin'], '*');
      assert.match(String(headers['access-control-expose-headers']), /\bETag\b/);
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
    const preflight = await service.http.app.inject({
      method: 'OPTIONS',
      url: path,
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    });
    assert.equal(preflight.statusCode, 204);
    assert.equal(preflight.headers['access-control-allow-origin'], '*');
    assert.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS');
    assert.equal(preflight.headers['access-control-allow-headers'], 'If-None-Match');
    assert.equal(preflight.headers['access-control-max-age'], '86400');
  }
});

test('no other route may be read by a page of another origin', async () => {
  const paths = service.routes.map(({ path }) => path).filter((path) => !PUBLIC.includes(path));
  for (const url of [...new Set(paths), '/v1/nothing', '/v1/%zz', '/v1']) {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const headers = { origin: 'https://shop.example', authorization: `Bearer ${key}` };
      const answer = await service.http.app.inject({ method, url, headers });
      const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
      assert.deepEqual(cors, [], `${method} ${url}`);
    }
  }
});

test('the documents of the interface are served as they are committed, with the address of the service', async () => {
  const openapi = await get('/v1/openapi.json');
  assert.match(String(openapi.headers['content-type']), /^application\/json/);
  assert.equal(openapi.body, openapiText(contractRoutes(), ORIGIN));
  assert.equal((await get('/v1/asyncapi.json')).body, asyncapiText(ORIGIN));
});

test('a service that knows its public address is the one server of its documents', () => {
  const origin = 'https://tapeloom.example.com';
  const openapi = JSON.parse(openapiText(contractRoutes(), origin));
  assert.deepEqual(openapi.servers, [{ url: origin }]);
  const { servers } = JSON.parse(asyncapiText(origin));
  assert.deepEqual(Object.keys(servers), ['tls']);
  assert.equal(servers.tls.host, 'tapeloom.example.com');
  assert.equal(servers.tls.protocol, 'wss');
  const local = JSON.parse(asyncapiText('http://127.0.0.1:8080')).servers;
  assert.deepEqual([local.plain.host, local.plain.protocol], ['127.0.0.1:8080', 'ws']);
});
