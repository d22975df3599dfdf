/**
 * The example in Python against the real service, over a line that breaks. `npm test` alone does not run
 * it, since it needs what npm does not bring: `.ci/run` does, by `npm test -- examples/python`.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { zstdDecompressSync } from 'node:zlib';
import { CuttingProxy } from '../../tests/cutting-proxy.ts';
import { killServices, NO_PAST, RunningService } from '../../tests/running-service.ts';

const here = import.meta.dirname;
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-python-'));
const DAY_MS = 86_400_000;
const midnightMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const from = new Date(midnightMs - DAY_MS / 2).toISOString();
const to = new Date(midnightMs - DAY_MS / 24).toISOString();

const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))';
const isThere = (command: string, ...words: readonly string[]) =>
  spawnSync(command, words).status === 0;
const pythonMissing =
  isThere('python3', '-c', isNewEnough) && isThere('zstd', '--version')
    ? false
    : 'Python 3.11 or the program zstd is not installed';

describe('the example in Python', { skip: pythonMissing }, () => {
  let service: RunningService;
  let proxy: CuttingProxy;
  /** The contract an alias means now: an alias may mean another one while a fast clock runs. */
  let contract: string;
  before(async () => {
    service = new RunningService({
      data: join(directory, 'data'),
      args: ['--speed', '600'],
      env: NO_PAST,
    });
    await service.ready();
    proxy = await CuttingProxy.before(service.address('REST'));
    const { instruments } = await json<{ instruments: { symbol: string; alias: string }[] }>(
      '/v1/instruments',
    );
    contract = instruments.find(({ alias }) => alias === 'BTC.c.0')!.symbol;
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    killServices();
    rmSync(directory, { recursive: true, force: true });
  });

  async function json<T>(path: string): Promise<T> {
    const answer = await service.get(path, service.authorized);
    if (answer.status !== 200) assert.fail(await answer.text());
    return (await answer.json()) as T;
  }

  const settings = () => ({
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      SERVICE_URL: proxy.url,
      TAPELOOM_KEY: service.keys.live,
    },
  });
  const start = (name: string, ...words: readonly string[]): ChildProcess =>
    spawn('python3', [join(here, name), ...words], settings());
  const python = async (name: string, ...words: readonly string[]) =>
    (await promisify(execFile)('python3', [join(here, name), ...words], settings())).stdout;

  it('has a WebSocket client that keeps to the RFC, and pushes each batch until it is taken', async () => {
    await promisify(execFile)('python3', ['-m', 'unittest'], { ...settings(), cwd: here });
  });

  it('streams on after a cut and after a restart, without a gap and without a double', async () => {
    const bars: { readonly id: string; readonly ms: number }[] = [];
    const run = async (count: number, onBar: (printed: number) => void) => {
      const child = start('stream.py', contract, '--count', String(count));
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      let [errors, printed] = ['', 0];
      for await (const line of createInterface(child.stdout!)) {
        if (line.startsWith('#')) continue;
        const [id, date, time] = line.split(/ +/);
        bars.push({ id: id!, ms: Date.parse(`${date}T${time}Z`) });
        printed += 1;
        onBar(printed);
      }
      assert.equal(printed, count, errors);
      return errors;
    };
    const told = await run(6, (printed) => {
      if (printed === 2) proxy.cut();
    });
    assert.match(told, /: again in \d/);
    assert.equal(await run(3, () => {}), '');

    const range = new URLSearchParams({
      instrument: contract,
      indicator: 'footprint',
      mode: 'confirmed',
      from: new Date(bars[0]!.ms).toISOString(),
      // A cursor is waited for; a time that history has not reached yet is not.
      untilCursor: readFileSync(join(directory, `${contract}.cursor`), 'utf8'),
    });
    const { items } = await json<{ items: { id: string }[] }>(`/v1/history?${range}`);
    assert.deepEqual(
      bars.map(({ id }) => id),
      items.map(({ id }) => id),
    );
  });

  it('writes history as CSV', async () => {
    const lines = (await python('history.py', contract, from, to)).trimEnd().split('\r\n');
    assert.equal(lines[0], 'time,open,high,low,close,volume,delta');
    assert.equal(lines.length, 12);
    const [time, open] = lines[1]!.split(',');
    assert.equal(time, from.slice(0, 19).replace('T', ' '));
    assert.equal(Number(open) % 5, 0, 'a price of whole ticks');
  });

  it('saves an export over a cut and a kill, and is charged once', async () => {
    const params = JSON.stringify({ bar: 'tick', size: 1 });
    const query = { instrument: contract, indicator: 'footprint', params, from, to };
    const used = async () =>
      (await json<{ used: { computeUnits: number } }>('/v1/usage')).used.computeUnits;
    const direct = await service.get(
      `/v1/export?${new URLSearchParams(query)}`,
      service.authorized,
    );
    const packed = Buffer.from(await direct.arrayBuffer());
    const unitsBefore = await used();

    const words = ['footprint', from, to, 'export.ndjson', '--params', params];
    const third = Math.floor(packed.length / 3);
    proxy.cutNext(third);
    const silent = proxy.silenceNext(third);
    const killed = start('export.py', contract, ...words);
    await silent;
    assert.equal(existsSync(join(directory, 'export.ndjson')), false, 'it is not whole yet');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const said = await python('export.py', contract, ...words);

    const text = zstdDecompressSync(packed).toString();
    assert.equal(readFileSync(join(directory, 'export.ndjson'), 'utf8'), text);
    assert.match(said, new RegExp(`is whole: ${text.split('\n').length - 1} lines`));
    const { computeUnits } = await json<{ computeUnits: number }>(
      `/v1/history/estimate?${new URLSearchParams(query)}`,
    );
    assert.equal((await used()) - unitsBefore, computeUnits);
  });

  it('says in one line what was refused', async () => {
    const failed = python('history.py', 'NOPE', from, to);
    await assert.rejects(failed, ({ stderr }: { stderr: string }) => {
      assert.match(stderr.trimEnd().split('\n').at(-1)!, /TapeloomError: UNKNOWN_INSTRUMENT: /);
      return true;
    });
  });
});
