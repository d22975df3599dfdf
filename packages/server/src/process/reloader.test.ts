import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rangeText } from '@tapeloom/core/entitlement/ip-range';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { DEFAULT_PRICING } from '../billing/offers-default.ts';
import { readConfig } from '../config/config.ts';
import { readSettingsFile } from '../config/env.ts';
import type { ListedDataset } from '../markets/instruments/instruments-file.ts';
import { readNamedFiles } from '../operations/start/named-files.ts';
import { readServiceMarkets } from '../operations/start/service-markets.ts';
import { createLog } from '../platform/log/log.ts';
import type { Reloadable } from './reloadable.ts';
import { Reloader } from './reloader.ts';

const directory = mkdtempSync(join(tmpdir(), 'tapeloom-reload-'));
after(() => rmSync(directory, { recursive: true }));
const NOW = epochNs(utcDay(20261116), 0);

/** A directory with everything that a reload reads, and the settings that a service receives. */
class Stage {
  readonly home = mkdtempSync(join(directory, 'stage-'));
  readonly lines: Record<string, unknown>[] = [];
  readonly outcomes: string[] = [];
  live: Reloadable | null = null;
  listed: readonly ListedDataset[] | null = null;
  reloader!: Reloader;

  static async make(): Promise<Stage> {
    const stage = new Stage();
    mkdirSync(join(stage.home, 'data'));
    stage.settings({});
    stage.offers(79_00);
    stage.write('imprint.md', '# Imprint\n\nBefore');
    stage.contracts('2027-03');
    await stage.start();
    return stage;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.home, name), text);
  }

  settings(more: object): void {
    const offers = join(this.home, 'offers.json');
    this.write('tapeloom.json', JSON.stringify({ offers, pages: this.home, ...more }));
  }

  offers(amountMinor: number): void {
    const [live, history] = DEFAULT_PRICING.prices;
    const prices = [{ ...live, amountMinor }, history];
    this.write('offers.json', JSON.stringify({ ...DEFAULT_PRICING, prices }));
  }

  contracts(to: string, more: object = {}, others: object = {}): void {
    const ES = { extends: 'ES', contracts: { from: '2026-12', to }, ...more };
    const datasets = { GLBX: { products: { ES } }, ...others };
    this.write('data/instruments.yaml', JSON.stringify({ datasets }));
  }

  async start(): Promise<void> {
    const config = this.#config();
    let markets = await readServiceMarkets({ config });
    const named = readNamedFiles(config, readSettingsFile);
    this.reloader = new Reloader({
      config,
      live: { ...named, trustedProxies: config.trustedProxies },
      readConfig: () => this.#config(),
      readFile: readSettingsFile,
      service: {
        get markets() {
          return markets;
        },
        reload: async (live, listed) => {
          this.live = live;
          this.listed = listed;
          if (listed !== null) markets = { ...markets, imported: listed };
        },
        countReload: (outcome) => this.outcomes.push(outcome),
      },
      clock: { now: () => NOW },
      log: createLog({
        level: 'info',
        readable: false,
        write: (line) => this.lines.push(JSON.parse(line)),
      }),
    });
  }

  #config() {
    const env = {
      TAPELOOM_CONFIG: join(this.home, 'tapeloom.json'),
      TAPELOOM_DATA: join(this.home, 'data'),
    };
    return readConfig({ env, args: [], readFile: readSettingsFile });
  }
}

test('offers, pages, proxies and new contracts take effect, and the log says what has changed', async () => {
  const stage = await Stage.make();
  stage.offers(89_00);
  stage.write('imprint.md', '# Imprint\n\nAfter');
  stage.settings({ trustedProxies: ['10.0.0.7'] });
  stage.contracts('2027-06');
  await stage.reloader.reload();
  assert.equal(stage.live!.offers.prices[0]!.amountMinor, 89_00);
  assert.match((await stage.live!.operatorPages.page('imprint'))!.html, /After/);
  assert.deepEqual(stage.live!.trustedProxies.map(rangeText), ['10.0.0.7']);
  assert.deepEqual(
    stage.listed!.flatMap(({ contracts }) => contracts.map(({ contract }) => contract.symbol)),
    ['ESZ6', 'ESH7', 'ESM7'],
  );
  assert.deepEqual(
    stage.lines.map(({ msg, changes }) => [msg, changes]),
    [
      [
        'reloaded',
        [
          'Offers: prices.',
          'Pages: imprint.',
          'Proxies: 10.0.0.7.',
          'Instruments: GLBX: New: ESM7.',
        ],
      ],
    ],
  );
  await stage.reloader.reload();
  assert.equal(stage.lines[1]!.msg, 'reloaded: nothing has changed');
  assert.deepEqual(stage.outcomes, ['applied', 'applied']);
});

test('one invalid file keeps everything as it was, and the log names the file and the field', async () => {
  const stage = await Stage.make();
  stage.write('imprint.md', '# Imprint\n\nAfter');
  stage.write('offers.json', JSON.stringify({ ...DEFAULT_PRICING, currency: 'euro' }));
  await stage.reloader.reload();
  stage.offers(79_00);
  stage.write('data/instruments.yaml', JSON.stringify({ datasets: { GLBX: { products: 1 } } }));
  await stage.reloader.reload();
  stage.contracts('2027-03');
  stage.settings({ trustedProxies: 'everybody' });
  await stage.reloader.reload();
  assert.equal(stage.live, null);
  const faults = stage.lines.map((line) => String(line.faults));
  assert.match(faults[0]!, /TAPELOOM_OFFERS: .*offers\.json: \/currency/);
  assert.match(faults[1]!, /instruments\.yaml.*products/s);
  assert.match(faults[2]!, /trustedProxies/);
  assert.deepEqual(stage.outcomes, ['refused', 'refused', 'refused']);
});

test('what a running service cannot take waits for a restart, and the rest takes effect', async () => {
  const stage = await Stage.make();
  stage.offers(89_00);
  stage.settings({ port: 9000 });
  stage.contracts('2027-03', { tick: '0.5' });
  await stage.reloader.reload();
  assert.equal(stage.live!.offers.prices[0]!.amountMinor, 89_00);
  assert.equal(stage.listed, null);
  assert.deepEqual(stage.lines[1]!.waiting, [
    'TAPELOOM_PORT has changed.',
    'Instruments: GLBX: the contract ESZ6, ESH7 has changed.',
  ]);
  stage.contracts(
    '2027-03',
    {},
    { COINS: { products: { X: { extends: 'crypto-perpetual', name: 'X', tick: '1', lot: '1' } } } },
  );
  await stage.reloader.reload();
  assert.deepEqual(stage.lines[3]!.waiting, [
    'TAPELOOM_PORT has changed.',
    'Instruments: The dataset COINS is new.',
  ]);
});
