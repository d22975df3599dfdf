import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedMessage } from './server-message-check.ts';

const said = (message: object) => () => checkedMessage(JSON.stringify(message));

test('a message of a server passes, one with a field too many, too few or wrong does not', () => {
  const reset = { t: 'reset', sub: 'a', reason: 'roll' };
  assert.deepEqual(checkedMessage(JSON.stringify(reset)), reset as unknown);
  assert.throws(said({ ...reset, more: 1 }), /not a message of a server/);
  assert.throws(said({ t: 'reset', sub: 'a' }));
  assert.throws(said({ ...reset, reason: 'why not' }), /"\/reason"/);
  assert.throws(said({ ...reset, t: 'resets' }));
  assert.throws(() => checkedMessage('[]'));
});

test('an hb has both sub and cursor, or neither', () => {
  const hb = { t: 'hb', ts: '1794480000000000000' };
  checkedMessage(JSON.stringify(hb));
  checkedMessage(JSON.stringify({ ...hb, sub: 'a', cursor: '20261112.1.1' }));
  assert.throws(said({ ...hb, sub: 'a' }));
  assert.throws(said({ ...hb, cursor: '20261112.1.1' }));
  assert.throws(said({ ...hb, sub: 'a', cursor: '20261112.01.1' }));
});
