/**
 * An engine over a tape in memory, with all its messages recorded and readable as a client would read them. Sessions
 * are short and apart, one of them across midnight, so that tests cover all their edges.
 */

import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { SessionTable } from '@tapeloom/core/calendar/session';
import { createSessionTable } from '@tapeloom/core/calendar/session-table';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { dayOf, epochNs, utcDay } from '@tapeloom/core/utc-day';
import type { ServerMessage } from '@tapeloom/protocol/server-messages';
import { Block } from '../../src/blocks/block.ts';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import { OutgoingFlow } from '../../src/engine/outgoing-flow.ts';
import type { ReplayPage } from '../../src/runs/replay.ts';
import type { LiveTape } from '../../src/tape/tape.ts';
import type { EngineMessage, FlushMessage, PulseMessage } from '../../src/topics/engine-link.ts';
import { Flush } from '../../src/topics/flush.ts';
import { frameTexts } from './server-frames.ts';

export const CONTRACT = 'ESZ6';
export const DAY = utcDay(20261112);
export const HOUR_NS = 3_600_000_000_000;

/** In hours since the midnight of `DAY`. */
export const SESSIONS: SessionTable = createSessionTable(
  [
    [10, 12],
    [22, 26],
    [34, 36],
  ].map(([open, close]) => {
    const opens = epochNs(DAY, open! * HOUR_NS);
    return { date: dayOf(opens), open: opens, close: epochNs(DAY, close! * HOUR_NS) };
  }),
);

export function paramsOf(indicator: Indicator, input: Record<string, unknown>): Params {
  const parsed = parseParams(indicator, input);
  assert.ok('params' in parsed, JSON.stringify(parsed));
  const { depth: _view, ...params } = parsed.params;
  return params;
}

export const BY_ID: ReadonlyMap<string, Indicator> = new Map(INDICATORS.map((it) => [it.id, it]));

export class EngineRun {
  readonly messages: EngineMessage[] = [];
  readonly faults: unknown[] = [];
  readonly engine: Engine;
  #requests = 0;

  constructor(tape: LiveTape, options: Partial<EngineOptions> = {}) {
    this.engine = new Engine({
      tape,
      flow: new OutgoingFlow(),
      indicators: BY_ID,
      sessionsOf: () => SESSIONS,
      emit: (message) => this.messages.push(message),
      yieldTurn: async () => {},
      onFault: (error) => this.faults.push(error),
      ...options,
    });
  }

  open(
    [id, input]: readonly [string, Record<string, unknown>],
    topic = 1,
    delaySeconds = 0,
    since: string | null = null,
    account = 'one',
    contract = CONTRACT,
  ): void {
    const params = paramsOf(BY_ID.get(id) ?? INDICATORS[0]!, input);
    const spec = { contract, indicator: id, params, delaySeconds };
    this.engine.execute({ t: 'open', topic, spec, since, accounts: [account] });
  }

  flushes(topic = 1): readonly FlushMessage[] {
    return this.messages.filter((it) => it.t === 'flush' && it.topic === topic) as FlushMessage[];
  }

  /** The floor that a topic reported when it went live. */
  floor(topic = 1): string {
    const live = this.messages.find((it) => it.t === 'live' && it.topic === topic);
    assert.ok(live?.t === 'live');
    return live.floor;
  }

  published(topic = 1): readonly ServerMessage[] {
    return this.flushes(topic).flatMap((flush) => decodeFrames(flush));
  }

  snapshot(topic = 1): Extract<ServerMessage, { t: 'snapshot' }> {
    this.#requests += 1;
    const request = this.#requests;
    this.engine.execute({ t: 'snapshot', topic, request, depth: 5_000, mode: 'live' });
    const answer = this.messages.findLast((it) => it.t === 'snapshot' && it.request === request);
    assert.ok(answer?.t === 'snapshot');
    const [message] = decodeFrames(answer);
    assert.ok(message?.t === 'snapshot');
    return message;
  }

  pulse(): PulseMessage {
    this.engine.pulse();
    const pulse = this.messages.at(-1);
    assert.ok(pulse?.t === 'pulse');
    return pulse;
  }
}

/** The messages of a flush or a page, as a subscriber called `a` receives them. */
export function decodeFrames(
  of: Pick<FlushMessage, 'block'> | Pick<ReplayPage, 'blocks'>,
): ServerMessage[] {
  const blocks = 'block' in of ? [of.block] : of.blocks;
  return blocks.flatMap((parts) => {
    const frames = new Flush(new Block(parts)).framesFor('a', 'live');
    return frames === null ? [] : frameTexts(frames.bytes).map((text) => JSON.parse(text));
  });
}

/** Lets pending work finish. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await turn();
}
