import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pages } from '../../pages/pages.ts';
import { Portal } from '../../pages/portal.ts';
import { createLog } from '../../platform/log/log.ts';
import type { PaddleEnvironment } from './paddle-environment.ts';
import { paddlePages } from './paddle-page.ts';
import { ownPath, paddlePageUrl } from './paddle-page-address.ts';

const ORIGIN = 'https://tapeloom.example';
const REF = `txn_${'0'.repeat(25)}7`;
const TOKEN = `live_${'a'.repeat(27)}`;
const log = createLog({ level: 'silent', readable: false, write: () => {} });

async function ask(url: string, environment: PaddleEnvironment = 'live') {
  const pages = new Pages({
    portal: new Portal({ directory: '/nowhere', build: null, log }),
    routes: [paddlePages({ clientToken: TOKEN, environment })],
    publicUrl: () => ORIGIN,
  });
  const page = pages.find({ method: 'GET', url, accept: 'text/html' });
  assert.ok(page !== null, url);
  const reply = await page.answer({
    acceptEncoding: undefined,
    ifNoneMatch: undefined,
    form: new URLSearchParams(),
  });
  return { ...reply, text: String(reply.body) };
}

test('the page lets in exactly the origins of Paddle in the world in use, and no inline script [SEC-14]', async () => {
  const live = await ask(`/pay/paddle?_ptxn=${REF}`);
  assert.equal(
    live.headers['content-security-policy'],
    "default-src 'none'; script-src 'self' https://cdn.paddle.com; style-src 'self' https://cdn.paddle.com; " +
      "img-src 'self' https://cdn.paddle.com; font-src 'self'; connect-src 'self' wss://tapeloom.example " +
      'https://api.paddle.com https://buy.paddle.com https://create-checkout.paddle.com ' +
      'https://checkout-service.paddle.com; frame-src https://buy.paddle.com https://cdn.paddle.com; ' +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  assert.match(
    live.headers['permissions-policy']!,
    /camera=\(\).* payment=\(self "https:\/\/buy\.paddle\.com"\)/,
  );
  assert.equal(live.headers['cross-origin-opener-policy'], 'same-origin-allow-popups');
  const sandbox = (await ask(`/pay/paddle?_ptxn=${REF}`, 'sandbox')).headers[
    'content-security-policy'
  ]!;
  const origins = [...sandbox.matchAll(/https:\/\/[\w-]+\.paddle\.com/g)].map(([origin]) => origin);
  assert.deepEqual(
    new Set(origins.filter((one) => !one.startsWith('https://sandbox-'))),
    new Set(['https://cdn.paddle.com']),
  );
  assert.ok(
    sandbox.includes('frame-src https://sandbox-buy.paddle.com https://sandbox-cdn.paddle.com;'),
  );
});

test('what is no payment, and the script of the page, come under the policy of every page [SEC-14]', async () => {
  const script = /src="(\/pay\/paddle\/open-checkout-[\w-]{8}\.js)"/.exec(
    (await ask(`/pay/paddle?_ptxn=${REF}`)).text,
  )![1]!;
  for (const [path, status] of [
    ['/pay/paddle', 404],
    ['/pay/paddle?_ptxn=', 404],
    ['/pay/paddle?_ptxn=txn_%22%3E%3Cscript%3E', 404],
    [`/pay/paddle/?_ptxn=${REF}`, 404],
    [`/pay/paddle/x?_ptxn=${REF}`, 404],
    ['/pay/paddle/open-checkout-00000000.js', 404],
    [script, 200],
  ] as const) {
    const reply = await ask(path);
    assert.equal(reply.status, status, path);
    assert.doesNotMatch(reply.headers['content-security-policy']!, /paddle\.com/, path);
    assert.equal(reply.headers['cross-origin-opener-policy'], 'same-origin', path);
  }
  const { headers, text } = await ask(script);
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
  assert.match(headers['cache-control']!, /immutable/);
  assert.match(text, /Paddle\.Checkout\.open/);
});

test('the page carries its settings in attributes, escaped, and leads back to paths of this origin only', async () => {
  const url = paddlePageUrl(ORIGIN, {
    returnUrl: `${ORIGIN}/orders?order=ord_1`,
    backUrl: `${ORIGIN}/checkout?offer=%22live%22`,
    transaction: REF,
  });
  const { pathname, search } = new URL(url);
  const { text } = await ask(pathname + search);
  assert.ok(
    text.includes(`data-transaction="${REF}" data-token="${TOKEN}" data-environment="live"`),
  );
  assert.ok(text.includes('data-return-to="/orders?order=ord_1"'));
  assert.ok(text.includes('href="/checkout?offer=%22live%22"'));
  assert.match(text, /id="failed" role="alert" hidden/);
  assert.match(text, /<noscript>/);
  const scripts = [...text.matchAll(/<script[^>]*>[^<]*/g)].map(([one]) => one);
  assert.equal(scripts.length, 1);
  assert.match(scripts[0]!, /^<script src="\/pay\/paddle\/open-checkout-[\w-]+\.js" defer>$/);
  assert.doesNotMatch(text, /\sstyle=|\son\w+=/);
  for (const evil of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/.//evil.example/',
    '/orders/..//evil.example/',
    '/%2e//evil.example/',
    '/\t/evil.example/',
    'javascript:alert(1)',
    'orders',
    '',
  ]) {
    assert.equal(ownPath(evil), null, evil);
    const query = new URLSearchParams({ return: evil, back: evil, _ptxn: REF });
    const page = await ask(`/pay/paddle?${query}`);
    assert.ok(page.text.includes('data-return-to="/orders"'), evil);
    assert.doesNotMatch(page.text.replaceAll(/return=[^"]*/g, ''), /evil|javascript:/);
  }
  const typed = await ask(`/pay/paddle?return=/%22%3E%3Cb%3E&_ptxn=${REF}`);
  assert.doesNotMatch(typed.text, /"><b>/);
});
