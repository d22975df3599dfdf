import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { EpochNs } from '@tapeloom/core/numbers';
import { checkProblem } from '../../testing/rest/problem-check.ts';
import { DOCS_URL, RestService } from '../../testing/rest/rest-service.ts';
import { SAMPLE_FILES, writePortal } from '../../testing/sample-portal.ts';
import { createLog } from '../platform/log/log.ts';
import { pageDocument } from './page-document.ts';
import type { PageRequest, PageRoute } from './page-route.ts';
import { APP_PATHS, Pages } from './pages.ts';
import type { PlainPages } from './plain-pages.ts';
import { Portal } from './portal.ts';

const ORIGIN = 'https://tapeloom.example';
const IN_A_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const log = createLog({ level: 'silent', readable: false, write: () => {} });

const root = mkdtempSync(join(tmpdir(), 'pages-'));
const directory = join(root, 'dist');
const asked: PageRequest[] = [];
const payment: PageRoute = {
  below: '/pay/test/',
  takesForms: true,
  handle: (request) => {
    asked.push(request);
    if (request.method === 'POST') return { seeOther: '/orders' };
    return {
      status: 200,
      html: pageDocument({ title: 'Pay <b>', styles: request.styles, body: '<p>Pay</p>' }),
    };
  },
};
const portal = new Portal({ directory, build: null, log });
let service: RestService;
before(async () => {
  writePortal(directory);
  writeFileSync(join(root, 'secret.txt'), 'secret');
  symlinkSync(join(root, 'secret.txt'), join(directory, 'secret.txt'));
  await portal.open(ORIGIN);
  const pages = (plain: PlainPages) =>
    new Pages({ portal, routes: [payment], publicUrl: () => ORIGIN, plain });
  service = await RestService.start({ pages });
});
after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.http.app.inject({ method, url, headers });
const problemOf = (answer: Awaited<ReturnType<typeof get>>) => ({
  status: answer.statusCode,
  headers: answer.headers as Record<string, string | undefined>,
  body: answer.json(),
});

test('every page comes under a policy without inline script and without another origin [SEC-14]', async () => {
  for (const path of ['/', '/charts', '/docs/errors', '/nothing', '/pay/test/x', ...APP_PATHS]) {
    const { headers } = await get(path, IN_A_BROWSER);
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
        "connect-src 'self' wss://tapeloom.example; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      path,
    );
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.match(String(headers['permissions-policy']), /\bcamera=\(\), .*\bpayment=\(\)/);
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['strict-transport-security'], 'max-age=31536000');
    assert.equal(headers['set-cookie'], undefined);
  }
  // Opened by itself, a drawing may have its own styles, and can do nothing else.
  const drawing = await get('/docs/charts/bars.svg');
  assert.equal(
    drawing.headers['content-security-policy'],
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  );
});

test('a file has its type, and is kept for ever only where its name has a digest', async () => {
  for (const [path, type, cache] of [
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/sign-in', 'text/html; charset=utf-8', 'no-cache'],
    ['/charts', 'text/html; charset=utf-8', 'no-cache'],
    ['/docs', 'text/html; charset=utf-8', 'no-cache'],
    ['/docs/charts/bars.svg', 'image/svg+xml', 'no-cache'],
    [
      '/assets/app-9f8e7d6c.js',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ],
    ['/assets/inter-00000000.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
  ] as const) {
    const { statusCode, headers } = await get(path);
    assert.deepEqual(
      [statusCode, headers['content-type'], headers['cache-control']],
      [200, type, cache],
      path,
    );
  }
});

test('pages are compressed, have a tag, and are not sent twice', async () => {
  const path = '/assets/app-9f8e7d6c.js';
  const plain = SAMPLE_FILES[path.slice(1)]!;
  const packed = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
  assert.equal(packed.headers['content-encoding'], 'br');
  assert.equal(packed.headers.vary, 'Accept-Encoding');
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), plain);
  const zipped = await get(path, { 'accept-encoding': 'gzip' });
  assert.equal(gunzipSync(zipped.rawPayload).toString(), plain);
  assert.equal((await get(path)).body, plain);
  const again = await get(path, {
    'accept-encoding': 'gzip',
    'if-none-match': String(zipped.headers.etag),
  });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
  const font = await get('/assets/inter-00000000.woff2', { 'accept-encoding': 'br' });
  assert.equal(font.headers['content-encoding'], undefined);
  const head = await get(path, { 'accept-encoding': 'gzip' }, 'HEAD');
  assert.deepEqual([head.statusCode, head.body], [200, '']);
  assert.equal(head.headers['content-length'], zipped.headers['content-length']);
});

