/**
 * The web server of the page. It alone has the API key, and it hands exports through: of one indicator, as
 * much as this page needs. What it must not be is a way for everybody to everything your key may have.
 *
 *   TAPELOOM_KEY=svc_live_… node backend.ts
 */

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rolldown } from 'rolldown';

const {
  TAPELOOM_KEY: key,
  SERVICE_URL: url = 'http://127.0.0.1:8080',
  PORT = '3000',
} = process.env;
if (key === undefined) throw new Error('Set TAPELOOM_KEY to an API key with the scope export.');

const bundle = await rolldown({ input: join(import.meta.dirname, 'page.js') });
const { output } = await bundle.generate({ format: 'es', minify: true });
const pages: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', readFileSync(join(import.meta.dirname, 'index.html'), 'utf8')],
  '/page.js': ['text/javascript', output[0].code],
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const page = pages[pathname];
  if (page !== undefined) {
    response.writeHead(200, { 'content-type': `${page[0]}; charset=utf-8` }).end(page[1]);
  } else if (pathname === '/v1/export' && isOfThisPage(searchParams)) {
    passOn(searchParams, response).catch(() => response.destroy());
  } else {
    response.writeHead(404).end();
  }
});

/** Look at who asks, too, before your key pays for it. */
function isOfThisPage(query: URLSearchParams): boolean {
  return query.has('resume') || query.get('indicator') === 'bars';
}

async function passOn(query: URLSearchParams, response: ServerResponse): Promise<void> {
  const answer = await fetch(`${url}/v1/export?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const names = ['content-type', 'x-export-token', 'retry-after'];
  const headers = names.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(headers));
  await pipeline(Readable.fromWeb(answer.body!), response);
}

server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
