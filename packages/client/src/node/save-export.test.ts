import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { HurriedClock } from '../../../../simulation/clock/client-clock.ts';
import { problem, ScriptedHttp } from '../../../../simulation/network/scripted-http.ts';
import {
  exportBody,
  exportLines,
  exportServer,
  serve,
  wantedLine,
} from '../../testing/scripted-export.ts';
import { RestClient } from '../rest.ts';
import { TapeloomError } from '../tapeloom-error.ts';
import { begunExport, type SaveProgress, saveExport } from './save-export.ts';

const REQUEST = { indicator: 'bars', instrument: 'ES.c.0', from: '2026-11-12' } as const;
const LINES = exportLines(20);
const WHOLE = exportBody(LINES);

/** This file also runs as the program that is killed while it saves. */
const { SAVE_FROM, SAVE_TO } = process.env;
if (SAVE_FROM !== undefined && SAVE_TO !== undefined) {
  await saveExport(new RestClient({ url: SAVE_FROM, key: 'svc_live_x' }), REQUEST, SAVE_TO);
}

let folder: string;
let path: string;
let server: ScriptedHttp | null = null;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'save-export-'));
  path = join(folder, 'bars.ndjson.zst');
});
afterEach(async () => {
  await server?.close();
  server = null;
  await rm(folder, { recursive: true, force: true });
});
after(() => {
  for (const child of children) child.kill('SIGKILL');
});