test('what the build has encoded is sent as it is', async () => {
  const place = join(root, 'encoded');
  const ready = brotliCompressSync('y'.repeat(2_000));
  writePortal(place, { 'app.html': '', 'x.js': 'x'.repeat(2_000), 'x.js.br': ready });
  const built = new Portal({ directory: place, build: null, log });
  await built.open(ORIGIN);
  const chosen = built.files!.get('/x.js')!.body.choose('br');
  assert.deepEqual(await chosen.bytes(), ready);
  assert.equal(built.files!.get('/x.js.br'), null);
});

test('addresses in pages are those of the public address', async () => {
  const { body } = await get('/');
  assert.match(body, /curl https:\/\/tapeloom\.example\/v1\/status, wss:\/\/tapeloom\.example\/v1/);
});

test('Markdown, the list for assistants and the feed have their types and the public address', async () => {
  const types = {
    '/docs/errors.md': 'text/markdown; charset=utf-8',
    '/docs/changelog.atom': 'application/atom+xml; charset=utf-8',
    '/llms.txt': 'text/plain; charset=utf-8',
  };
  for (const [path, type] of Object.entries(types)) {
    const { statusCode, headers, body } = await get(path);
    assert.equal(statusCode, 200, path);
    assert.equal(headers['content-type'], type);
    assert.match(body, /https:\/\/tapeloom\.example\/docs/);
    const head = await get(path, {}, 'HEAD');
    assert.equal(head.statusCode, 200);
    assert.equal(head.body, '');
    const again = await get(path, { 'if-none-match': String(headers.etag) });
    assert.equal(again.statusCode, 304);
  }
});

test('the samples of a page show the address of the service that serves them', async () => {
  const { body } = await get('/docs/errors.md');
  assert.match(body, /\(https:\/\/tapeloom\.example\/docs\/keys\.md\)/);
  assert.match(body, / https:\/\/tapeloom\.example\/v1 wss:\/\/tapeloom\.example\/v1\n/);
});

test('status, plans, legal texts, withdrawal and "not found" can be read without scripts', async () => {
  const plainOf = async (path: string) => {
    const { body } = await get(path, IN_A_BROWSER);
    return /<noscript>([\s\S]*)<\/noscript>/.exec(body)?.[1] ?? '';
  };
  const status = await plainOf('/status');
  assert.match(status, /<h1>Status<\/h1>\n<p>Results are being computed/);
  assert.match(status, /<tr><td>ES\.c\.0<\/td><td>ES\w+<\/td><td>\w+<\/td><\/tr>/);
  assert.match(await plainOf('/plans'), /<td>Live<\/td><td>€79\.00 a month, tax included<\/td>/);
  assert.match(await plainOf('/imprint'), /<h1>Imprint<\/h1>\n<p>The operator of this service/);
  assert.match(await plainOf('/privacy'), /<h1>Privacy<\/h1>/);
  assert.match(await plainOf('/terms'), /<h1>Terms<\/h1>/);
  assert.match(await plainOf('/withdraw'), /<form method="post" action="\/withdrawal">/);
  const unknown = await get('/nothing', IN_A_BROWSER);
  assert.equal(unknown.statusCode, 404);
  assert.match(unknown.body, /<title>Page not found · Tapeloom<\/title>/);
  // A page that needs a session needs scripts, and states it.
  assert.match(await plainOf('/keys'), /JavaScript/);
});

test('the plain status page has the last 90 days: incidents with their times, and what was not recorded', async () => {
  const plain = async () => (await get('/status', IN_A_BROWSER)).body;
  assert.match(await plain(), /<h2>Last 90 days<\/h2>\n<p>Nothing was recorded yet\.<\/p>/);
  const began = service.clock.now();
  const at = (minutes: number) => (began + BigInt(minutes) * 60_000_000_000n) as EpochNs;
  const { status } = service.store;
  await status.noteStatus({ node: '', from: at(0), until: at(60), state: 'up' });
  await status.noteStatus({ node: '', from: at(60), until: at(65), state: 'engine' });
  await status.noteStatus({ node: '', from: at(65), until: at(100), state: 'up' });
  service.clock.advance(100 * 60_000);
  const body = await plain();
  assert.match(
    body,
    /up for 95\.00% of the recorded time\. There is no record before 11 Nov 2026, 16:00 UTC/,
  );
  assert.match(
    body,
    /<td>11 Nov 2026, 17:00 UTC<\/td><td>11 Nov 2026, 17:05 UTC<\/td><td>5 minutes<\/td><td>No results were computed\.<\/td>/,
  );
});

