import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CuttingProxy } from '../../../../tests/cutting-proxy.ts';
import { TRADES_A_DAY } from '../../../server/testing/history/history-market.ts';
import { leave } from '../../../server/testing/history/history-requests.ts';
import { HistoryRig, TWO_DAYS } from '../../testing/history-rig.ts';

const scratch = mkdtempSync(join(tmpdir(), 'history-'));
let rig: HistoryRig;
before(async () => {
  rig = await HistoryRig.start();
});
after(async () => {
  await rig[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true });
});

const fullDeviceMissing = existsSync('/dev/full') ? false : 'there is no /dev/full here';
const COST = 2 * TRADES_A_DAY;
const BARS = ['ESZ6', 'bars', ...TWO_DAYS, '--params', '{"bar":"tick","size":2}'];
const HISTORY = ['history', ...BARS];

test('an estimate says what it would cost, and charges nothing', async () => {
  const words = ['estimate', 'ES.c.0', 'bars', ...TWO_DAYS];
  const { code, out, err, units } = await rig.run(words);
  assert.deepEqual([code, err, units], [0, '', 0]);
  assert.match(
    out,
    /^ES\.c\.0 bars, 2026-11-09 00:00:00Z to 2026-11-11 00:00:00Z\ncontract {9}ESZ6\ncost {13}1,800 compute units\nleft this month {2}[\d,]+ compute units\ntrades {11}1,800\ndays {13}2\nmissing days {5}none\n$/,
  );
  const json = JSON.parse((await rig.run([...words, '--json'])).out);
  assert.deepEqual(
    [json.indicator, json.contract, json.computeUnits, json.trades, json.days, json.missingDays],
    ['bars', 'ESZ6', COST, COST, 2, []],
  );
});

test('an estimate says from when on carried objects are there', async () => {
  const { out } = await rig.run(['estimate', 'ESZ6', 'naked-levels', ...TWO_DAYS]);
  assert.match(out, /\nlooks back to {4}2026-\d\d-\d\d \d\d:\d\d:\d\dZ\n/);
});

test('missing days are named, with an exit code of their own', async () => {
  const range = ['CLF7', 'bars', '--from', '2026-11-04', '--to', '2026-11-07'];
  const { code, out } = await rig.run(['estimate', ...range]);
  assert.equal(code, 8);
  assert.match(out, /\nmissing days {5}2026-11-05 \(1 day\)\n/);
  const json = await rig.run(['estimate', ...range, '--json']);
  assert.equal(json.code, 8);
  assert.deepEqual(JSON.parse(json.out).missingDays, ['2026-11-05']);
  const refused = await rig.run(['history', ...range, '--yes']);
  assert.deepEqual([refused.code, refused.out, refused.units], [8, '', 0]);
  assert.match(refused.err, /no complete data for 2026-11-05/);
});

test('with --gaps allow what is there comes, and what is not is told', async () => {
  const range = ['CLF7', 'bars', '--from', '2026-11-04', '--to', '2026-11-07', '--gaps', 'allow'];
  const estimate = await rig.run(['estimate', ...range]);
  assert.equal(estimate.code, 0, estimate.err);
  const gap = /2026-11-05 00:00:00Z to 2026-11-06 00:00:00Z \(missing\)\n/;
  assert.match(estimate.out, gap);
  const history = await rig.run(['history', ...range, '--yes']);
  assert.deepEqual([history.code, history.units], [0, 2 * TRADES_A_DAY], history.err);
  assert.match(history.err, gap);
  const out = join(scratch, 'gaps.ndjson.zst');
  const exported = await rig.run(['export', ...range, '--yes', '--out', out]);
  assert.deepEqual([exported.code, exported.units], [0, 2 * TRADES_A_DAY], exported.err);
  assert.match(exported.err, gap);
  const wrong = await rig.run(['estimate', ...range.with(-1, 'some')]);
  assert.match(wrong.err, /--gaps must be refuse or allow; got some/);
});

