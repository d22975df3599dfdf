import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { importDays } from '../../../testing/imported-dataset.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import { openTape } from '../../tape/write/open-tape.ts';
import { readServiceMarkets } from './service-markets.ts';
import { MisconfiguredError, StartRefusedError } from './start-refused-error.ts';

const root = mkdtempSync(join(tmpdir(), 'tapeloom-markets-'));
after(() => rmSync(root, { recursive: true, force: true }));

function configOf(data: string, sim: 'on' | 'off' | null): Config {
  const env = { TAPELOOM_DATA: data, ...(sim === null ? {} : { TAPELOOM_SIM: sim }) };
  return readConfig({ env, args: [], readFile: () => '' });
}

async function directoryWith(name: string, symbols: readonly string[]): Promise<string> {
  const data = join(root, name);
  const days = symbols.map((symbol) => ({ symbol, day: utcDay(20_260_105), rows: [] }));
  await new NodeDisk().makeDirectory(join(data, 'tape', 'OURS'));
  await importDays(new NodeDisk(), join(data, 'tape'), 'OURS', days);
  return data;
}

for (const sim of ['on', 'off', null] as const) {
  test(`imported days without the instruments of their dataset refuse the start: TAPELOOM_SIM=${sim}`, async () => {
    const data = await directoryWith(`without-${sim}`, ['QQB']);
    await assert.rejects(readServiceMarkets({ config: configOf(data, sim) }), (error) => {
      assert.ok(error instanceof StartRefusedError);
      assert.match(error.message, /tape\/OURS .*instruments\.yaml/s);
      return true;
    });
    writeFileSync(join(data, 'instruments.yaml'), INSTRUMENTS);
    const { imported } = await readServiceMarkets({ config: configOf(data, sim) });
    assert.deepEqual(
      imported.map(({ name }) => name),
      ['OURS'],
    );
  });
}

test('a dataset whose imported days were all removed, and the tape of a live market, need no instruments', async () => {
  const data = await directoryWith('emptied', []);
  const live = { disk: new NodeDisk(), tapeRoot: join(data, 'tape'), dataset: 'SIM' };
  await (
    await openTape({ ...live, listed: () => [], now: () => 0n as never, onFailure: assert.ifError })
  )[Symbol.asyncDispose]();
  assert.deepEqual((await readServiceMarkets({ config: configOf(data, null) })).imported, []);
});

test('without the simulator and without instruments there is nothing to serve, and no start', async () => {
  const data = join(root, 'nothing');
  await assert.rejects(readServiceMarkets({ config: configOf(data, 'off') }), (error) => {
    assert.ok(error instanceof MisconfiguredError);
    assert.match(
      error.message,
      /^TAPELOOM_SIM is off and .*instruments\.yaml names no instruments/,
    );
    return true;
  });
  const { live } = await readServiceMarkets({ config: configOf(data, null) });
  assert.deepEqual(
    live.map(({ kind }) => kind),
    ['sim'],
  );
});

const INSTRUMENTS = `datasets:
  OURS:
    products:
      QQ:
        name: An index of our own
        exchange: OURS
        currency: EUR
        tick: "0.5"
        lot: "1"
        pointValue: "10"
        calendar: round-the-clock
        contracts:
          - { symbol: QQB, expiry: 2027-01-01T00:00:00Z }
`;
