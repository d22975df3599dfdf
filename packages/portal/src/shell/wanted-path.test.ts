import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptPathOf, keptText } from './kept-path.ts';
import { signInPath, wantedPath } from './wanted-path.ts';

test('after signing in one returns to the page that was wanted', () => {
  assert.equal(wantedPath('/keys'), '/keys');
  assert.equal(wantedPath('/checkout?offer=live&country=DE'), '/checkout?offer=live&country=DE');
  assert.equal(signInPath('/keys'), '/sign-in?next=%2Fkeys');
});

test('nothing but a path of this origin is followed after signing in', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/keys',
    '/\\evil.example',
    '/.//evil.example',
    '/keys/..//evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'keys',
    '',
    '/kéys',
    `/${'a'.repeat(600)}`,
    null,
    undefined,
  ];
  for (const next of elsewhere) assert.equal(wantedPath(next), '/dashboard', String(next));
});

test('the sign-in page and the landing page are no place to return to', () => {
  for (const next of ['/', '/sign-in', '/sign-in?next=/keys']) {
    assert.equal(wantedPath(next), '/dashboard');
  }
  assert.equal(signInPath('/dashboard'), '/sign-in');
});

test('a wanted page is kept for as long as a link works, and no longer', () => {
  const kept = keptText('/keys', 1_000);
  assert.equal(keptPathOf(kept, 1_000 + 15 * 60_000), '/keys');
  assert.equal(keptPathOf(kept, 1_001 + 15 * 60_000), '/dashboard');
  assert.equal(keptPathOf(kept, 999), '/dashboard');
});

test('what stands in the storage is not trusted', () => {
  for (const text of [null, '', 'x', '/keys', '1000 //evil.example', 'NaN /keys', '1000']) {
    assert.equal(keptPathOf(text, 1_000), '/dashboard', String(text));
  }
});
