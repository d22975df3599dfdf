import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiptWord } from './receipt-words.ts';

test('a receipt says what became of its money, also of a part of it', () => {
  const word = (state: 'paid' | 'open' | 'failed' | 'refunded', refundedMinor = 0) =>
    receiptWord({ state, refundedMinor, currency: 'EUR' }).word;
  assert.equal(word('paid'), 'Paid');
  assert.equal(word('paid', 900), '€9.00 refunded');
  assert.equal(word('refunded', 7_900), 'Refunded');
  assert.equal(word('failed'), 'Declined');
  assert.equal(word('open'), 'Not paid yet');
});
