import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Usage } from '@tapeloom/client';
import { createInk } from '../stream/ink.ts';
import { usageText } from './usage.ts';

const USAGE: Usage = {
  period: '2026-11',
  resetsAt: '1796083200000000000',
  plan: 'live_history',
  limits: {
    computeBudget: 20_000_000_000,
    exportBytes: 20 * 1_024 ** 3,
    restPerMinute: 1_200,
    historyDays: 36_500,
    delaySeconds: 0,
    maxConnections: 5,
    maxSubscriptions: 50,
    maxCustomConfigs: 25,
    realtime: true,
  },
  used: {
    computeUnits: 14_900_000_000,
    historyItems: 1_234_567,
    exportBytes: 0,
    restRequests: 812,
  },
  remaining: { computeUnits: 5_000_000_000, exportBytes: 20 * 1_024 ** 3 },
};

test('usage shows the budgets as bars, and what the plan allows', () => {
  const text = usageText(USAGE, createInk(false));
  assert.deepEqual(text.split('\n'), [
    'live_history, 2026-11; the budgets are renewed on Tuesday 2026-12-01 00:00 UTC',
    '',
    'compute units  ███████████████████████░░░░░░░   75 %  5,000,000,000 of 20,000,000,000 left',
    'export volume  ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░    0 %  20 GiB of 20 GiB left',
    '',
    'history items  1,234,567 received',
    'REST requests  812 made, 1,200 a minute allowed',
    'history        all there is',
    'stream         real time',
    'at a time      5 connections, 50 subscriptions, 25 custom configurations',
    '',
  ]);
});

test('a budget that is nearly untouched or nearly used up does not look like the whole of it', () => {
  const at = (computeUnits: number) => {
    const remaining = { ...USAGE.remaining, computeUnits };
    return usageText({ ...USAGE, remaining }, createInk(false)).split('\n')[2]!;
  };
  assert.match(at(19_999_999_999), /^compute units {2}█░{29} {3}<1 %/);
  assert.match(at(1), /^compute units {2}█{30} {2}>99 %/);
  assert.match(at(0), /^compute units {2}█{30} {2}100 %/);
});

test('a plan without a budget says so, and a test key its delay', () => {
  const limits = {
    ...USAGE.limits,
    computeBudget: 0,
    exportBytes: 0,
    historyDays: 7,
    delaySeconds: 600,
    maxConnections: 1,
  };
  const text = usageText({ ...USAGE, plan: 'sandbox', limits }, createInk(false));
  assert.match(text, /^compute units {2}none in this plan\nexport volume {2}none in this plan$/m);
  assert.match(
    text,
    /^history {8}the last 7 days\nstream {9}10 min behind\nat a time {6}1 connection,/m,
  );
});
