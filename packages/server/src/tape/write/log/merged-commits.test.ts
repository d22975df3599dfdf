import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcDay } from '@tapeloom/core/utc-day';
import fc from 'fast-check';
import type { LoggedNote } from '../notes/logged-note.ts';
import { Sequencer } from '../sequencer/sequencer.ts';
import { createCounters } from '../sequencer/sequencer-counters.ts';
import type { Commit, CommitSection, HeldTrade, Opening } from './log-payload.ts';
import { MergedCommits } from './merged-commits.ts';
import { TradesDigest } from './trades-digest.ts';

const DAY = utcDay(20_260_105);
const NEXT = utcDay(20_260_106);
const SYMBOLS = ['A', 'B', 'C'];
const OPENING: Opening = {
  dataset: 'X',
  day: DAY,
  promiseNs: 0,
  contracts: [],
  held: [],
  notes: [],
};

interface Step {
  readonly rows: readonly number[];
  readonly hasGap: boolean;
  readonly isLate: boolean;
  readonly holds: boolean;
  readonly notes: number;
}

/** Commits as in a log: contracts are named at their first trade; ranks and watermarks continue. */
function commitsOf(steps: readonly Step[]): readonly Commit[] {
  const named: string[] = [];
  const ranks = new Map<string, number>();
  const ids = new Map<string, number>();
  return steps.map(({ rows, hasGap, isLate, holds, notes: count }, at) => {
    const before = named.length;
    const sections = rows.flatMap((count, which): CommitSection[] => {
      const symbol = SYMBOLS[which]!;
      if (count === 0) return [];
      if (!named.includes(symbol)) named.push(symbol);
      const firstRank = (ranks.get(symbol) ?? 0) + 1;
      ranks.set(symbol, firstRank + count - 1);
      const firstId = (ids.get(symbol) ?? 0) + (hasGap ? 3 : 1);
      const id = Float64Array.from({ length: count }, (_, row) => firstId + row * (hasGap ? 2 : 1));
      ids.set(symbol, id.at(-1)!);
      const ts = Float64Array.from({ length: count }, (_, row) => at * 1_000 + row);
      const late = isLate ? Float64Array.from({ length: count }, (_, row) => row) : null;
      const price = Int32Array.from(ts, (it) => it + which);
      const side = Int8Array.from(ts, (it) => (it % 3) - 1);
      const columns = { ts, id: hasGap ? id : null, late, price, size: price.slice(), side };
      return [{ index: named.indexOf(symbol), firstRank, count, firstId, ...columns }];
    });
    const contracts = named.slice(before).map((symbol, more) => ({ index: before + more, symbol }));
    const trade = { symbol: 'A', day: NEXT, ts: 1, price: 1, size: 1, side: 1 };
    const held: HeldTrade[] = holds ? [{ ...trade, id: 1_000_000 + at }] : [];
    const notes = Array.from({ length: count }, (_, note): LoggedNote => {
      if (note === 0) return { kind: 'position', key: 'feed', text: `${at}` };
      return { kind: 'batch', id: `${at} ${note}`, digest: 'd'.repeat(100) };
    });
    return { promiseNs: (at + 1) * 1_000, contracts, sections, held, notes };
  });
}

/** The final state of a sequencer, as the next day's opening, with the digest of all trades. */
function outcome(commits: readonly Commit[]) {
  const sequencer = new Sequencer('X', () => SYMBOLS, createCounters());
  sequencer.restore(OPENING);
  const digest = new TradesDigest([]);
  for (const commit of commits) {
    assert(sequencer.replay(commit));
    digest.add(commit);
  }
  const { trades } = digest;
  return { digest: digest.end(), trades, opening: sequencer.openDay(NEXT) };
}

test('commits that were made one have the same trades and bring a sequencer to the same state', () => {
  const step = fc.record({
    rows: fc.array(fc.nat(4), { minLength: 3, maxLength: 3 }),
    hasGap: fc.boolean(),
    isLate: fc.boolean(),
    holds: fc.boolean(),
    notes: fc.nat(3),
  });
  const steps = fc.array(step, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 40 }), (some, rowsMax) => {
      const commits = commitsOf(some);
      const merged: Commit[] = [];
      const merging = new MergedCommits(rowsMax, (commit) => merged.push(commit));
      for (const commit of commits) merging.add(commit);
      merging.flush();
      assert(merged.length <= commits.length);
      for (const { sections } of merged) {
        const indices = sections.map(({ index }) => index);
        assert.equal(new Set(indices).size, indices.length, 'one section for each contract');
      }
      const [before, after] = [outcome(commits), outcome(merged)];
      assert.deepEqual(after, before);
    }),
    { numRuns: 300 },
  );
});

test('another price, order or promise is another digest', () => {
  const rows = [2, 1, 0];
  const plain = { rows, hasGap: false, isLate: false, holds: false, notes: 1 };
  const commits = commitsOf([plain, plain]);
  const { digest } = outcome(commits);
  const [first, second] = commits as [Commit, Commit];
  const others: Commit[] = [
    { ...second, promiseNs: second.promiseNs + 1 },
    {
      ...second,
      sections: second.sections.map((it) => ({ ...it, price: it.price.map((p) => p + 1) })),
    },
    { ...second, sections: second.sections.map((it) => ({ ...it, id: it.ts })) },
    { ...second, sections: second.sections.map((it) => ({ ...it, late: it.ts })) },
    { ...second, notes: first.notes },
  ];
  for (const other of others) {
    const changed = new TradesDigest([]);
    changed.add(first);
    changed.add(other);
    assert.notEqual(changed.end(), digest);
  }
});
