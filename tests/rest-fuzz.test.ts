import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionTable, fuzz } from './torture/rest.ts';

const REQUESTS = 5_000;
const SEED = 20_261_113;

test('5,000 generated requests: no 5xx, and every error is a document that leads to its chapter [ERR-01] [ERR-07]', async (t) => {
  const counts = await fuzz(REQUESTS, SEED);
  t.diagnostic(`\n${distributionTable(counts, REQUESTS)}`);
  // The run is worth something only if it met every kind of answer.
  for (const label of [
    '200',
    '201',
    '400 INVALID_PARAMETERS',
    '401 UNAUTHORIZED',
    '403 FORBIDDEN',
    '404 NOT_FOUND',
    '405 NOT_FOUND',
    '409 CONFLICT',
    '413 INVALID_PARAMETERS',
    '415 INVALID_PARAMETERS',
    '429 RATE_LIMITED',
  ]) {
    assert.ok(counts.has(label), `${label} was met`);
  }
});
