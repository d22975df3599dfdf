import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readImportedDay } from '@tapeloom/server/tape/imported/imported-files';
import { readImported } from '@tapeloom/server/tape/imported/imported-manifest';
import { ARROW_SAMPLES, SAMPLE_TRADES } from '../../../server/testing/feeds/arrow-samples.ts';
import { databentoText, type PlainTrade } from '../../../server/testing/feeds/csv-texts.ts';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { importCommand } from './import.ts';

const scratch = mkdtempSync(join(tmpdir(), 'import-arrow-'));
const data = join(scratch, 'data');
const DAY = utcDay(20_260_310);
const ES = { extends: 'ES', contracts: { from: '2026-03', to: '2026-06' } };
const COVERS = ['--covers', '2026-03-10T14:00:00Z..2026-03-10T15:00:00Z'];
const disk = new NodeDisk();

beforeEach(() => {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data);
  const datasets = { GLBX: { products: { ES } } };
  writeFileSync(join(data, 'instruments.yaml'), JSON.stringify({ datasets }));
});
after(() => rmSync(scratch, { recursive: true }));

async function run(path: string, ...words: readonly string[]) {
  const io = new RecordedIo();
  const code = await importCommand.run([path, ...words, '--data', data], io);
  return { code, out: io.out, err: io.err };
}

function file(name: string, content: string | Uint8Array): string {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
}

const manifestText = () => readFileSync(join(data, 'tape/GLBX/imported.json'), 'utf8');

async function sealedTrades() {
  const manifest = await readImported(disk, `${data}/tape`, 'GLBX');
  const { digest } = manifest!.days.get('ESH6')!.get(DAY)!;
  const place = { dataset: 'GLBX', symbol: 'ESH6', day: DAY };
  const { count, ts, price, size, side } = await readImportedDay(
    disk,
    `${data}/tape`,
    place,
    digest,
  );
  return Array.from({ length: count }, (_, row) => [ts[row], price[row], size[row], side[row]]);
}

const EXPECTED = SAMPLE_TRADES.map(({ ts, price, size, side }) => [
  Number(ts % 86_400_000_000_000n),
  Number(price) * 4,
  Number(size),
  side,
]);

for (const [name, bytes] of ARROW_SAMPLES) {
  test(`${name} becomes a sealed day with its trades; again, and as a text, it changes nothing`, async () => {
    const path = file(name, bytes);
    const dry = await run(path, ...COVERS, '--dry-run');
    assert.equal(dry.code, 0, dry.err);
    const first = await run(path, ...COVERS);
    assert.equal(first.code, 0, first.err);
    assert.match(first.out, /^ESH6 +1 +40 +2026-03-10 +2026-03-10 +1 added/m);
    assert.deepEqual(await sealedTrades(), EXPECTED);
    const before = manifestText();
    const text = databentoText(SAMPLE_TRADES as readonly PlainTrade[], { isPretty: true });
    for (const again of [path, file('same.csv', text)]) {
      const { code, out, err } = await run(again, ...COVERS);
      assert.equal(code, 0, err);
      assert.match(out, /1 same/);
      assert.equal(manifestText(), before);
    }
  });

  test(`${name} that is cut leaves nothing behind`, async () => {
    const path = file(name, bytes.subarray(0, bytes.length - 20));
    const { code, err } = await run(path, ...COVERS);
    assert.equal(code, 1);
    assert.match(err, /cut|end/);
    assert.equal(await readImported(disk, `${data}/tape`, 'GLBX'), null);
  });
}

test('other trades in an Arrow file are refused with the first that differs, unless they replace', async () => {
  const changed = SAMPLE_TRADES.with(3, { ...SAMPLE_TRADES[3]!, size: '77' });
  const text = databentoText(changed as readonly PlainTrade[], { isPretty: true });
  assert.equal((await run(file('first.csv', text), ...COVERS)).code, 0);
  const path = file('polars.arrow', ARROW_SAMPLES.get('polars.arrow')!);
  const refused = await run(path, ...COVERS);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /ESH6 2026-03-10: the tape has .*× 77 .*, the file .*× 40 /);
  const replaced = await run(path, ...COVERS, '--replace', '--yes');
  assert.equal(replaced.code, 0, replaced.err);
  assert.match(replaced.out, /1 replaced/);
  assert.deepEqual(await sealedTrades(), EXPECTED);
});
