/**
 * Compares replays with an engine that was never disturbed, over random tapes that cross sessions and midnight: a
 * replay's messages are those of the stream, one by one.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, formatCursor, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { FLUSH_STEP_NS, wholeSecond } from '@tapeloom/core/studies/flush-step';
import { PublishedObjects } from '@tapeloom/core/studies/published-objects';
import { StudyRun } from '@tapeloom/core/studies/run';
import { dayOf, epochNs } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import fc from 'fast-check';
import { updatesOf } from '../../testing/stream/block-updates.ts';
import {
  BY_ID,
  CONTRACT,
  DAY,
  decodeFrames,
  EngineRun,
  HOUR_NS,
  paramsOf,
  SESSIONS,
  settle,
} from '../../testing/stream/engine-run.ts';
import {
  compare,
  instants,
  pick,
  START,
  scripts,
  topics,
  Undisturbed,
} from '../../testing/stream/undisturbed.ts';
import { MemoryTape } from '../../testing/tape/memory-tape.ts';
import type { Topic } from '../../testing/tape/random-commits.ts';
import type { ReplayPage, ReplayRequest } from './replay.ts';
import type { PageLimits } from './study-replay.ts';
import { StudyReplays } from './study-replays.ts';

const limits = fc.record({
  bytes: fc.constantFrom(1, 600, 65_536),
  trades: fc.constantFrom(1, 5, 200_000),
});

function replaysOver({ tape }: Undisturbed, pageLimits: PageLimits): StudyReplays {
  return new StudyReplays({
    tape,
    indicators: BY_ID,
    sessionsOf: () => SESSIONS,
    yieldTurn: async () => {},
    limits: pageLimits,
  });
}

function requestFor(
  [indicator, input]: Topic,
  rest: Pick<ReplayRequest, 'from' | 'until'> & { readonly chargedBefore?: EpochNs },
): ReplayRequest {
  const params = paramsOf(BY_ID.get(indicator)!, input);
  return { contract: CONTRACT, indicator, params, chargedBefore: START, ...rest };
}

/** All pages up to the one that reaches `until`, and further ones after `until` is raised. */
async function pagesOf(
  replays: StudyReplays,
  request: ReplayRequest,
  untils: readonly EpochNs[] = [],
): Promise<readonly ReplayPage[]> {
  await using replay = await replays.open(request);
  const pages: ReplayPage[] = [];
  for (const until of [undefined, ...untils]) {
    pages.push(await replay.next(until));
    while (!pages.at(-1)!.isLast) pages.push(await replay.next());
  }
  return pages;
}

function messagesOf(pages: readonly ReplayPage[]): readonly ServerMessage[] {
  return pages.flatMap((page) => decodeFrames(page));
}

