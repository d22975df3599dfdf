/**
 * The built client package in Deno against a service on the loopback: the oldest release that its
 * README names, and a new one. Both come with `npm ci --prefix tools/deno`.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { TAPE_START, WholeService } from '../../packages/server/testing/rest/whole-service.ts';
import { buildClientPackage } from '../../tools/build/client-package.ts';

const folder = join(import.meta.dirname, '../../tools/deno/node_modules');
const programs = ['oldest', 'new'].map((age) =>
  join(folder, `deno-${age}-${process.platform}-${process.arch}`, 'deno'),
);
const denoMissing = programs.every((path) => existsSync(path))
  ? false
  : `no Deno for ${process.platform} on ${process.arch}: npm ci --prefix tools/deno brings it to Linux on x64`;
const project = mkdtempSync(join(tmpdir(), 'tapeloom-deno-'));
const run = promisify(execFile);

const PROGRAM = `
import process from 'node:process';
import { TapeloomClient } from '@tapeloom/client';
import { historyCache } from '@tapeloom/client/node';

const place = { url: process.env.URL!, key: process.env.KEY! };
const request = {
  indicator: 'bars',
  instrument: 'A.c.0',
  params: { bar: 'tick', size: 3 },
  from: BigInt(process.env.START!),
} as const;
const client = new TapeloomClient(place);
const past = await client.history(request).finals().toArray();
const lines = await client.export(request).toArray();
const kept = new TapeloomClient({ ...place, fetch: historyCache('cache') });
const again = await kept.history(request).finals().toArray();
const byKey = client.subscribe({ ...request, from: 'live' });
await byKey.ready;
const token = async () => (await client.streamToken()).token;
const page = new TapeloomClient({ url: place.url, token });
const byToken = page.subscribe({ ...request, from: 'live' });
await byToken.ready;
const finals = [...byKey.state.objects.values()].filter(({ final }) => final);
const same = [...byToken.state.objects.keys()].join() === [...byKey.state.objects.keys()].join();
console.log(JSON.stringify([past.length, lines.length, again.length, finals.length, same]));
await Promise.all([client.close(), page.close()]);
`;

let service: WholeService;
let env: NodeJS.ProcessEnv;
before(async () => {
  buildClientPackage(join(project, 'node_modules/@tapeloom/client'));
  const dependencies = { '@tapeloom/client': '*' };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  writeFileSync(join(project, 'program.ts'), PROGRAM);
  service = await WholeService.start();
  for (let price = 0; price < 60; price += 1) {
    await service.trade(1_000, { price: 100 + (price % 5), size: 1 + (price % 3) });
  }
  await service.jump(1_000);
  const KEY = await service.rest.customer('live_history');
  env = {
    ...process.env,
    URL: service.url,
    KEY,
    START: String(TAPE_START),
    DENO_DIR: join(project, '.deno'),
  };
});
after(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(project, { recursive: true, force: true });
});

for (const [at, age] of ['the oldest', 'a new'].entries()) {
  test(`${age} release reads history and exports, keeps pages, and streams by key and by token`, {
    skip: denoMissing,
  }, async () => {
    const words = ['run', '--node-modules-dir=manual', '--no-check', '--allow-all', 'program.ts'];
    const { stdout } = await run(programs[at]!, words, { cwd: project, env });
    const [past, lines, again, finals, isSame] = JSON.parse(stdout);
    assert.ok(past > 10, stdout);
    assert.deepEqual([again, finals, isSame], [past, past, true], stdout);
    assert.ok(lines >= past + 2, stdout);
  });
}
