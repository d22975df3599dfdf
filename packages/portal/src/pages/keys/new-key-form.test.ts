import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortalError } from '../../api/portal-error.ts';
import {
  EMPTY_FORM,
  firstField,
  formErrors,
  hasOtherErrors,
  newKeyOf,
  serverErrors,
  shownErrors,
} from './new-key-form.ts';

const refused = (errors: { path: string; message: string }[]) =>
  new PortalError('INVALID_PARAMETERS', 'The request is faulty.', { status: 400, errors });

test('what is left empty is left out, and means everything, everywhere, for ever', () => {
  assert.deepEqual(newKeyOf({ ...EMPTY_FORM, name: ' Farm ' }), {
    name: 'Farm',
    environment: 'live',
    scopes: ['stream', 'history'],
  });
});

test('all fields reach the service: entries in their order, each once, and the expiry as UTC', () => {
  const key = newKeyOf({
    name: 'x',
    environment: 'test',
    scopes: ['keys', 'stream'],
    instruments: ['NQZ6', 'ES.c.0'],
    allowedIps: ' 10.0.0.0/8, 2001:db8::/32;10.0.0.0/8\n203.0.113.7 ',
    expiresAt: '2026-12-01T00:30',
  });
  assert.deepEqual(key, {
    name: 'x',
    environment: 'test',
    scopes: ['stream', 'keys'],
    instruments: ['NQZ6', 'ES.c.0'],
    allowedIps: ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7'],
    expiresAt: `${BigInt(Date.UTC(2026, 11, 1, 0, 30)) * 1_000_000n}`,
  });
});

test('a name and a scope are asked for before the service is', () => {
  assert.deepEqual(Object.keys(formErrors({ ...EMPTY_FORM, name: ' ', scopes: [] })), [
    'name',
    'scopes',
  ]);
  assert.deepEqual(formErrors({ ...EMPTY_FORM, name: 'x' }), {});
});

test('what the service says about a field becomes a sentence there, with the entry it is about', () => {
  const sent = newKeyOf({
    ...EMPTY_FORM,
    name: 'x',
    instruments: ['ES.c.0', 'NOPE'],
    allowedIps: '10.0.0.0/8 300.1.1.1',
  });
  const error = refused([
    { path: '/name', message: 'must NOT have more than 64 characters' },
    { path: '/name', message: 'is shown once' },
    { path: '/instruments/1', message: 'is not a symbol or alias. Did you mean NQ.c.0?' },
    { path: '/allowedIps/1', message: 'is not an IP address or CIDR range' },
    { path: '/expiresAt', message: 'must be in the future' },
  ]);
  const errors = serverErrors(error, sent);
  assert.deepEqual(errors, {
    name: 'The name must not have more than 64 characters.',
    instruments: '“NOPE” is not a symbol or alias. Did you mean NQ.c.0?',
    allowedIps: '“300.1.1.1” is not an IP address or CIDR range.',
    expiresAt: 'The expiry must be in the future.',
  });
  assert.equal(firstField(errors), 'name');
  assert.equal(firstField({ expiresAt: 'x', scopes: 'y' }), 'scopes');
  assert.equal(hasOtherErrors(error), false);
});

test('what belongs to no field is told for the whole form', () => {
  assert.deepEqual(serverErrors(null, null), {});
  assert.ok(hasOtherErrors(new PortalError('QUOTA_EXCEEDED', 'Ten keys.', { status: 409 })));
  assert.ok(hasOtherErrors(refused([{ path: '/extra', message: 'is unknown' }])));
});

test('a fault goes when its field is right, or another than what was refused; the others stay', () => {
  const nothing = { error: null, sent: null };
  const empty = { ...EMPTY_FORM, scopes: [] };
  const own = formErrors(empty);
  assert.deepEqual(shownErrors(empty, own, nothing), own);
  const named = { ...empty, name: 'Farm' };
  assert.deepEqual(Object.keys(shownErrors(named, own, nothing)), ['scopes']);
  const form = { ...EMPTY_FORM, name: 'Farm', instruments: ['NOPE'], allowedIps: '300.1.1.1' };
  const sent = newKeyOf(form);
  const error = refused([
    { path: '/instruments/0', message: 'is not a symbol or alias' },
    { path: '/allowedIps/0', message: 'is not an IP address or CIDR range' },
  ]);
  const shown = (now: typeof form) => Object.keys(shownErrors(now, {}, { error, sent }));
  assert.deepEqual(shown(form), ['instruments', 'allowedIps']);
  assert.deepEqual(shown({ ...form, name: 'Barn' }), ['instruments', 'allowedIps']);
  assert.deepEqual(shown({ ...form, allowedIps: '10.0.0.1' }), ['instruments']);
  assert.deepEqual(shown({ ...form, instruments: [], allowedIps: '' }), []);
});
