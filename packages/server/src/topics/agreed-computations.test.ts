import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCursor } from '@tapeloom/core/cursor';
import type { Rank } from '@tapeloom/core/numbers';
import {
  agreedComputations,
  disputedIndicators,
  givenUpIndicators,
  withAgreed,
} from './agreed-computations.ts';
import { brokenBy, type StreamEpochs } from './epoch-floors.ts';

const OLD = { vwap: '1.1', footprint: '1.1' };
const NEW = { vwap: '1.2', footprint: '1.1', delta: '1.1' };
const ends = (rank: number) => new Map([['ESU6', { day: at(0).day, rank: rank as Rank }]]);
const at = (rank: number) => parseCursor(`20261112.${rank}.0`)!;
const vwap = { contract: 'ESU6', indicator: 'vwap' };

test('nodes of one version agree, and what only some have is theirs', () => {
  assert.deepEqual(agreedComputations([OLD, OLD]), OLD);
  assert.deepEqual(disputedIndicators(OLD, agreedComputations([OLD, OLD])), []);
  const agreed = agreedComputations([NEW, OLD, NEW]);
  assert.deepEqual(agreed, { vwap: '1.1 | 1.2', footprint: '1.1', delta: '1.1' });
  assert.deepEqual(disputedIndicators(OLD, agreed), ['vwap']);
  assert.deepEqual(disputedIndicators(NEW, agreed), ['vwap']);
});

test('when the last node of an old version is gone, the cursors of that indicator end there and no others [DET-23]', () => {
  const first: StreamEpochs = { computations: {}, floors: [] };
  const old = withAgreed(first, agreedComputations([OLD]), ends(10));
  assert.deepEqual(old, { computations: OLD, floors: [] });
  assert.equal(withAgreed(old, agreedComputations([OLD, OLD]), ends(20)), old);
  const mixed = withAgreed(old, agreedComputations([OLD, NEW]), ends(30));
  assert.deepEqual(mixed.floors, [], 'while both are at work, nobody resumes at all');
  const settling = withAgreed(mixed, agreedComputations([NEW]), ends(35));
  assert.deepEqual(settling.floors, [], 'what is still on its way to the tape lies before this');
  assert.deepEqual(disputedIndicators(NEW, settling.computations), ['vwap'], 'nobody resumes');
  assert.deepEqual(givenUpIndicators(OLD, settling.computations), ['vwap']);
  assert.deepEqual(givenUpIndicators(NEW, settling.computations), []);
  const settled = withAgreed(settling, agreedComputations([NEW]), ends(40));
  assert.equal(withAgreed(settled, agreedComputations([NEW]), ends(45)), settled);
  assert.deepEqual(settled.computations, NEW);
  assert.equal(brokenBy(settled.floors, vwap, at(40)), 'engine_changed');
  assert.equal(brokenBy(settled.floors, vwap, at(41)), null);
  assert.equal(brokenBy(settled.floors, { ...vwap, indicator: 'footprint' }, at(40)), null);
  // The old one comes back, and goes: the cursors it issued meanwhile end too.
  const again = withAgreed(settled, agreedComputations([OLD, NEW]), ends(50));
  assert.deepEqual(givenUpIndicators(OLD, again.computations), []);
  const oneLeft = withAgreed(again, agreedComputations([NEW]), ends(55));
  const over = withAgreed(oneLeft, agreedComputations([NEW]), ends(60));
  assert.equal(brokenBy(over.floors, vwap, at(60)), 'engine_changed');
  assert.equal(brokenBy(over.floors, vwap, at(61)), null);
});
