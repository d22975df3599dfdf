import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerBody } from './answer-body.ts';

const PLAIN = 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nX: y\r\n\r\nhello\r\nworld';
const CHUNKED =
  'HTTP/1.1 402 Payment Required\r\ntransfer-encoding: chunked\r\ntrailer: Digest\r\n\r\n' +
  '5\r\nhello\r\nc\r\n, big\r\nworld\r\n0\r\nDigest: abc\r\n\r\n';

function read(text: string, step: number) {
  let body = '';
  const answer = new AnswerBody((part) => {
    body += Buffer.from(part).toString('latin1');
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += step) {
    assert.equal(answer.isComplete, false);
    answer.push(bytes.subarray(at, at + step));
  }
  return { status: answer.status, body, isComplete: answer.isComplete };
}

test('an answer is the same however its bytes come', () => {
  for (const step of [1, 2, 3, 7, 1_000]) {
    const plain = { status: 200, body: 'hello\r\nworld', isComplete: true };
    assert.deepEqual(read(PLAIN, step), plain);
    const chunked = { status: 402, body: 'hello, big\r\nworld', isComplete: true };
    assert.deepEqual(read(CHUNKED, step), chunked);
  }
});

test('an answer without a body is complete with its head', () => {
  const { body, isComplete } = read('HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n', 5);
  assert.deepEqual({ body, isComplete }, { body: '', isComplete: true });
});

test('long lines and large bodies go through', () => {
  const body = 'x'.repeat(20_000);
  const text = `HTTP/1.1 200 OK\r\nlong: ${'h'.repeat(9_000)}\r\ncontent-length: 20000\r\n\r\n${body}`;
  assert.equal(read(text, 6_000).body, body);
});
