import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedFault } from './typed-fault.ts';

const plain = (text: string | null) => text?.replace(/[\u2068\u2069]/g, '') ?? null;

test('a fault names what was typed', () => {
  assert.equal(
    plain(typedFault('x@', 'is not an e-mail address')),
    '“x@” is not an e-mail address.',
  );
  assert.equal(plain(typedFault('x@', 'is wrong.')), '“x@” is wrong.');
  assert.equal(typedFault('x@', null), null);
});

test('what was typed turns no sentence around, and a long text is cut', () => {
  const fault = typedFault('a\u202Eb\nc', 'is wrong')!;
  assert.equal(fault, '“\u2068abc\u2069” is wrong.');
  assert.equal(plain(typedFault('y'.repeat(100), 'is long')), `“${'y'.repeat(60)}…” is long.`);
});
