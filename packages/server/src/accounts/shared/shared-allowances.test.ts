import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CountedLimit } from '@tapeloom/core/entitlement/entitlements';
import type { EpochNs } from '@tapeloom/core/numbers';
import { type AllowanceState, takeFromAllowances } from '@tapeloom/core/quota/allowance';
import fc from 'fast-check';
import { SliceModel } from '../../../testing/accounts/limits/slice-model.ts';
import { SharedAllowances } from './shared-allowances.ts';

const START = 1_800_000_000_000_000_000n;
const NODES = 3;
const LIVE: CountedLimit = { limit: 60, testLimit: null };
/** Large enough that more is refilled during a slice's lifetime than a small slice holds. */
const MANY = { all: 300, tests: 150 };

/** Nodes that share one state, and a count of its calls. */
function cluster(model = new SliceModel()) {
  const run = { asked: 0, isAway: false };
  const nodes = Array.from({ length: NODES }, () => {
    return new SharedAllowances({
      slice: async (now, request) => {
        run.asked += 1;
        if (run.isAway) throw new Error('the shared state is away');
        return model.slice(now, request);
      },
    });
  });
  return { run, nodes };
}

/** Checks grants against a single allowance that no other node shares. */
class Granted {
  #states: readonly [AllowanceState | null, AllowanceState | null] = [null, null];

  /** Whether the single allowance would grant it. */
  take(now: EpochNs, isTest: boolean): boolean {
    const [all, byTests] = this.#states;
    const counted = [
      { state: all, perMinute: MANY.all },
      ...(isTest ? [{ state: byTests, perMinute: MANY.tests }] : []),
    ];
    const { states, verdict } = takeFromAllowances(now, counted);
    this.#states = [states[0]!, isTest ? states[1]! : byTests];
    return verdict.granted;
  }
}

const step = fc.record({
  node: fc.nat({ max: NODES - 1 }),
  isTest: fc.boolean(),
  requests: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(140, 310)),
  /** Concurrently, or one after the other, which slices are made for. */
  areAtOnce: fc.boolean(),
  afterMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 100, max: 2_100 }),
    fc.integer({ min: 50_000, max: 70_000 }),
  ),
});

test('who asks steadily at all nodes gets nearly all of the limit, whatever the pace', async () => {
  for (const perSecond of [5, 20, 90, 400]) {
    const { nodes } = cluster();
    const limits = { limit: 1_200, testLimit: null };
    const refusedAt = new Set<SharedAllowances>();
    let granted = 0;
    let asked = 0;
    let ns = START;
    for (; refusedAt.size < NODES && asked < 3_000; asked += 1) {
      const node = nodes[asked % NODES]!;
      const verdict = await node.take(ns as EpochNs, 'a', limits);
      if (verdict.granted) granted += 1;
      else refusedAt.add(node);
      ns += 1_000_000_000n / BigInt(perSecond);
    }
    const cameBack = (1_200 * Number(ns - START)) / 60e9;
    const isAll = asked === granted;
    const told = `${granted} of ${1_200 + Math.floor(cameBack)} at ${perSecond} a second`;
    assert.ok(isAll || granted >= 0.95 * (1_200 + cameBack), told);
  }
});

test('what comes while the shared state is asked is taken of the slice that it gives, and nothing of that is lost', async () => {
  const model = new SliceModel();
  const nodes = Array.from({ length: NODES }, () => {
    return new SharedAllowances({
      slice: async (now, request) => {
        await new Promise(setImmediate);
        return model.slice(now, request);
      },
    });
  });
  const limits = { limit: 1_200, testLimit: null };
  let granted = 0;
  const asking = Array.from({ length: 8 * NODES }, async (_, index) => {
    for (let isGranted = true; isGranted; granted += isGranted ? 1 : 0) {
      // Each at its own pace.
      for (let turns = index % 3; turns > 0; turns -= 1) await new Promise(setImmediate);
      isGranted = (await nodes[index % NODES]!.take(START as EpochNs, 'a', limits)).granted;
    }
  });
  await Promise.all(asking);
  assert.equal(granted, 1_200);
});

