import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_ORDER } from '../../../testing/sample-order.ts';
import { billToFault, billToOf, fieldsOf } from './bill-to.ts';

const EMPTY = { name: '', street: '', city: '', taxId: '' };
const FULL = {
  name: 'Weber GmbH',
  street: 'Spulengasse 3',
  city: '10115 Berlin',
  taxId: 'DE123456789',
};

test('whom an order is billed to is what was typed, and the last order fills it in', () => {
  const billTo = billToOf(FULL);
  assert.deepEqual(billTo, {
    name: 'Weber GmbH',
    address: 'Spulengasse 3\n10115 Berlin',
    taxId: 'DE123456789',
  });
  assert.deepEqual(fieldsOf([SAMPLE_ORDER, { ...SAMPLE_ORDER, billTo }]), FULL);
  assert.deepEqual(fieldsOf([SAMPLE_ORDER]), EMPTY);
});

test('nothing typed is nothing sent; an address without a name is asked about', () => {
  assert.equal(billToOf({ ...EMPTY, name: '  ' }), null);
  assert.equal(billToFault(EMPTY), null);
  assert.equal(billToFault(FULL), null);
  assert.match(billToFault({ ...FULL, name: '' })!, /Give the name/);
});
