/** Stops a real service during an export; `http/routes/export-end.test.ts` does so in process. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { killServices, NO_PAST, RunningService } from '../running-service.ts';

const data = mkdtempSync(join(tmpdir(), 'tapeloom-stop-'));
after(() => {
  killServices();
  rmSync(data, { recursive: true, force: true });
});

const DAY_MS = 86_400_000;
const dateOf = (daysAgo: number) =>
  new Date((Math.floor(Date.now() / DAY_MS) - daysAgo) * DAY_MS).toISOString().slice(0, 10);
/** Yesterday, with a result per trade: far more than all buffers of client and service hold. */
const EXPORT = {
  instrument: 'BTC.c.0',
  indicator: 'footprint',
  params: '{"bar":"tick","size":1}',
  from: dateOf(1),
  to: dateOf(0),
};

interface Usage {
  readonly used: { readonly exportBytes: number; readonly computeUnits: number };
  readonly remaining: { readonly exportBytes: number };
  readonly limits: { readonly exportBytes: number };
}
/** Begins an export and reads nothing until `received` is called. */
async function begunExport(service: RunningService) {
  const { hostname, port } = new URL(service.address('REST'));
  const query = new URLSearchParams(EXPORT);
  const { authorization } = service.authorized;
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `GET /v1/export?${query} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`,
  );
  await once(socket, 'readable');
  /** All bytes sent until the connection ended. */
  const received = async () => {
    const pieces: Buffer[] = [];
    for await (const piece of socket) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  return { received };
}

/** The body bytes of the complete chunks of a chunked response. */
function wholeChunks(answer: Buffer): number {
  assert.match(answer.toString('latin1', 0, 20), /^HTTP\/1\.1 200 /);
  let bytes = 0;
  let at = answer.indexOf('\r\n\r\n') + 4;
  for (;;) {
    const lineEnd = answer.indexOf('\r\n', at);
    const size = Number.parseInt(answer.toString('latin1', at, Math.max(at, lineEnd)), 16);
    const next = lineEnd + 2 + size + 2;
    if (lineEnd < 0 || next > answer.length) return bytes;
    assert.ok(size > 0, 'the end never came');
    bytes += size;
    at = next;
  }
}

test('an export that is cut by a stop is charged what was written, and the stop does not wait for it [COUNT-25] [SEC-28]', async () => {
  const first = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '3' } });
  await first.ready();
  const { received } = await begunExport(first);
  const stopped = await first.stop('SIGTERM');
  assert.equal(stopped.code, 0, first.errors);
  assert.ok(stopped.ms < 5_000, `${stopped.ms} ms`);
  const bytes = wholeChunks(await received());

  const second = new RunningService({ data, env: { ...NO_PAST, TAPELOOM_SIM_SCALE: '3' } });
  await second.ready();
  const { used, remaining, limits } = (await (
    await second.send('GET', '/v1/usage')
  ).json()) as Usage;
  assert.ok(bytes > 0);
  assert.equal(used.exportBytes, bytes, 'pieces that left as a whole are charged, and no others');
  assert.equal(remaining.exportBytes, limits.exportBytes - used.exportBytes, 'nothing is held');
  assert.ok(used.computeUnits > 0);
  assert.equal((await second.stop('SIGTERM')).code, 0, second.errors);
});