test('over all nodes nobody gets more than the limit, and test keys no more than theirs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { nodes } = cluster();
      const granted = new Granted();
      let now = START as EpochNs;
      for (const { node, isTest, requests, areAtOnce, afterMs } of steps) {
        now = (now + BigInt(afterMs) * 1_000_000n) as EpochNs;
        const limits = { limit: MANY.all, testLimit: isTest ? MANY.tests : null };
        const take = async () => nodes[node]!.take(now, 'a', limits);
        const verdicts = areAtOnce ? await Promise.all(Array.from({ length: requests }, take)) : [];
        while (verdicts.length < requests) verdicts.push(await take());
        for (const verdict of verdicts.filter((it) => it.granted)) {
          assert.ok(granted.take(now, isTest), `at ${now - START} ns on node ${node}`);
          assert.ok(verdict.remaining >= 0 && verdict.remaining < verdict.limit);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('what comes back while a slice lies unused cannot be had beside it', async () => {
  const { nodes } = cluster();
  const many = { limit: MANY.all, testLimit: null };
  for (const first of [2, 3, 5, 11, 12, 14, 20]) {
    const begun = START + BigInt(first) * 100_000_000_000n;
    const later = (begun + 1_900_000_000n) as EpochNs;
    const granted = new Granted();
    const take = async (node: number, at: EpochNs, requests: number) => {
      for (let count = 0; count < requests; count += 1) {
        const verdict = await nodes[node]!.take(at, 'a', many);
        if (verdict.granted) assert.ok(granted.take(at, false), `${first} first`);
      }
    };
    await take(0, begun as EpochNs, first);
    await take(1, later, MANY.all);
    await take(0, later, MANY.all);
  }
});

test('who asks seldom is told exactly what is left, on whichever node', async () => {
  const { nodes } = cluster();
  for (let count = 0; count < 40; count += 1) {
    const now = (START + BigInt(count) * 3_000_000_000n) as EpochNs;
    const verdict = await nodes[count % NODES]!.take(now, 'a', LIVE);
    assert.deepEqual([verdict.granted, verdict.remaining], [true, 59]);
  }
});

test('who asks often is answered without asking the shared state, and so is who has nothing left', async () => {
  const { nodes, run } = cluster();
  const often = { limit: 6_000, testLimit: null };
  const now = START as EpochNs;
  let granted = 0;
  for (let count = 0; count < 6_000; count += 1) {
    if ((await nodes[0]!.take(now, 'a', often)).granted) granted += 1;
  }
  assert.equal(granted, 6_000, 'nobody else asked, so nothing is lost');
  assert.ok(run.asked < 230, `${run.asked}: a thirtieth one by one, then ever larger slices`);
  const asked = run.asked;
  for (let count = 0; count < 1_000; count += 1) {
    assert.equal((await nodes[0]!.take(now, 'a', often)).granted, false);
  }
  assert.ok(run.asked <= asked + 1, 'what cannot have come back is not asked for');
});

test('a slice lapses, and what it had is lost', async () => {
  const { nodes } = cluster();
  const take = async (node: number, at: number) => {
    return nodes[node]!.take((START + BigInt(at) * 1_000_000n) as EpochNs, 'a', LIVE);
  };
  // One by one until a thirtieth is spent, then slices of 2, 4 and 6: of the last one five are left.
  for (let count = 0; count < 9; count += 1) await take(0, 0);
  assert.equal((await take(0, 1_999)).remaining, 51);
  // 14 were spent two seconds ago, of which 2 have come back.
  assert.equal((await take(0, 2_000)).remaining, 47);
});

test('where the shared state cannot be asked, nobody is let through, and it is asked again for the next', async () => {
  const { nodes, run } = cluster();
  const now = START as EpochNs;
  run.isAway = true;
  const asked = Array.from({ length: 3 }, async () => nodes[0]!.take(now, 'a', LIVE));
  for (const it of asked) await assert.rejects(it, /away/);
  run.isAway = false;
  assert.equal((await nodes[0]!.take(now, 'a', LIVE)).remaining, 59);
});

test('a limit that changes ends what was leased under the other', async () => {
  const { nodes, run } = cluster();
  const now = START as EpochNs;
  for (let count = 0; count < 5; count += 1) await nodes[0]!.take(now, 'a', LIVE);
  const { asked } = run;
  const more = await nodes[0]!.take(now, 'a', { limit: 600, testLimit: null });
  assert.equal(run.asked, asked + 1);
  assert.ok(more.granted);
  assert.equal(more.limit, 600);
});

test('who has everything back is forgotten, and who is too many', async () => {
  const model = new SliceModel();
  const allowances = new SharedAllowances({
    slice: async (now, request) => model.slice(now, request),
    whoMax: 10,
  });
  for (let who = 0; who < 30; who += 1) await allowances.take(START as EpochNs, `${who}`, LIVE);
  assert.ok(allowances.size <= 11, `${allowances.size}`);
  assert.ok(allowances.forgottenTotal > 0);
  const later = (START + 60_000_000_000n) as EpochNs;
  for (let count = 0; count < 10; count += 1) await allowances.take(later, 'one', LIVE);
  assert.equal(allowances.size, 1);
});
