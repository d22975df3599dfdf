import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openTextSink } from './text-sink.ts';

const scratch = mkdtempSync(join(tmpdir(), 'text-sink-'));
after(() => rmSync(scratch, { recursive: true }));
const deviceMissing = existsSync('/dev/null') ? false : 'there is no /dev/null here';
const nowhere = { stdout: () => assert.fail('nothing belongs on stdout') };

test('a file appears when it is whole, with its bytes counted and digested', () => {
  const path = join(scratch, 'whole.csv');
  using sink = openTextSink(path, nowhere);
  const text = 'é,1\n'.repeat(40_000);
  for (const line of text.split(/(?<=\n)/)) sink.write(line);
  assert.deepEqual(readdirSync(scratch), ['whole.csv.tmp']);
  const sha256 = createHash('sha256').update(text).digest('hex');
  assert.deepEqual(sink.finish(), { bytes: Buffer.byteLength(text), sha256 });
  assert.equal(readFileSync(path, 'utf8'), text);
});

test('what did not finish leaves the older file as it was, and nothing beside it', () => {
  const path = join(scratch, 'old.csv');
  writeFileSync(path, 'old');
  {
    using sink = openTextSink(path, nowhere);
    sink.write('new'.repeat(100_000));
  }
  assert.equal(readFileSync(path, 'utf8'), 'old');
  assert.ok(!readdirSync(scratch).includes('old.csv.tmp'));
});

test('stdout gets the same text in large pieces', () => {
  const pieces: string[] = [];
  using sink = openTextSink(null, { stdout: (text) => pieces.push(text) });
  for (let line = 0; line < 20_000; line += 1) sink.write(`${line}\n`);
  const { bytes } = sink.finish();
  assert.ok(pieces.length < 5);
  assert.equal(pieces.join('').length, bytes);
});

test('a device is written to as it is', { skip: deviceMissing }, () => {
  using sink = openTextSink('/dev/null', nowhere);
  sink.write('gone');
  assert.equal(sink.finish().bytes, 4);
});