test('a plain page is encoded and named once, until its text changes', async () => {
  const first = await get('/plans', IN_A_BROWSER);
  const again = await get('/plans', {
    ...IN_A_BROWSER,
    'if-none-match': String(first.headers.etag),
  });
  assert.equal(again.statusCode, 304);
  assert.notEqual((await get('/terms', IN_A_BROWSER)).headers.etag, first.headers.etag);
});

test('a page that nobody knows is the portal with 404 to a browser, and a problem document to a program', async () => {
  for (const path of [
    '/nothing',
    '/app.html',
    '/index.html',
    '/docs/nothing',
    '/.vite/manifest.json',
  ]) {
    const shown = await get(path, IN_A_BROWSER);
    assert.equal(shown.statusCode, 404, path);
    assert.match(
      shown.body,
      /<title>Page not found[\s\S]* src="\/assets\/app-9f8e7d6c\.js">/,
      path,
    );
    checkProblem(problemOf(await get(path)), DOCS_URL, { status: 404, code: 'NOT_FOUND' });
  }
  const { statusCode, headers } = await get('/docs/?x=1');
  assert.deepEqual([statusCode, headers.location], [308, '/docs?x=1']);
});

test('the charts are a page of their own, which an older portal and a portal that is being built do not have', async () => {
  const shown = await get('/charts', IN_A_BROWSER);
  assert.deepEqual([shown.statusCode, shown.body], [200, SAMPLE_FILES['charts.html']]);
  const moved = await get('/charts/?layout=a');
  assert.deepEqual([moved.statusCode, moved.headers.location], [308, '/charts?layout=a']);
  const place = join(root, 'older');
  const { 'charts.html': _charts, ...older } = SAMPLE_FILES;
  const later = new Portal({ directory: place, build: null, log });
  const pages = new Pages({ portal: later, routes: [], publicUrl: () => ORIGIN });
  const plain = { acceptEncoding: undefined, ifNoneMatch: undefined, form: new URLSearchParams() };
  const ask = (url: string) => pages.find({ method: 'GET', url, accept: undefined })!.answer(plain);
  const building = await ask('/charts');
  assert.deepEqual([building.status, building.headers['retry-after']], [503, '2']);
  assert.deepEqual(building.headers, (await ask('/dashboard')).headers);
  writePortal(place, older);
  await later.open(ORIGIN);
  assert.deepEqual([(await ask('/charts')).status, (await ask('/dashboard')).status], [404, 200]);
});

test('no address leads out of the directory, and links in it lead nowhere', async () => {
  const port = await service.listen();
  const paths = [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//../secret.txt',
    '/secret.txt',
    '/docs/..',
    '//tapeloom.example/docs/',
    '/%00',
    '/__proto__',
    '/constructor',
  ];
  for (const path of paths) {
    // Sent as it is: `fetch` would normalise the path first.
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    httpRequest({ port, host: '127.0.0.1', path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    })
      .on('error', reject)
      .end();
    const { status, text } = await promise;
    assert.ok(status === 404 || status === 400, `${path} ${status}`);
    assert.ok(!text.includes('secret'), path);
  }
});

test('the interface below /v1 stays what it is', async () => {
  for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1/portal/nothing']) {
    const answer = await get(path, IN_A_BROWSER);
    checkProblem(problemOf(answer), DOCS_URL, { status: 404, code: 'NOT_FOUND' });
    assert.equal(answer.headers['content-security-policy'], undefined);
  }
  assert.equal((await get('/v1/status', IN_A_BROWSER)).statusCode, 200);
});

test('pages are read only: any other method is 405, and an unknown address 404', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] as const) {
    const answer = await service.http.app.inject({ method, url: '/keys', headers: IN_A_BROWSER });
    assert.equal(answer.headers.allow, 'GET, HEAD');
    checkProblem(problemOf(answer), DOCS_URL, { status: 405, code: 'NOT_FOUND' });
    const unknown = await service.http.app.inject({ method, url: '/nothing' });
    assert.equal(unknown.statusCode, 404);
  }
});

