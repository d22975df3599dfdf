/** What every account store does with the history of the service's state. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochNs } from '@tapeloom/core/numbers';
import type { NotedState, StatusSpan } from '@tapeloom/core/status/status-history';
import { DAY_NS, SECOND_NS, type StoreRig } from '../store/account-store-rig.ts';

const HALF_MINUTE_NS = 30n * SECOND_NS;

export function testStatus(adapter: string, start: () => Promise<StoreRig>): void {
  test(`${adapter}: a state that lasts is one span, also over a quick restart; another state, a gap and another node begin new ones`, async () => {
    const rig = await start();
    const from = rig.now;
    const begun: Record<string, EpochNs> = {};
    for (const step of ['up', 'up', 'engine', 'engine', 'up'] as const) {
      begun[step] = rig.now;
      await note(rig, step);
      rig.pass(HALF_MINUTE_NS);
    }
    await rig.other.status.noteStatus({ node: 'b', from: rig.now, until: rig.now, state: 'up' });
    rig.pass(HALF_MINUTE_NS);
    await note(rig, 'up');
    const until = rig.now;
    rig.pass(DAY_NS);
    await note(rig, 'up');
    const spans = await spansOf(rig, 'a', from);
    const at = (steps: bigint) => (from + steps * HALF_MINUTE_NS) as EpochNs;
    assert.deepEqual(spans, [
      { node: 'a', from, until: at(1n), state: 'up' },
      { node: 'a', from: at(2n), until: at(3n), state: 'engine' },
      { node: 'a', from: begun.up, until, state: 'up' },
      { node: 'a', from: rig.now, until: rig.now, state: 'up' },
    ]);
    assert.equal((await spansOf(rig, 'b', from)).length, 1);
  });

  test(`${adapter}: what a clock that was ahead has noted keeps nobody from noting what is`, async () => {
    const rig = await start();
    const { now } = rig;
    const future = (now + 300n * DAY_NS) as EpochNs;
    await rig.store.status.noteStatus({ node: 'c', from: future, until: future, state: 'up' });
    await note(rig, 'up', 'c');
    rig.pass(HALF_MINUTE_NS);
    await note(rig, 'up', 'c');
    const [span] = await spansOf(rig, 'c', now);
    assert.deepEqual(span, { node: 'c', from: now, until: rig.now, state: 'up' });
  });

  test(`${adapter}: spans older than ninety days are forgotten, and of very many the newest two thousand are kept`, async () => {
    const rig = await start();
    await note(rig, 'up', 'd');
    rig.pass(92n * DAY_NS);
    await rig.store.sweep(rig.now);
    assert.deepEqual(await spansOf(rig, 'd', 0n), []);
    for (let index = 0; index < 2_010; index += 1) {
      await note(rig, 'up', `d${index}`);
      rig.pass(1n);
    }
    await rig.store.sweep(rig.now);
    const kept = await rig.store.status.statusSpans(0n as EpochNs);
    assert.equal(kept.length, 2_000);
    assert.ok(kept.some(({ node }) => node === 'd2009') && !kept.some(({ node }) => node === 'd0'));
  });
}

async function note(rig: StoreRig, state: NotedState, node = 'a'): Promise<void> {
  await rig.store.status.noteStatus({ node, from: rig.now, until: rig.now, state });
}

/** Oldest first. */
async function spansOf(rig: StoreRig, node: string, after: bigint): Promise<readonly StatusSpan[]> {
  const spans = await rig.other.status.statusSpans((after - 1n) as EpochNs);
  return spans.filter((span) => span.node === node).toSorted((a, b) => (a.from < b.from ? -1 : 1));
}
