import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SharedTapeReport } from '../../tape/shared/shared-tape-report.ts';
import { isBehindOthers } from './behind-others.ts';

const LEVEL: SharedTapeReport = {
  role: 'following',
  sequence: 7,
  end: 7,
  leader: 'a.1',
  silentMs: 400,
  takeovers: 0,
  fenced: 0,
  unknowns: 0,
  daysToCome: 0,
  daysAt: 0,
};

test('a node is behind while it joins, has heard of more, hears of nobody, or takes nothing more in', () => {
  assert.equal(isBehindOthers(LEVEL, false), false);
  assert.equal(isBehindOthers({ ...LEVEL, role: 'joining' }, false), true);
  assert.equal(isBehindOthers({ ...LEVEL, end: 8 }, false), true);
  assert.equal(isBehindOthers({ ...LEVEL, silentMs: 2_000 }, false), true);
  assert.equal(isBehindOthers(LEVEL, true), true);
});

test('a process that is alone is never behind', () => {
  assert.equal(isBehindOthers(undefined, true), false);
});
