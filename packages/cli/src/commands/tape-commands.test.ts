import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import { epochNs, utcDay } from '@tapeloom/core/utc-day';
import { NodeDisk } from '@tapeloom/server/platform/node-disk';
import { type OpenTape, openTape } from '@tapeloom/server/tape/open-tape';
import type { Command } from '../command.ts';
import { tapeLsCommand } from './tape-ls.ts';
import { tapeVerifyCommand } from './tape-verify.ts';

const DAY = utcDay(20_260_105);
const SYMBOL = 'ESH6';
/** More than a reader of logs holds at a time. */
const OFFERS = 6;
const OFFER_ROWS = 60_000;
const data = mkdtempSync(join(tmpdir(), 'tape-commands-'));
let tape: OpenTape;

before(async () => {
  tape = await openTape({
    disk: new NodeDisk(),
    tapeRoot: `${data}/tape`,
    dataset: 'TEST',
    listed: () => [SYMBOL],
    now: () => epochNs(DAY, 1_000_000),
    onFailure: (error) => assert.fail(String(error)),
  });
  for (let offer = 0; offer < OFFERS; offer += 1) {
    await tape.intake.offer([tradesOf(offer)], epochNs(DAY, offer) as EpochNs);
  }
});

after(async () => {
  await tape[Symbol.asyncDispose]();
  rmSync(data, { recursive: true });
});

function tradesOf(offer: number) {
  const first = offer * OFFER_ROWS;
  return {
    symbol: SYMBOL,
    day: DAY,
    count: OFFER_ROWS,
    id: Float64Array.from({ length: OFFER_ROWS }, (_, row) => first + row),
    ts: new Float64Array(OFFER_ROWS).fill(offer),
    price: new Float64Array(OFFER_ROWS).fill(100),
    size: new Float64Array(OFFER_ROWS).fill(1),
    side: new Int8Array(OFFER_ROWS),
  };
}

async function run(command: Command, directory: string, ...words: readonly string[]) {
  let out = '';
  const code = await command.run(['--data', directory, ...words], {
    stdout: (text) => {
      out += text;
    },
    stderr: () => {},
    env: {},
    isTerminal: false,
    signal: new AbortController().signal,
  });
  return { code, out };
}

test('ls and verify read a long log while it is written, to its end', async () => {
  const listed = await run(tapeLsCommand, data, '--json');
  assert.equal(listed.code, 0);
  assert.match(listed.out, new RegExp(`"trades":${OFFERS * OFFER_ROWS}\\b`));
  const verified = await run(tapeVerifyCommand, data);
  assert.deepEqual(
    [verified.code, /360,000 trades.*nothing is wrong/.test(verified.out)],
    [0, true],
  );
});

test('verify names the file and the place of a flipped bit, and ends with 1', async () => {
  const log = `${data}/tape/TEST/log/${DAY}.log`;
  const bytes = readFileSync(log);
  const flipped = Buffer.from(bytes);
  const place = bytes.length >> 1;
  flipped[place] = flipped[place]! ^ 4;
  writeFileSync(log, flipped);
  const { code, out } = await run(tapeVerifyCommand, data);
  writeFileSync(log, bytes);
  assert.equal(code, 1);
  assert.match(out, new RegExp(`WRONG\\s+\\S*${DAY}\\.log: .*\\d`));
});

test('a directory without a tape lists nothing, and is not called sound', async () => {
  const empty = join(data, 'empty');
  assert.equal((await run(tapeLsCommand, empty)).code, 0);
  assert.equal((await run(tapeVerifyCommand, empty)).code, 1);
});
