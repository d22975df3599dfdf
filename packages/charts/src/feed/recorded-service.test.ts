import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { StreamClient } from '@tapeloom/client/stream';
import { PlayClock } from './play-clock.ts';
import { RecordedService, type WireMessage } from './recorded-service.ts';
import { parseRecording, type Recording } from './recording.ts';
import { ReplayTally } from './replay-tally.ts';

const packed = readFileSync(new URL('../../../portal/recording/session.gz', import.meta.url));
const recording = parseRecording(gunzipSync(packed).toString());

/** A manual clock. */
class HandClock {
  readonly #timers = new Set<{ at: number; call: () => void }>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): { cancel(): void } {
    const timer = { at: this.#now + ms, call };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.call();
    }
    this.#now = end;
  }
}

/** Lets pending promises settle, such as the token's. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
}

class Replay {
  readonly hand = new HandClock();
  readonly clock = new PlayClock(this.hand);
  readonly wire: WireMessage[] = [];
  readonly tally: ReplayTally;
  readonly service: RecordedService;
  readonly client: StreamClient;
  readonly footprint;
  ends = 0;

  constructor(of: Recording = recording) {
    const { clock } = this;
    this.tally = new ReplayTally(of);
    this.service = new RecordedService({
      recording: of,
      clock,
      onWire: (message) => this.wire.push(message),
      onEnd: () => {
        this.ends += 1;
      },
    });
    this.client = new StreamClient({
      url: 'http://recording.invalid',
      token: () => 'none',
      WebSocket: this.service.WebSocket,
      clock,
      random: () => 0,
    });
    const subscriptions = Object.values(of.requests).map(({ indicator, params }) => {
      const { instrument } = of;
      const subscription = this.client.subscribe({ indicator, instrument, params });
      subscription.on('upsert', ({ cursor }) => this.tally.note(indicator, cursor));
      return subscription;
    });
    this.footprint = subscriptions[0]!;
    clock.play();
  }

  async pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 50) {
      this.hand.pass(Math.min(50, rest));
      await turns();
    }
  }
}

/** The expected state, folded from the recording without a client. */
function recordedState(sub: string, untilMs: number): Map<string, unknown> {
  const objects = new Map<string, unknown>();
  for (const frame of recording.frames) {
    if (frame.sub !== sub || frame.ms > untilMs) continue;
    const message = JSON.parse(frame.text);
    const items = frame.t === 'snapshot' ? message.items : frame.t === 'upsert' ? [message] : [];
    for (const { id, data } of items) objects.set(id, data);
  }
  return objects;
}

const dataOf = (replay: Replay) =>
  new Map([...replay.footprint.state.objects.values()].map(({ id, data }) => [id, data]));

test('the recording is small, begins with a state and has an end', () => {
  assert.ok(packed.length <= 150_000, `${packed.length} bytes`);
  const kinds = recording.frames.filter(({ ms }) => ms === 0).map(({ t, sub }) => `${t} ${sub}`);
  for (const sub of ['s1', 's2']) {
    assert.ok(kinds.indexOf(`subscribed ${sub}`) < kinds.indexOf(`snapshot ${sub}`));
  }
  assert.ok(recording.frames.every(({ ms }) => ms <= recording.durationMs));
  assert.ok(recording.frames.filter(({ t }) => t === 'upsert').length > 1_000);
});

test('the client library replays it to the state that was recorded', async () => {
  const replay = new Replay();
  await replay.pass(60_000);
  const { positionMs } = replay.service;
  assert.deepEqual(dataOf(replay), recordedState('s1', positionMs));
  const told = recording.frames.filter(({ t, ms }) => t === 'upsert' && ms <= positionMs).length;
  assert.deepEqual(replay.tally.counts, { told, missed: 0, doubled: 0 });
  await replay.client.close();
});

test('a cut line is resumed at the cursor, with nothing missed and nothing twice', async () => {
  const replay = new Replay();
  await replay.pass(10_000);
  for (const downMs of [0, 100, 2_000, 14_000]) {
    const { cursor } = replay.footprint.state;
    replay.wire.length = 0;
    replay.service.cut(downMs);
    assert.equal(replay.client.connection, 'waiting');
    await replay.pass(downMs + 20_000);
    assert.equal(replay.client.connection, 'open');
    const asked = replay.wire.find(
      ({ from, text }) => from === 'client' && text.includes('footprint'),
    );
    assert.deepEqual(JSON.parse(asked!.text).from, { cursor });
    assert.ok(!replay.wire.some(({ text }) => text.includes('"snapshot"')));
  }
  const { positionMs } = replay.service;
  assert.deepEqual(dataOf(replay), recordedState('s1', positionMs));
  const { told, missed, doubled } = replay.tally.counts;
  assert.deepEqual([missed, doubled], [0, 0]);
  assert.ok(told > 500);
  await replay.client.close();
});

test('while it is paused nothing happens, and the connection is not lost for it', async () => {
  const replay = new Replay();
  await replay.pass(5_000);
  const { positionMs } = replay.service;
  const messages = replay.wire.length;
  replay.clock.pause();
  await replay.pass(120_000);
  assert.deepEqual([replay.service.positionMs, replay.wire.length], [positionMs, messages]);
  replay.clock.play();
  await replay.pass(5_000);
  assert.equal(Math.round(replay.service.positionMs), positionMs + 5_000);
  assert.equal(replay.client.connection, 'open');
  assert.deepEqual(replay.wire.filter(({ text }) => text.includes('"auth"')).length, 1);
  await replay.client.close();
});

test('it tells its end once, when all has been said', async () => {
  const frames = recording.frames.filter(({ ms }) => ms <= 3_000);
  const replay = new Replay({ ...recording, frames, durationMs: 3_000 });
  await replay.pass(2_900);
  assert.equal(replay.ends, 0);
  await replay.pass(60_000);
  assert.equal(replay.ends, 1);
  assert.equal(replay.service.positionMs, 3_000);
  await replay.client.close();
});

test('what was not recorded is refused, and names are the client’s own', async () => {
  const replay = new Replay();
  const other = replay.client.subscribe({ indicator: 'vwap', instrument: 'ES.c.0' });
  const { instrument, requests } = recording;
  const { params } = requests.s1!;
  const again = replay.client.subscribe({ indicator: 'footprint', instrument, params });
  await replay.pass(2_000);
  assert.equal((await other.ended)?.code, 'NOT_COVERED');
  assert.equal(again.state.cursor, replay.footprint.state.cursor);
  await replay.client.close();
});

test('a tally finds what is missing and what came twice', () => {
  const tally = new ReplayTally(recording);
  const cursors = recording.frames.flatMap(({ t, sub, cursor }) =>
    t === 'upsert' && sub === 's1' ? [cursor!] : [],
  );
  for (const index of [0, 1, 1, 4]) tally.note('footprint', cursors[index]!);
  tally.note('footprint', '20261110.1.1');
  assert.deepEqual(tally.counts, { told: 3, missed: 2, doubled: 1 });
  for (const index of [2, 3]) tally.note('footprint', cursors[index]!);
  assert.deepEqual(tally.counts, { told: 5, missed: 0, doubled: 1 });
});