function client(clock = new HurriedClock()): RestClient {
  return new RestClient({ url: server!.url, key: 'svc_live_x', clock });
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function exists(name: string): Promise<boolean> {
  return await access(name).then(
    () => true,
    () => false,
  );
}

test('an export becomes a file with its digest, and nothing is left beside it', async () => {
  server = await exportServer(LINES);
  const progress: SaveProgress[] = [];
  const saved = await saveExport(client(), REQUEST, path, {
    onProgress: (it) => progress.push(it),
  });
  assert.deepEqual(await readFile(path), WHOLE);
  assert.deepEqual(saved, {
    path,
    bytes: WHOLE.length,
    lines: 22,
    sha256: sha256(WHOLE),
    isResumed: false,
  });
  assert.deepEqual(await readdir(folder), ['bars.ndjson.zst']);
  const { time, ...last } = progress.at(-1)!;
  assert.deepEqual(last, { bytes: WHOLE.length, lines: 22, bytesBefore: 0, study: 0 });
  assert.equal(String(time), JSON.parse(LINES.at(-2)!).ts, 'of the newest result');
  assert.ok(progress.length > 3);
});

test('what a kill leaves of a record that was being written goes with the next export', async () => {
  server = await exportServer(LINES);
  await writeFile(`${path}.part.json.new`, '{"vers');
  await saveExport(client(), REQUEST, path);
  assert.deepEqual(await readdir(folder), ['bars.ndjson.zst']);
});

test('an export that fails leaves what has come, and the next call goes on from there', async () => {
  const frame = exportBody(LINES.slice(0, 3)).length;
  let isBroken = true;
  server = await ScriptedHttp.start((response, request, count) => {
    const body = exportBody(LINES.slice(wantedLine(request)));
    if (count === 1) serve(response, { body, cutAfter: frame * 2 + 1 });
    else if (isBroken) problem(response, 403, 'FORBIDDEN');
    else serve(response, { body });
  });
  await assert.rejects(saveExport(client(), REQUEST, path), { code: 'FORBIDDEN' });
  assert.equal(await exists(path), false);
  isBroken = false;
  const saved = await saveExport(client(), REQUEST, path);
  assert.equal(saved.isResumed, true);
  assert.equal(server.requests.at(-1)!.query.get('line'), '6');
  assert.deepEqual(await readFile(path), WHOLE);
  assert.equal(saved.sha256, sha256(WHOLE));
});

test('an export that never heard of its token is asked for again with the same idempotency key', async () => {
  server = await ScriptedHttp.start((response, request, count) => {
    if (count === 1) response.destroy();
    else serve(response, { body: exportBody(LINES.slice(wantedLine(request))) });
  });
  await assert.rejects(saveExport(client(), REQUEST, path), { code: 'NETWORK' });
  await saveExport(client(), REQUEST, path);
  const [first, second] = server.requests.map(({ headers }) => headers['idempotency-key']);
  assert.ok(first !== undefined && first === second);
  assert.deepEqual(await readFile(path), WHOLE);
});

test('a program that is killed leaves no half file, and another one goes on where it was', async () => {
  const frame = exportBody(LINES.slice(0, 3)).length;
  // The first response stops in the middle of its third frame and never ends.
  server = await ScriptedHttp.start((response, request, count) => {
    const body = exportBody(LINES.slice(wantedLine(request)));
    if (count > 1) return serve(response, { body });
    response.writeHead(200, { 'content-type': 'application/zstd', 'x-export-token': 'of before' });
    return response.write(body.subarray(0, frame * 2 + 5));
  });
  const child = spawn(process.execPath, [import.meta.filename], {
    env: { ...process.env, SAVE_FROM: server.url, SAVE_TO: path, NODE_TEST_CONTEXT: undefined },
    stdio: 'ignore',
  });
  children.push(child);
  const exited = once(child, 'exit');
  while (!(await hasPlace(path))) await turn();
  child.kill('SIGKILL');
  await exited;
  assert.equal(await exists(path), false);
  const saved = await saveExport(client(), REQUEST, path);
  assert.ok(saved.isResumed);
  assert.equal(server.requests.length, 2);
  assert.equal(server.requests[1]!.query.get('resume'), 'of before');
  assert.deepEqual(await readFile(path), WHOLE);
  assert.deepEqual(await readdir(folder), ['bars.ndjson.zst']);
});

/** Whether the record beside the file has a token. */
async function hasPlace(name: string): Promise<boolean> {
  const text = await readFile(`${name}.part.json`, 'utf8').catch(() => '{"place":null}');
  return JSON.parse(text).place !== null;
}

test('a program that dies before it gave the file its name is finished by the next one', async () => {
  server = await exportServer(LINES);
  await saveExport(client(), REQUEST, path);
  const asked = server.requests.length;
  for (const name of [path, `${path}.part`]) {
    await rm(path, { force: true });
    await writeFile(name, WHOLE);
    const whole = { place: { token: 't', lines: 22, bytes: WHOLE.length }, isWhole: true };
    await writeFile(
      `${path}.part.json`,
      JSON.stringify({ version: 1, request: await requestDigest(), idempotencyKey: 'k', ...whole }),
    );
    const saved = await saveExport(client(), REQUEST, path);
    assert.equal(saved.sha256, sha256(WHOLE));
    assert.deepEqual(await readdir(folder), ['bars.ndjson.zst']);
  }
  assert.equal(server.requests.length, asked);
});

/** The digest of the request, as records store it. */
async function requestDigest(): Promise<string> {
  const other = join(folder, 'other');
  const nobody = new RestClient({ url: 'http://127.0.0.1:1', key: 'svc_live_x' });
  await assert.rejects(saveExport(nobody, REQUEST, other));
  const { request } = JSON.parse(await readFile(`${other}.part.json`, 'utf8'));
  for (const name of await readdir(folder)) {
    if (name.startsWith('other')) await rm(join(folder, name));
  }
  return request;
}

test('what was written beyond the record is cut off', async () => {
  server = await exportServer(LINES);
  const frame = exportBody(LINES.slice(0, 3));
  await writeFile(`${path}.part`, Buffer.concat([frame, Buffer.from('half a frame')]));
  const place = { token: 't', lines: 3, bytes: frame.length };
  const record = {
    version: 1,
    request: await requestDigest(),
    idempotencyKey: 'k',
    isWhole: false,
  };
  await writeFile(`${path}.part.json`, JSON.stringify({ ...record, place }));
  await saveExport(client(), REQUEST, path);
  assert.deepEqual(await readFile(path), WHOLE);
});

test('what another export left is not touched, unless it is to begin anew', async () => {
  server = await exportServer(LINES, () => 1);
  await assert.rejects(saveExport(client(), REQUEST, path), TapeloomError);
  const other = { ...REQUEST, instrument: 'NQ.c.0' };
  await assert.rejects(saveExport(client(), other, path), /is of another export/);
  await server.close();
  server = await exportServer(LINES);
  const saved = await saveExport(client(), other, path, { restart: true });
  assert.equal(saved.isResumed, false);
  assert.deepEqual(await readFile(path), WHOLE);
  await writeFile(`${path}.part.json`, 'no record');
  await assert.rejects(saveExport(client(), REQUEST, path), { code: 'CONFIGURATION' });
});

test('a table is saved too, and goes on a few bytes back, where its end can be seen', async () => {
  const table = Buffer.from(`PAR1${'column'.repeat(50)}PAR1`);
  let isBroken = true;
  server = await ScriptedHttp.start((response, { query }, count) => {
    const body = table.subarray(Number(query.get('byte') ?? 0));
    const contentType = 'application/vnd.apache.parquet';
    if (count === 1) serve(response, { body, contentType, cutAfter: 100 });
    else if (isBroken) problem(response, 403, 'FORBIDDEN');
    else serve(response, { body, contentType });
  });
  const request = { ...REQUEST, format: 'parquet' } as const;
  await assert.rejects(saveExport(client(), request, path), { code: 'FORBIDDEN' });
  isBroken = false;
  const saved = await saveExport(client(), request, path);
  assert.equal(server.requests.at(-1)!.query.get('byte'), '36');
  assert.deepEqual(await readFile(path), table);
  assert.equal(saved.lines, 0);
});

test('a signal stops it, and what has come stays', async () => {
  server = await exportServer(LINES);
  const controller = new AbortController();
  const reason = new Error('enough');
  const onProgress = () => controller.abort(reason);
  const { signal } = controller;
  await assert.rejects(saveExport(client(), REQUEST, path, { signal, onProgress }), reason);
  assert.equal(await exists(path), false);
  const saved = await saveExport(client(), REQUEST, path);
  assert.ok(saved.isResumed);
  assert.deepEqual(await readFile(path), WHOLE);
});

test('what was begun can be asked for before it goes on', async () => {
  server = await exportServer(LINES);
  assert.equal(await begunExport(REQUEST, path), null);
  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error('enough'));
  const { signal } = controller;
  await saveExport(client(), REQUEST, path, { signal, onProgress }).catch(() => {});
  const begun = await begunExport(REQUEST, path);
  assert.ok(begun !== null && begun.lines > 0 && begun.bytes > 0);
  assert.equal(await begunExport({ ...REQUEST, indicator: 'delta' }, path), null);
});

test('an export that was refused at once has not begun, and leaves nothing', async () => {
  server = await ScriptedHttp.start((response) => problem(response, 403, 'FORBIDDEN'));
  await assert.rejects(saveExport(client(), REQUEST, path), { code: 'FORBIDDEN' });
  assert.deepEqual(await readdir(folder), []);
});
