import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { dbn, halfHours, at as instant, MONDAY, TUESDAY } from '../../../server/testing/imports.ts';
import { runRecorded } from '../../testing/recorded-io.ts';
import { commands } from '../commands.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tapeloom-explain-'));
after(() => rmSync(scratch, { recursive: true }));
const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(scratch, name), content);
  return join(scratch, name);
};
const study = (...words: readonly string[]) => runRecorded(commands, ['study', ...words]);

test('what a file is taken for is printed as a mapping, which gives the same when it is given back', async () => {
  const path = file(
    'es.csv',
    'timestamp,price,size,side\n1773153000000,5000.25,2,B\n1773153061000,5000.5,1,S\n',
  );
  const { code, out, err } = await study('--file', path, '--explain');
  assert.equal(code, 0, err);
  assert.match(err, /"side" says b or s/);
  assert.deepEqual(JSON.parse(out).price, { column: 'price', decimals: 0 });
  const mapping = file('mapping.json', out);
  const words = ['bars', '--file', path, '--tail', '--json', '--tick', '0.25'];
  const guessed = await study(...words);
  assert.notEqual(guessed.out, '');
  assert.equal((await study(...words, '--mapping', mapping)).out, guessed.out);
});

test('an unclear file gives a proposal and the questions, and a file that needs none says so', async () => {
  const path = file('own.csv', '10:30,5000.25,2\n10:31,5000.5,1\n');
  const { code, out, err } = await study('--file', path, '--explain');
  assert.equal(code, 1);
  assert.match(err, /no header, and no known form.*\n.*proposal/s);
  assert.equal(JSON.parse(out).price.column, 2);
  assert.match(
    (await study('bars', '--file', path)).err,
    /--file own\.csv --explain > mapping\.json/,
  );
  const es = dbn(instant(MONDAY, 0), instant(TUESDAY, 0), halfHours(MONDAY, 0, 20));
  const needless = await study('--file', file('es.dbn', es), '--explain');
  assert.deepEqual([needless.code, needless.out], [0, '']);
  assert.match(needless.err, /needs no mapping/);
  assert.match((await study('--explain')).err, /--explain requires --file/);
});
