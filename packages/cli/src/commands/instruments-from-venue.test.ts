import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Network } from '@tapeloom/server/markets/live/network';
import {
  contractsAnswer,
  exampleKind,
  registerVenue,
} from '../../../server/testing/live/example-kind.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-cli-venue-'));
const registered = registerVenue(exampleKind);
const keyed = registerVenue({ ...exampleKind, name: 'keyed', title: 'Keyed', needsKey: true });
after(() => {
  registered[Symbol.dispose]();
  keyed[Symbol.dispose]();
  rmSync(scratch, { recursive: true });
});

const asked: string[] = [];
const network = (answer: () => ReturnType<typeof contractsAnswer> = contractsAnswer): Network => ({
  connect: () => assert.fail('no stream is needed'),
  request: async ({ url }) => {
    asked.push(url);
    return answer();
  },
});

const from = (words: string, answer?: () => ReturnType<typeof contractsAnswer>) =>
  runRecorded(commands, ['instruments', 'from', ...words.split(' ')], {
    feedParts: { network: network(answer) },
  });

test('the contracts of a venue are printed as a file that check reads', async () => {
  const { code, out, err } = await from('--feed example AAA-PERP AAA-MAR27');
  assert.deepEqual([code, err], [0, 'example: new: AAA-PERP.example, AAA-MAR27.example\n']);
  const path = join(scratch, 'printed.yaml');
  writeFileSync(path, out);
  const checked = await runRecorded(commands, ['instruments', 'check', path]);
  assert.match(checked.out, /^example: 2 contracts\n/);
});

test('--out is written once, then extended, and nothing changes when it is run again', async () => {
  const out = join(scratch, 'instruments.yaml');
  assert.equal((await from(`--feed example AAA-PERP --out ${out}`)).code, 0);
  const first = `# ours\n${readFileSync(out, 'utf8')}`;
  writeFileSync(out, first);
  const again = await from(`--feed example aaa-perp --out ${out}`);
  assert.deepEqual([again.code, again.err], [0, 'example: nothing new\n']);
  assert.equal(readFileSync(out, 'utf8'), first);
  const more = await from(`--feed=example BBB-PERP AAA-PERP --out ${out}`);
  assert.deepEqual([more.code, more.err], [0, 'example: new: BBB-PERP.example\n']);
  assert.ok(readFileSync(out, 'utf8').startsWith(first));
});

test('symbols may be written in another case, and addresses be others', async () => {
  asked.length = 0;
  const words =
    '--feed example bbb-perp --rest-address http://127.0.0.1:9/ --dataset mine --backfill 2d';
  const { code, out } = await from(words);
  assert.equal(code, 0);
  assert.match(out, /^ {2}mine:\n {4}live:\n {6}feed: example\n {6}addresses:\n {8}rest: http/m);
  assert.match(out, /^ {6}backfillHours: 48$/m);
  assert.deepEqual(asked, [
    'http://127.0.0.1:9/contracts?symbols=bbb-perp',
    'http://127.0.0.1:9/contracts?symbols=BBB-PERP',
  ]);
});

test('what is wrong is one sentence: venue, symbol, address, key, answers', async () => {
  const out = join(scratch, 'never.yaml');
  const refused = (status: number) => () => ({ status, headers: {}, body: 'not here' });
  for (const [words, code, pattern, answer] of [
    [
      '--feed exampel AAA-PERP',
      1,
      /no venue exampel\. Did you mean "example"\? The venues are .*example/,
    ],
    ['--feed example AAB-PERP', 1, /has no AAB-PERP\. Did you mean "AAA-PERP" or/],
    ['--feed example ZZZ-PERP', 1, /does not trade ZZZ-PERP: it was delisted/],
    ['--feed example', 2, /<symbols> are missing/],
    [
      '--feed example AAA-PERP --rest-address ftp://x',
      1,
      /--rest-address must be an address such as https/,
    ],
    [
      '--feed example AAA-PERP --rest-address https://u:geheim@x',
      1,
      /--rest-address must be an address such as https:\/\/host; got https:\/\/…@x\./,
    ],
    ['--feed keyed AAA-PERP', 1, /Keyed needs a key: name the file with it by --key-file/],
    ['--feed keyed AAA-PERP --key-file /nowhere/key', 2, /key file \/nowhere\/key does not exist/],
    ['--feed example AAA-PERP', 1, /example\.invalid refused the request: .*451/, refused(451)],
    ['--feed example AAA-PERP', 6, /example\.invalid refused the request: .*503/, refused(503)],
    ['--dataset x some.dbn', 2, /--dataset requires --feed/],
    ['--backfill 1d some.dbn', 2, /--backfill requires --feed/],
    ['--feed example AAA-PERP --backfill 1w', 2, /--backfill must be a time as 12h or 1d/],
  ] as const) {
    const told = await from(`${words} --out ${out}`, answer);
    assert.deepEqual(
      [told.code, pattern.test(told.err), existsSync(out)],
      [code, true, false],
      `${words}: ${told.code} ${told.err}`,
    );
  }
  const down = await from(`--feed example AAA-PERP --out ${out}`, () => {
    throw new TypeError('fetch failed', {
      cause: new Error('getaddrinfo ENOTFOUND example.invalid'),
    });
  });
  assert.equal(down.code, 6);
  assert.match(down.err, /example\.invalid cannot be reached: getaddrinfo ENOTFOUND/);
});

test('a file that has faults, or whose dataset is of something else, is not touched', async () => {
  const out = join(scratch, 'others.yaml');
  for (const [text, pattern] of [
    ['datasets: { example: { products: {} } }\n', /has no trades of Example exchange/],
    [
      'datasets: { example: { live: { feed: exmaple }, products: {} } }\n',
      /others\.yaml:1:\d+ .*no venue/,
    ],
  ] as const) {
    writeFileSync(out, text);
    const { code, err } = await from(`--feed example AAA-PERP --out ${out}`);
    assert.deepEqual([code, pattern.test(err)], [1, true], err);
    assert.equal(readFileSync(out, 'utf8'), text);
  }
});
