/** A real service that reloads its files on SIGHUP, under systemd and beside `tapeloom doctor`. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_PRICING } from '@tapeloom/server/billing/offers-default';
import { killServices, RunningService } from './running-service.ts';
import { tapeloom } from './tapeloom-command.ts';
import { COMMAND } from './tapeloom-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-reload-'));
const data = join(directory, 'data');
const at = (name: string) => join(directory, name);
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

const write = (name: string, value: unknown) => writeFileSync(at(name), JSON.stringify(value));
const offers = (amountMinor: number) => {
  const [live, history] = DEFAULT_PRICING.prices;
  write('offers.json', { ...DEFAULT_PRICING, prices: [{ ...live, amountMinor }, history] });
};
const QQ = {
  ...{ name: 'An index of our own', exchange: 'OURS', currency: 'EUR' },
  ...{ tick: '0.5', lot: '1', pointValue: '10', calendar: 'round-the-clock' },
};
const instruments = (...symbols: readonly string[]) => {
  const contracts = symbols.map((symbol) => ({ symbol, expiry: '2090-01-01T12:00:00Z' }));
  write('instruments.yaml', { datasets: { OURS: { products: { QQ: { ...QQ, contracts } } } } });
};

const hangUpMissing = process.platform === 'win32' && 'Windows has no SIGHUP';

test('SIGHUP gives a running service other offers, pages, proxies and new contracts; systemd hears of all of it', {
  skip: hangUpMissing,
}, async () => {
  offers(79_00);
  writeFileSync(at('imprint.md'), 'Before');
  write('settings.json', { offers: at('offers.json'), pages: directory });
  instruments('QQA');
  const applied = await tapeloom(data, 'instruments', 'apply', at('instruments.yaml'));
  assert.equal(applied.code, 0, applied.stderr);
  const told = at('told');
  writeFileSync(told, '');
  writeFileSync(at('systemd-notify'), '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n');
  chmodSync(at('systemd-notify'), 0o755);
  const service = new RunningService({
    data,
    env: {
      ...{ TAPELOOM_CONFIG: at('settings.json'), TAPELOOM_LOG_LEVEL: 'info' },
      ...{ NOTIFY_SOCKET: told, PATH: `${directory}:${process.env.PATH}` },
    },
  });
  await service.ready();
  const price = async () => {
    const { prices } = (await (await service.get('/v1/pricing')).json()) as typeof DEFAULT_PRICING;
    return prices[0]!.amountMinor;
  };
  const page = async () =>
    ((await (await service.get('/v1/portal/pages/imprint')).json()) as { html: string }).html;
  const symbols = async () => {
    const listed = await service.get('/v1/status');
    const all = ((await listed.json()) as { instruments: { symbol: string }[] }).instruments;
    return all.map(({ symbol }) => symbol);
  };
  assert.deepEqual([await price(), await symbols()], [79_00, ['QQA']]);

  offers(89_00);
  writeFileSync(at('imprint.md'), 'After');
  instruments('QQA', 'QQB');
  assert.equal((await tapeloom(data, 'instruments', 'apply', at('instruments.yaml'))).code, 0);
  const reloaded = service.logs(/"msg":"reloaded"/);
  process.kill(service.pid, 'SIGHUP');
  await reloaded;
  assert.equal(await price(), 89_00);
  assert.match(await page(), /After/);
  while ((await symbols()).length < 2) await service.get('/v1/pricing');
  assert.deepEqual((await symbols()).sort(), ['QQA', 'QQB']);

  writeFileSync(at('offers.json'), '{"currency": 1}');
  const refused = service.logs(/nothing was reloaded/);
  process.kill(service.pid, 'SIGHUP');
  await refused;
  assert.match(service.errors, /offers\.json: \/currency/);
  assert.equal(await price(), 89_00);
  const metrics = await (await service.internal('/metrics')).text();
  assert.match(metrics, /tapeloom_config_reloads_total\{outcome="applied"\} 1/);
  assert.match(metrics, /tapeloom_config_reloads_total\{outcome="refused"\} 1/);

  const { code, stdout } = await tapeloomDoctor();
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^service +OK +process \d+ is ready$/m);
  assert.equal((await service.stop('SIGTERM')).code, 0);
  const words = await toldUntil(told, 'STOPPING=1');
  const rest = words.filter((word) => !word.startsWith('EXTEND_TIMEOUT_USEC'));
  assert.deepEqual(
    rest.map((word) => word.replace(/MONOTONIC_USEC=\d+/, '…')),
    ['READY=1', 'RELOADING=1 …', 'READY=1', 'RELOADING=1 …', 'READY=1', 'STOPPING=1'],
  );
});

/** The lines of a file that another process writes, once `last` is among them. */
async function toldUntil(path: string, last: string): Promise<readonly string[]> {
  const watcher = watch(path);
  try {
    for (;;) {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      if (lines.includes(last)) return lines;
      await once(watcher, 'change');
    }
  } finally {
    watcher.close();
  }
}

async function tapeloomDoctor() {
  return await new Promise<{ code: number; stdout: string }>((resolve) => {
    const env = { PATH: process.env.PATH, TAPELOOM_DATA: data };
    execFile(process.execPath, [...COMMAND, 'doctor'], { env }, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout });
    });
  });
}
