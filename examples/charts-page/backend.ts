/**
 * The web server of the page. It alone has the API key: visitors who know the password get stream tokens, and their
 * requests for history go on to the service with the key. Everything else it does is to hand out the page.
 *
 *   TAPELOOM_KEY=svc_live_… PAGE_PASSWORD=… node backend.ts
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pageFiles } from './page-files.ts';

const { TAPELOOM_KEY: key, SERVICE_URL: service = 'http://127.0.0.1:8080' } = process.env;
const { PAGE_PASSWORD: password, PORT = '3000' } = process.env;
if (key === undefined || password === undefined)
  throw new Error('Set TAPELOOM_KEY, PAGE_PASSWORD.');
const visitor = `Basic ${btoa(`visitor:${password}`)}`;
/** What a chart asks for. Nothing else goes on with your key. */
const ASKED = /^\/tapeloom(\/v1\/(?:history|history\/estimate|instruments|sessions|usage))$/;
const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ${service.replace(/^http/, 'ws')}`;
const files = await pageFiles(service);

const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const forwarded = request.method === 'GET' ? ASKED.exec(pathname)?.[1] : undefined;
  const file = files.get(pathname);
  if (request.headers.authorization !== visitor) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end();
  } else if (pathname === '/stream-token' && request.method === 'POST') {
    await ask('/v1/stream-tokens', request, response);
  } else if (forwarded !== undefined) await ask(forwarded + search, request, response);
  else if (file === undefined) response.writeHead(404).end();
  else {
    const headers = { 'content-type': file.type, 'content-security-policy': policy };
    response.writeHead(200, headers).end(file.content);
  }
});

async function ask(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.headers['sec-fetch-site'] !== 'same-origin') {
    // Other pages in the same browser have no business here.
    response.writeHead(403).end();
    return;
  }
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  const once = request.headers['idempotency-key'];
  if (typeof once === 'string') headers['idempotency-key'] = once;
  const answer = await fetch(service + path, { method: request.method!, headers }).catch(
    () => null,
  );
  const type = answer?.headers.get('content-type') ?? 'text/plain';
  response.writeHead(answer?.status ?? 502, { 'content-type': type, 'cache-control': 'no-store' });
  if (answer?.body) Readable.fromWeb(answer.body).pipe(response);
  else response.end();
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
