import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Output, type PrintStream, WAITING_BYTES_MAX } from './output.ts';

class StalledStream extends EventEmitter implements PrintStream {
  readonly texts: string[] = [];
  writableLength = 0;

  write(text: string): void {
    this.texts.push(text);
    this.writableLength += text.length;
  }
}

test('a reader that stalls gets what there is room for, and is told what it has missed [SEC-36]', () => {
  const stream = new StalledStream();
  const output: Output = new Output(stream, (texts) => output.write(`${texts} are missing`));
  const text = 'x'.repeat(1024 * 1024);
  for (let count = 0; count < 100; count += 1) output.write(text);
  assert.ok(stream.writableLength <= WAITING_BYTES_MAX + text.length);
  const missing = 100 - stream.texts.length;
  stream.writableLength = 0;
  output.write('next');
  output.write('last');
  assert.deepEqual(stream.texts.slice(-3), [`${missing} are missing`, 'next', 'last']);
});

test('a reader that is gone ends nothing', () => {
  const stream = new StalledStream();
  const output = new Output(stream);
  stream.emit('error', new Error('write EPIPE'));
  output.write('to nobody');
});