test('somebody at a terminal sees the cost first and is asked; only yes goes on', async () => {
  const isTerminal = true;
  for (const answer of ['n', '', 'yeah', 'j']) {
    const { code, out, err, units } = await rig.run(HISTORY, { isTerminal, answers: [answer] });
    assert.deepEqual([code, out, units], [1, '', 0], answer);
    assert.match(
      err,
      /: 1,800 trades on 2 days cost 1,800 compute units; [\d,]+ are left this month\.\n/,
    );
    assert.match(err, /Nothing was charged\.\n$/);
  }
  for (const answer of ['y', ' Yes ']) {
    const { code, out, err, asked, units } = await rig.run(HISTORY, {
      isTerminal,
      answers: [answer],
    });
    assert.deepEqual([code, units], [0, COST], err);
    assert.deepEqual(asked, [{ question: 'Continue? [y/N] ', isHidden: false }]);
    assert.match(out, /^ +time \(UTC\) +open /);
    assert.match(err, /900 objects for 1,800 compute units, [\d.]+ s \([\d,]+ objects\/s\)\.\n$/);
  }
});

test('where nobody can be asked it is refused, unless it costs nothing or --yes is there', async () => {
  const refused = await rig.run(HISTORY);
  assert.deepEqual([refused.code, refused.out, refused.units], [2, '', 0]);
  assert.match(
    refused.err,
    /this costs 1,800 compute units and needs a confirmation, but there is no terminal to ask on: add --yes/,
  );
  const free = [
    'history',
    'ESZ6',
    'bars',
    '--from',
    '2026-11-10T23:30:00Z',
    '--to',
    '2026-11-10T23:40:00Z',
  ];
  const { code, err } = await rig.run(free);
  assert.equal(code, 0, err);
  assert.match(err, /cost nothing/);
  const agreed = await rig.run([...HISTORY, '--yes']);
  assert.deepEqual([agreed.code, agreed.asked, agreed.units], [0, [], COST]);
});

test('a pipe gets the lines as the service has them, all pages of them', async () => {
  const { out } = await rig.run([...HISTORY, '--yes']);
  const query = { instrument: 'ESZ6', indicator: 'bars', from: '2026-11-09', to: '2026-11-11' };
  const fields = { ...query, params: '{"bar":"tick","size":2}', limit: '10000' };
  const { body } = await rig.service.get<{ items: object[] }>(
    `/v1/history?${new URLSearchParams(fields)}`,
    { key: rig.key },
  );
  assert.equal(out, body.items.map((item) => `${JSON.stringify(item)}\n`).join(''));
});

test('a connection that breaks in the middle costs nothing and leaves nothing out', async () => {
  const whole = await rig.run([...HISTORY, '--yes']);
  await using proxy = await CuttingProxy.before(rig.url);
  // The connection of the estimate stays open.
  proxy.cutNext(Number.POSITIVE_INFINITY);
  proxy.cutNext(5_000);
  const cut = await rig.run([...HISTORY, '--yes'], { env: { TAPELOOM_URL: proxy.url } });
  assert.deepEqual([cut.code, cut.units], [0, COST], cut.err);
  assert.match(cut.err, /it is sent again in 1 s/);
  assert.equal(cut.out, whole.out);
});

test('a limit ends it early, and what was not read is not charged', async () => {
  const { code, out, err, units } = await rig.run([...HISTORY, '--yes', '--limit', '7']);
  assert.deepEqual([code, out.match(/\n/g)?.length, units], [0, 7, 14]);
  assert.match(err, /cost at most 1,800 compute units/);
  assert.match(err, /7 objects for 14 compute units/);
});

test('a snapshot comes first, and is a row for each of its objects in CSV', async () => {
  const range = ['--from', '2026-11-10T15:00:00Z', '--to', '2026-11-10T15:02:00Z', '--yes'];
  const words = ['history', 'ESZ6', 'bars', ...range, '--snapshot'];
  const lines = (await rig.run(words)).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines[0].t, 'snapshot');
  assert.ok(lines.slice(1).every(({ t }) => t === 'upsert' || t === 'remove'));
  const csv = (await rig.run([...words, '--format', 'csv'])).out.trimEnd().split('\n');
  assert.equal(csv.length, 1 + lines[0].items.length + lines.length - 1);
  assert.match(csv[1]!, /^snapshot,/);
});

