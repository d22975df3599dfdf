import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionTable, fuzz } from './torture/rest.ts';

const REQUESTS = 1_500;
const SEED = 20_261_113;

test('1,500 generated requests: no 5xx, and every error is a document that leads to its chapter [ERR-01] [ERR-07]', async (t) => {
  const counts = await fuzz(REQUESTS, SEED);
  t.diagnostic(`\n${distributionTable(counts, REQUESTS)}`);
  // The run proves something only if it produced every kind of response.
  for (const label of [
    '200',
    '200 /v1/history',
    '200 /v1/history/estimate',
    '200 /v1/export',
    '201',
    '400 INVALID_PARAMETERS',
    '401 UNAUTHORIZED',
    '402 NOT_COVERED',
    '403 FORBIDDEN',
    '404 NOT_FOUND',
    '404 UNKNOWN_INDICATOR',
    '404 UNKNOWN_INSTRUMENT',
    '405 NOT_FOUND',
    '409 CONFLICT',
    '410 CURSOR_EXPIRED',
    '413 INVALID_PARAMETERS',
    '415 INVALID_PARAMETERS',
    '429 RATE_LIMITED',
  ]) {
    assert.ok(counts.has(label), `${label} was met`);
  }
});
