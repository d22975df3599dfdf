/**
 * The web server of the page. It alone has the API key: the page gets a stream token from it, which is good
 * for one connection within a minute, and gets one only for somebody who has signed in. Everything else it does
 * is to hand out the page.
 *
 *   TAPELOOM_KEY=svc_live_… PAGE_PASSWORD=… node backend.ts
 */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TapeloomClient } from '@tapeloom/client';
import { rolldown } from 'rolldown';
import { SignIns } from './sign-ins.ts';

const {
  TAPELOOM_KEY: key,
  SERVICE_URL: url = 'http://127.0.0.1:8080',
  PORT = '3000',
  PAGE_PASSWORD: password,
} = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key with the scope stream.');
if (password === undefined)
  throw new Error('Set PAGE_PASSWORD to what lets people in to the page.');
const client = new TapeloomClient({ url, key });
const signIns = new SignIns(password);

const file = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** One file for the browser: the page, the chart and what they use of the client. */
const bundle = await rolldown({ input: join(import.meta.dirname, 'page.js') });
const { output } = await bundle.generate({ format: 'es', minify: true });

const stream = url.replace(/^http/, 'ws');
const pages: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', file('index.html').replace('{{service}}', url)],
  '/sign-in': ['text/html', file('sign-in.html')],
  '/page.css': ['text/css', file('page.css')],
  '/page.js': ['text/javascript', output[0].code],
};

const server = createServer((request, response) => {
  const { pathname: path, search } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST' && path === '/stream-token') {
    void handOutToken(request, response);
    return;
  }
  if (request.method === 'POST' && path === '/') {
    void signIns.signIn(request, response, `/${search}`);
    return;
  }
  const name = path === '/' && !signIns.isSignedIn(request) ? '/sign-in' : path;
  const page = request.method === 'GET' ? pages[name] : undefined;
  if (page === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': `${page[0]}; charset=utf-8`,
    'content-security-policy': `default-src 'self'; img-src data:; connect-src 'self' ${stream}`,
  });
  response.end(page[1]);
});

async function handOutToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Whoever has a token sees what your key may see: it is for people you know, on your own page.
  if (request.headers['sec-fetch-site'] !== 'same-origin') {
    response.writeHead(403).end();
    return;
  }
  if (!signIns.isSignedIn(request)) {
    response.writeHead(401).end();
    return;
  }
  try {
    const { token } = await client.streamToken();
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ token }));
  } catch (error) {
    console.error(error);
    response.writeHead(502).end();
  }
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
