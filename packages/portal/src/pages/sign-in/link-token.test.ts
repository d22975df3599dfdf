import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTokenOf } from './link-token.ts';

test('the token of a link is its fragment, and the skip link is no token', () => {
  assert.equal(
    linkTokenOf('#lnk_4nT8qYw2LrXc7BvKd0PzHs6MfUe1Ja3Gi'),
    'lnk_4nT8qYw2LrXc7BvKd0PzHs6MfUe1Ja3Gi',
  );
  assert.equal(linkTokenOf(''), null);
  assert.equal(linkTokenOf('#'), null);
  assert.equal(linkTokenOf('#main'), null);
});

test('a truncated token is taken, so that the page can say what is wrong with it', () => {
  assert.equal(linkTokenOf('#ln'), 'ln');
  assert.equal(linkTokenOf(`#${'a'.repeat(600)}`), null);
});
