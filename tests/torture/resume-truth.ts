/**
 * The messages of an undisturbed run of a topic, computed from the tape that a service left: one
 * study from before the first client on. At an `hb` a client must hold exactly its snapshot and
 * everything published from there to the `hb`'s cursor.
 */

import { setImmediate as turn } from 'node:timers/promises';
import { sessionTable } from '@tapeloom/core/calendar/session-book';
import { type Cursor, compareCursors, parseCursor } from '@tapeloom/core/cursor';
import type { EpochNs } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import { wholeSecond } from '@tapeloom/core/studies/flush-step';
import { parseParams } from '@tapeloom/core/studies/params';
import { dayOf } from '@tapeloom/core/utc-day';
import type { Block } from '@tapeloom/server/blocks/block';
import { BlockWriter } from '@tapeloom/server/blocks/block-writer';
import { createSimUniverse, SIM_DATASET } from '@tapeloom/server/markets/sim/sim-universe';
import { NodeDisk } from '@tapeloom/server/platform/disk/node-disk';
import { readTo, startRun } from '@tapeloom/server/runs/run-start';
import { TapeDays } from '@tapeloom/server/runs/tape-days';
import { type OpenTape, openTape } from '@tapeloom/server/tape/write/open-tape';
import { SessionStore } from '@tapeloom/server/tape/write/session-store';
import { updatesOf } from '../../packages/server/testing/stream/block-updates.ts';
import type { Followed, ResumeStream } from './followed.ts';

const DEPTH = 5_000;
const FAR_NS = 400n * 86_400_000_000_000n;

interface Published {
  readonly cursor: Cursor;
  readonly id: string;
  /** The object as text; null for a removal. */
  readonly object: string | null;
}

/** All messages of one topic and mode. */
export interface Truth {
  readonly stream: ResumeStream;
  /** The objects before the first message. */
  readonly first: ReadonlyMap<string, string>;
  readonly published: readonly Published[];
}

/** Opens the tape of a service that has stopped. */
export async function openLeftTape(data: string): Promise<OpenTape> {
  return await openTape({
    disk: new NodeDisk(),
    tapeRoot: `${data}/tape`,
    dataset: SIM_DATASET,
    listed: () => [],
    now: () => (BigInt(Date.now()) * 1_000_000n + FAR_NS) as EpochNs,
    onFailure: (error) => {
      throw error;
    },
  });
}

export async function truthOf(
  tape: OpenTape,
  data: string,
  stream: ResumeStream,
  since: EpochNs,
): Promise<Truth> {
  const indicator = indicatorNamed(stream.indicator)!;
  const parsed = parseParams(indicator, stream.params);
  if (!('params' in parsed)) throw new Error(`${stream.indicator}: parameters are refused`);
  const { params } = parsed;
  const universe = createSimUniverse({ seed: 1, printsScale: 1 }, dayOf(since));
  const { calendar } = universe.contracts.find((it) => it.symbol === stream.instrument)!;
  const store = new SessionStore(new NodeDisk(), `${data}/tape`, SIM_DATASET);
  const sessions = sessionTable((await store.load(calendar))!, indicator.sessionKind(params));
  const contract = stream.instrument;
  const days = new TapeDays(tape.tape, contract);
  const source = { tape: tape.tape, contract, sessions, days, indicator, params };
  const pace = { yieldTurn: () => turn(), signal: new AbortController().signal };
  const run = await startRun(source, wholeSecond(since), pace);
  const published: Published[] = [];
  run.goLive(new BlockWriter(), (flush) => {
    for (const entry of messagesOf(flush)) {
      if (stream.mode !== 'live' && !entry.final) continue;
      const { cursor, id, object } = entry;
      published.push({ cursor: parseCursor(cursor)!, id, object });
    }
  });
  const [snapshot] = messagesOf(run.snapshot(DEPTH, stream.mode));
  const first = new Map(snapshot!.items.map((it) => [it.id, objectText(it)]));
  await readTo(source, run, tape.intake.promise!, pace);
  return { stream, first, published };
}

type Judged = Pick<Followed, 'base' | 'final' | 'applied'> & {
  readonly state: ReadonlyMap<string, string>;
};

/** The errors in a client's state at its last `hb`; empty when it is right. */
export function judge(truth: Truth, followed: Judged): readonly string[] {
  const { base, final, state, applied } = followed;
  if (base === null || final === null) return ['it has no snapshot or no hb'];
  const problems: string[] = [];
  const [baseAt, finalAt] = [parseCursor(base.cursor)!, parseCursor(final)!];
  const expected = new Map(base.items);
  let count = 0;
  const atBase = new Map(truth.first);
  for (const { cursor, id, object } of truth.published) {
    if (compareCursors(cursor, baseAt) <= 0) put(atBase, id, object);
    else if (compareCursors(cursor, finalAt) <= 0) {
      put(expected, id, object);
      count += 1;
    }
  }
  for (const [id, object] of base.items) {
    if (atBase.get(id) !== object) problems.push(`snapshot ${base.cursor} differs in ${id}`);
  }
  for (const id of new Set([...expected.keys(), ...state.keys()])) {
    if (expected.get(id) === state.get(id)) continue;
    const [wanted, found] = [expected.get(id) ?? 'nothing', state.get(id) ?? 'nothing'];
    problems.push(`at ${final} object ${id} is ${found}, should be ${wanted}`);
  }
  if (applied !== count) {
    problems.push(`from ${base.cursor} to ${final} ${applied} updates of ${count} were received`);
  }
  return problems;
}

function put(objects: Map<string, string>, id: string, object: string | null): void {
  if (object === null) objects.delete(id);
  else objects.set(id, object);
}

interface Item {
  readonly id: string;
  readonly final: boolean;
  readonly ts: string;
  readonly data: unknown;
}

function messagesOf(block: Block) {
  return updatesOf(block).map(({ kind, id, final, cursor, line }) => {
    const message = JSON.parse(line) as Item & { readonly items: readonly Item[] };
    const object = kind === 'upsert' ? objectText(message) : null;
    return { kind, id, final, cursor, object, items: message.items };
  });
}

function objectText({ final, ts, data }: Item): string {
  return JSON.stringify({ final, ts, data });
}
