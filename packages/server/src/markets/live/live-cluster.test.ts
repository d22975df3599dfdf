import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertClusterSurvives, CLUSTER_DIALECTS } from '../../../testing/live/cluster-property.ts';
import { exampleDialect } from '../../../testing/live/example-dialect.ts';
import { VenueCluster } from '../../../testing/live/venue-cluster.ts';

/** Of each venue. `tests/long/venue-clusters.test.ts` runs more. */
const SCHEDULES = 2;
const STEP_MS = 10;

for (const kind of ['kill', 'torn', 'pause'] as const) {
  test(`the leader's ${kind} in the middle of a backfill: the next one backfills from the tape`, async () => {
    const run = await VenueCluster.begun(7, exampleDialect);
    const before = run.cluster.gaps.size;
    run.set({ isDown: true });
    run.cut();
    await run.cluster.pass(9_000);
    run.set({});
    for (let left = 3_000; run.cluster.sources[0]?.status.connection !== 'backfilling'; left -= 1) {
      assert.ok(left > 0, 'it never backfills');
      await run.cluster.pass(STEP_MS);
    }
    await run.cluster.suffer({ machine: -1, kind, waitMs: 0, forMs: 8_000 });
    await run.settle();
    const { present, missing } = await run.judge();
    assert.ok(present > 100, `${present}`);
    assert.equal(run.cluster.gaps.size, before, 'a leader is found before a gap begins');
    assert.ok(missing < present);
    await run.cluster.stop();
  });
}

for (const [venue, dialect] of Object.entries(CLUSTER_DIALECTS)) {
  test(`${venue}: whatever venue and machines do, the tape of a cluster has every trade in order or a gap that names it`, async () => {
    await assertClusterSurvives(dialect(), SCHEDULES);
  });
}