test('a replay after any cursor tells what the stream told, and the ring goes on from it [DET-14] [DET-08]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      limits,
      fc.nat(),
      fc.array(instants, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
      async (script, topic, pageLimits, chosen, wheres, batchRows) => {
        const whole = await Undisturbed.over(script, topic, batchRows);
        if (whole.cursors.length === 0) return;
        const cursor = pick(whole.cursors, chosen);
        using replays = replaysOver(whole, pageLimits);
        const place = await replays.locate(CONTRACT, cursor, null);
        assert.ok(place.t === 'on-tape');
        const untils = wheres
          .map((where) => whole.instant(where))
          .toSorted((a, b) => Number(a - b));
        const [until, ...raised] = untils;
        const from = { t: 'after', cursor } as const;
        const pages = await pagesOf(replays, requestFor(topic, { from, until: until! }), raised);
        const last = untils.at(-1)!;
        assert.deepEqual(messagesOf(pages), whole.between(cursor, last));
        // Cutover: at every page, a ring has exactly the missing updates after the page's position.
        const all = whole.between(cursor, whole.end);
        let told = 0;
        for (const page of pages) {
          told += updatesOf(...page.blocks).length;
          assert.deepEqual(whole.between(page.position, whole.end), all.slice(told));
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('a replay goes on from a cursor that was published at other edges, as before they were spread [DET-14] [DET-08]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      limits,
      fc.nat(),
      async (script, topic, pageLimits, cutAt) => {
        const whole = await Undisturbed.over(script, topic, 7);
        const until = wholeSecond(whole.end);
        const stayed = await publishedUnmoved(whole, topic, until);
        if (stayed.length === 0) return;
        const had = stayed.slice(0, 1 + (cutAt % stayed.length));
        using replays = replaysOver(whole, pageLimits);
        const from = { t: 'after', cursor: had.at(-1)!.cursor } as const;
        const missed = messagesOf(await pagesOf(replays, requestFor(topic, { from, until })));
        assert.deepEqual(objectsAfter([...had, ...missed]), objectsAfter(stayed));
      },
    ),
    { numRuns: 20 },
  );
});

test('a replay at a time begins with the state there, then tells what changed after it [DET-12] [DET-02]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      topics,
      limits,
      instants,
      fc.boolean(),
      fc.constantFrom('live', 'confirmed'),
      async (script, topic, pageLimits, where, isSecond, mode) => {
        const whole = await Undisturbed.over(script, topic, 7);
        const time = whole.instant(where, isSecond);
        using replays = replaysOver(whole, pageLimits);
        const from = { t: 'at', time, depth: 5_000, mode } as const;
        const pages = await pagesOf(replays, requestFor(topic, { from, until: whole.end }));
        const [snapshot, ...updates] = messagesOf(pages);
        assert.ok(snapshot?.t === 'snapshot');
        const expected = await stateAt(whole, topic, time, mode);
        assert.deepEqual({ cursor: snapshot.cursor, items: snapshot.items }, expected);
        assert.deepEqual(updates, whole.between(snapshot.cursor, whole.end));
        if (isSecond && mode === 'live') {
          assert.deepEqual(snapshot, await engineSnapshotAt(whole, topic, time));
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('pages charge exactly the trades between start and end that lie before midnight [COUNT-16] [COUNT-18]', async () => {
  await fc.assert(
    fc.asyncProperty(
      scripts,
      limits,
      fc.tuple(instants, instants),
      fc.boolean(),
      fc.constantFrom(0, 1, 2),
      fc.option(fc.nat()),
      async (script, pageLimits, wheres, isSecond, midnights, chosen) => {
        const topic: Topic = ['bars', { bar: 'tick', size: 5 }];
        const whole = await Undisturbed.over(script, topic, 7);
        const [time, until] = wheres
          .map((where) => whole.instant(where, isSecond))
          .toSorted((a, b) => Number(a - b)) as [EpochNs, EpochNs];
        const chargedBefore = epochNs(DAY, midnights * 24 * HOUR_NS);
        const cursor = chosen === null ? null : pick([...whole.cursors, '20261112.0.0'], chosen);
        const from =
          cursor === null
            ? ({ t: 'at', time, depth: 10, mode: 'live' } as const)
            : ({ t: 'after', cursor } as const);
        using replays = replaysOver(whole, pageLimits);
        const pages = await pagesOf(replays, requestFor(topic, { from, until, chargedBefore }));
        const beyondStart = placedTrades(whole).filter(({ at, place }) =>
          cursor === null ? at >= time : compare(place, ofTrade(cursor)) > 0,
        );
        const charged = beyondStart.filter(({ at }) => at < chargedBefore);
        let sum = 0;
        for (const { chargedTrades, position } of pages) {
          assert.ok(chargedTrades >= 0);
          sum += chargedTrades;
          assert.equal(sum, charged.filter(({ place }) => compare(place, position) <= 0).length);
        }
        // A whole second is an edge of every stream, so nothing is left over there.
        if (isSecond) assert.equal(sum, charged.filter(({ at }) => at < until).length);
      },
    ),
    { numRuns: 30 },
  );
});

/** Trades with their positions, as cursors without updates. */
function placedTrades(whole: Undisturbed): readonly { at: EpochNs; place: string }[] {
  const ranks = new Map<number, number>();
  return whole.trades.map(({ at }) => {
    const day = dayOf(at);
    const rank = (ranks.get(day) ?? 0) + 1;
    ranks.set(day, rank);
    return { at, place: `${day}.${rank}.0` };
  });
}

/** The position of a cursor's trade. */
function ofTrade(cursor: string): string {
  const { day, rank } = parseCursor(cursor)!;
  return `${day}.${rank}.0`;
}

/** The messages of a stream whose flush edges have no phase offset. */
async function publishedUnmoved(
  whole: Undisturbed,
  [id, input]: Topic,
  until: EpochNs,
): Promise<readonly Extract<ServerMessage, { readonly cursor: string }>[]> {
  const indicator = BY_ID.get(id)!;
  const published: Extract<ServerMessage, { readonly t: 'upsert' | 'remove' }>[] = [];
  const objects = new PublishedObjects(indicator.objectsOutliveSession);
  const message = (t: 'upsert' | 'remove', cursor: Cursor, members: string) =>
    JSON.parse(`{"t":"${t}","sub":"","cursor":"${formatCursor(cursor)}",${members}}`);
  const run = new StudyRun(
    indicator.create(paramsOf(indicator, input)),
    SESSIONS,
    { at: START, rank: 0 as never },
    {
      output: {
        upsert: (version, cursor) =>
          published.push(message('upsert', cursor, objects.upsert(version))),
        remove: (gone, final, ts, cursor) =>
          published.push(message('remove', cursor, objects.remove(gone, final, ts))),
        openSession: () => objects.openSession(),
        flushed: () => {},
      },
      stepNs: FLUSH_STEP_NS,
      formingBytes: () => objects.formingBytes,
    },
  );
  const to = { day: dayOf(until), rank: 1_000_000 as never };
  for await (const batch of whole.tape.read(CONTRACT, { day: DAY, rank: 0 as never }, to)) {
    run.apply(batch);
  }
  run.advance(until);
  return published;
}

/** A client's objects after these messages. */
function objectsAfter(messages: readonly ServerMessage[]): ReadonlyMap<string, unknown> {
  const objects = new Map<string, unknown>();
  for (const message of messages) {
    if (message.t === 'remove') objects.delete(message.id);
    else if (message.t === 'upsert') objects.set(message.id, message.data);
  }
  return objects;
}

/** position(time) and the objects there, from a settled run since the tape's start. */
async function stateAt(
  whole: Undisturbed,
  [id, input]: Topic,
  time: EpochNs,
  mode: 'live' | 'confirmed',
): Promise<{ readonly cursor: string; readonly items: unknown }> {
  const indicator = BY_ID.get(id)!;
  const study = indicator.create(paramsOf(indicator, input));
  const objects = new PublishedObjects(indicator.objectsOutliveSession);
  const output = {
    upsert: objects.upsert.bind(objects),
    remove: (...[gone, final, ts]: [string, boolean, string, Cursor]) =>
      objects.remove(gone, final, ts),
    openSession: () => objects.openSession(),
    flushed: () => {},
  };
  const run = new StudyRun(study, SESSIONS, { at: START, rank: 0 as never }, { output });
  const rank = placedTrades(whole).findLast(({ at }) => at < time)?.place;
  const to = rank === undefined ? { day: DAY, rank: 0 as never } : parseCursor(rank)!;
  for await (const batch of whole.tape.read(CONTRACT, { day: DAY, rank: 0 as never }, to)) {
    run.apply(batch);
  }
  run.advance(time);
  study.forming(null, (version) => void objects.upsert(version));
  const { cursor, items } = objects.snapshot(run.position, 5_000, mode);
  return { cursor, items: JSON.parse(items) };
}

/** The snapshot of an engine that ran since the tape's start, when the tape has reached `time`. */
async function engineSnapshotAt(
  whole: Undisturbed,
  topic: Topic,
  time: EpochNs,
): Promise<ServerMessage> {
  const tape = new MemoryTape(CONTRACT, 100);
  const run = new EngineRun(tape);
  tape.commit([], START);
  run.open(topic);
  await settle();
  tape.commit(
    whole.trades.filter(({ at }) => at < time),
    time,
  );
  await settle();
  return run.snapshot();
}
