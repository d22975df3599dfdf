/**
 * The web server of the page. It alone has the API key: the page gets a stream token from it, which is good
 * for one connection within a minute. Everything else it does is to hand out the page.
 *
 *   TAPELOOM_KEY=svc_live_… node backend.ts
 */

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TapeloomClient } from '@tapeloom/client';
import { rolldown } from 'rolldown';

const {
  TAPELOOM_KEY: key,
  SERVICE_URL: url = 'http://127.0.0.1:8080',
  PORT = '3000',
} = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key with the scope stream.');
const client = new TapeloomClient({ url, key });

const file = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** One file for the browser: the page, the chart and what they use of the client. */
const bundle = await rolldown({ input: join(import.meta.dirname, 'page.js') });
const { output } = await bundle.generate({ format: 'es', minify: true });

const stream = url.replace(/^http/, 'ws');
const pages: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', file('index.html').replace('{{service}}', url)],
  '/page.css': ['text/css', file('page.css')],
  '/page.js': ['text/javascript', output[0].code],
};

const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (request.method === 'POST' && path === '/stream-token') {
    void handOutToken(request, response);
    return;
  }
  const page = request.method === 'GET' ? pages[path] : undefined;
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
  // Whoever has a token sees what your key may see. Here is the place to look at who asks: the session of
  // your user, say. At the least it should be your own page.
  if (request.headers['sec-fetch-site'] !== 'same-origin') {
    response.writeHead(403).end();
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