test('no key is looked at and none counts, and pages have an allowance of their own by address', async () => {
  const key = await service.customer('sandbox');
  const authorization = `Bearer ${key}`;
  const { headers } = await get('/', { authorization });
  assert.equal(headers['ratelimit-limit'], undefined);
  assert.equal((await get('/', { authorization: 'Bearer svc_live_wrong' })).statusCode, 200);
  const ask = (url: string) => service.request('GET', url, { address: '198.51.100.9' });
  const statuses = [];
  for (let count = 0; count < 2_401; count++) statuses.push((await ask('/sign-in')).status);
  assert.deepEqual(
    statuses.filter((status) => status !== 200),
    [429],
  );
  const refused = await ask('/');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.equal((await ask('/v1/status')).status, 200, 'public routes are counted apart');
  assert.equal((await get('/')).statusCode, 200, 'another address is not concerned');
});

test('a route of pages gets its forms, whole and from our own pages only', async () => {
  const form = (payload: string, headers: Record<string, string> = {}) =>
    service.http.app.inject({
      method: 'POST',
      url: '/pay/test/abc?x=1',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: ORIGIN,
        ...headers,
      },
      payload,
    });
  const shown = await get('/pay/test/abc');
  assert.match(
    shown.body,
    /<title>Pay &lt;b&gt;<\/title>\n<link rel="stylesheet" href="\/assets\//,
  );
  assert.equal(shown.headers['cache-control'], 'no-store');
  const sent = await form('choice=pay&note=a%26b+c');
  assert.deepEqual([sent.statusCode, sent.headers.location], [303, '/orders']);
  const last = asked.at(-1)!;
  assert.deepEqual(
    [...last.form],
    [
      ['choice', 'pay'],
      ['note', 'a&b c'],
    ],
  );
  assert.deepEqual([last.path, last.query.get('x')], ['/pay/test/abc', '1']);
  const count = asked.length;
  for (const [answer, status] of [
    [await form('a=1', { origin: 'https://evil.example' }), 403],
    [await form('a=1', { origin: 'null' }), 403],
    [await form('{}', { 'content-type': 'application/json' }), 415],
    [await form('a'.repeat(16_385)), 413],
  ] as const) {
    assert.equal(answer.statusCode, status);
  }
  assert.equal((await form('a'.repeat(16_384))).statusCode, 303);
  assert.equal(asked.length, count + 1);
});

test('before the portal is built a page says so and loads itself again; without one it says that', async () => {
  const place = join(root, 'nowhere');
  const ended = Promise.withResolvers<boolean>();
  const build = { ended: ended.promise, [Symbol.dispose]: () => {} };
  const later = new Portal({ directory: place, build, log });
  const pages = () => new Pages({ portal: later, routes: [], publicUrl: () => ORIGIN });
  await using other = await RestService.start({ pages });
  const show = () => other.http.app.inject({ method: 'GET', url: '/', headers: IN_A_BROWSER });
  const opened = later.open(ORIGIN);
  const first = await show();
  assert.equal(first.statusCode, 503);
  assert.equal(first.headers['retry-after'], '2');
  assert.match(first.body, /The portal is being built\. This page reloads by itself\./);
  assert.match(first.body, /<meta http-equiv="refresh" content="2">/);
  assert.doesNotMatch(first.body, /<script|style=|<style/);
  const keys = await other.http.app.inject({ method: 'GET', url: '/keys' });
  assert.equal(keys.statusCode, 503);
  writePortal(place);
  ended.resolve(true);
  await opened;
  assert.equal((await show()).statusCode, 200);

  const missing = new Portal({ directory: join(root, 'missing'), build: null, log });
  await missing.open(ORIGIN);
  assert.match(missing.absence.html, /The portal is not built/);
  assert.doesNotMatch(missing.absence.html, /refresh/);
});

test('a page of an earlier build still finds its files', async () => {
  const place = join(root, 'rebuilt');
  writePortal(place, { 'app.html': 'one', 'assets/one-11111111.js': '1', 'old.txt': 'x' });
  const ended = Promise.withResolvers<boolean>();
  const build = { ended: ended.promise, [Symbol.dispose]: () => {} };
  const rebuilt = new Portal({ directory: place, build, log });
  const opened = rebuilt.open(ORIGIN);
  while (rebuilt.files === null) await new Promise(setImmediate);
  rmSync(place, { recursive: true });
  writePortal(place, { 'app.html': 'two', 'assets/two-22222222.js': '2' });
  ended.resolve(true);
  await opened;
  const bytes = await rebuilt.files.app!.body.choose(undefined).bytes();
  assert.equal(bytes.toString(), 'two');
  assert.notEqual(rebuilt.files.get('/assets/one-11111111.js'), null);
  assert.notEqual(rebuilt.files.get('/assets/two-22222222.js'), null);
  assert.equal(rebuilt.files.get('/old.txt'), null);
});