test('--json ends with a line for programs: beside the results where they are on stdout', async () => {
  const piped = await rig.run([...HISTORY, '--yes', '--json'], { isTerminal: true });
  const facts = JSON.parse(piped.err);
  assert.match(piped.out, /^\{"t":"upsert"/);
  assert.deepEqual(
    [
      facts.instrument,
      facts.contract,
      facts.indicator,
      facts.objects,
      facts.computeUnits,
      facts.out,
    ],
    ['ESZ6', 'ESZ6', 'bars', 900, COST, null],
  );
  assert.equal(facts.bytes, Buffer.byteLength(piped.out));
  const out = join(scratch, 'bars.csv');
  const filed = await rig.run([...HISTORY, '--yes', '--json', '--format', 'csv', '--out', out]);
  assert.equal(filed.err, '');
  const said = JSON.parse(filed.out);
  assert.deepEqual([said.objects, said.out, said.bytes], [900, out, readFileSync(out).length]);
  assert.match(said.sha256, /^[0-9a-f]{64}$/);
});

test('a file that cannot be written is told before anything is charged', async () => {
  for (const out of [join(scratch, 'none', 'bars.csv'), scratch]) {
    const { code, err, units } = await rig.run([...HISTORY, '--yes', '--out', out]);
    assert.deepEqual([code, units], [1, 0]);
    assert.match(err, /^tapeloom history: cannot write .*: (?:no such file|illegal operation)/);
  }
});

test('a full disk ends it with a sentence, and leaves no half file', {
  skip: fullDeviceMissing,
}, async () => {
  const { code, err } = await rig.run([...HISTORY, '--yes', '--out', '/dev/full']);
  assert.equal(code, 1);
  assert.match(err, /tapeloom history: cannot write \/dev\/full: no space left on device/);
  assert.match(err, /Stopped\. The results read so far cost 1,800 compute units\.\n/);
  assert.deepEqual(
    readdirSync(scratch).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('ctrl-c ends it with 130', async () => {
  const signal = AbortSignal.abort();
  const { code, units } = await rig.run([...HISTORY, '--yes'], { signal });
  assert.deepEqual([code, units], [130, 0]);
});

test('what is not understood, and what the service refuses, is told with what would do', async () => {
  const range = ['--from', '2026-11-09', '--to', '2026-11-11'];
  const limited = await rig.service.key(rig.accountId, { scopes: ['stream'] });
  const refused: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[], 2, /the instrument \(ES\.c\.0\) is missing/],
    [['ESZ6', ...range], 2, /the indicator \(footprint\) is missing/],
    [['ESZ6', 'bars', 'more', ...range], 2, /unexpected argument: more/],
    [['ESZ6', 'bars'], 2, /--from is missing/],
    [['ESZ6', 'bars', '--from', 'noon'], 2, /--from must be a date like .*; got noon/],
    [['ESZ6', 'bars', '--from', '20261109'], 2, /--from .*did you mean the date 2026-11-09\?/],
    [
      ['ESZ6', 'bars', '--from', '2026-11-11', '--to', '2026-11-09'],
      2,
      /--to must be after --from/,
    ],
    [[...BARS, '--mode', 'slow'], 2, /--mode must be live or confirmed; got slow/],
    [['ESZ6', 'bars', ...range, '--params', '[1]'], 2, /--params must be a JSON object/],
    [['ESZ6', 'bars', ...range, '--params', '{"size":0}'], 2, /\/params\/size must be /i],
    [
      [...BARS, '--format', 'parquet'],
      2,
      /--format must be one of ndjson, csv, table; got parquet/,
    ],
    [[...BARS, '--limit', '0'], 2, /--limit must be a whole number of results/],
    [['XX', 'bars', ...range], 4, /UNKNOWN_INSTRUMENT/],
    [['ESZ6', 'candles', ...range], 4, /UNKNOWN_INDICATOR/],
    [['ESZ6', 'bars', '--from', '2030-01-01'], 2, /INVALID_PARAMETERS/],
    [[...BARS, '--key', limited.secret], 3, /FORBIDDEN/],
    [[...BARS, '--url', 'http://127.0.0.1:1'], 6, /NETWORK/],
  ];
  for (const [words, code, message] of refused) {
    for (const command of ['history', 'estimate']) {
      if (command === 'estimate' && words.some((word) => /^--(?:format|limit)$/.test(word)))
        continue;
      const ran = await rig.run([command, ...words]);
      assert.deepEqual([ran.code, ran.out, ran.units], [code, '', 0], `${words} ${ran.err}`);
      assert.match(ran.err, message);
    }
  }
});

test('what the budget does not hold is refused by the service, and not asked about', async () => {
  const accountId = await rig.service.account('history');
  const { secret } = await rig.service.key(accountId);
  await leave(rig.service, accountId, 'computeUnits', 20_000_000_000, COST - 1);
  const ran = await rig.run([...HISTORY, '--key', secret], { isTerminal: true, answers: ['y'] });
  assert.deepEqual([ran.code, ran.out, ran.asked], [5, '', []]);
  assert.match(ran.err, /QUOTA_EXCEEDED/);
});
