import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { RecordedService } from '@tapeloom/charts/feed/recorded-service';
import { parseRecording, type Recording } from '@tapeloom/charts/feed/recording';
import { drawFigure } from '@tapeloom/charts/figures/draw-figure';
import { type ClientClock, StreamClient } from '@tapeloom/client/stream';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import { liveScene } from './live-scene.ts';
import { LiveStream } from './live-stream.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url));
const { indicators } = JSON.parse(read('../../../../../contract/catalogue.json').toString()) as {
  readonly indicators: readonly IndicatorDefinition[];
};

/** Timers that run on command. */
class ToldTime implements ClientClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void) {
    const timer = { at: this.#now + ms, call };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
      await Promise.resolve();
    }
    this.#now = until;
  }
}

function played(recording: Recording) {
  const time = new ToldTime();
  const clock = new PlayClock(time);
  const service = new RecordedService({ recording, clock });
  const client = new StreamClient({
    url: 'http://recording.invalid',
    token: () => 'recording',
    WebSocket: service.WebSocket,
    clock,
  });
  const { s1, s2 } = recording.requests;
  const { instrument } = recording;
  const stream = new LiveStream(
    client,
    { ...s1!, instrument, ...(s2 && { candles: s2.params }) },
    () => {},
  );
  clock.play();
  return { stream, client, service, time };
}

for (const definition of indicators) {
  const { id } = definition;
  test(`the recorded minute of ${id} plays to its end, moves, and can be drawn wide and narrow`, async () => {
    const packed = read(`../../../recording/indicators/${id}.gz`);
    const recording = parseRecording(gunzipSync(packed).toString());
    const { stream, client, service, time } = played(recording);
    const parsed = parseParams(definition, recording.requests.s1!.params);
    assert.ok('params' in parsed);
    const drawn = (width: number) => {
      const { tickSizeNanos } = stream.state;
      const { params } = parsed;
      const { objects, candles } = stream;
      const picture = { definition, params, objects, candles, words: 'it', width };
      const scene = tickSizeNanos === null ? null : liveScene({ ...picture, tickSizeNanos });
      return scene === null ? null : drawFigure(id, scene);
    };
    for (let turn = 0; turn < 5; turn += 1) await time.pass(100);
    const first = drawn(640);
    for (let second = 0; second < recording.durationMs / 1_000; second += 1) await time.pass(1_000);
    const last = drawn(640);
    assert.ok(first !== null && last !== null);
    assert.notEqual(first, last);
    for (const svg of [first, last, drawn(328)!]) {
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|<style|style=/);
      assert.match(svg, /^<svg [^>]*aria-label="it"[^>]*>/);
    }
    assert.ok(stream.messages > 1 && stream.newest !== null);
    assert.equal(stream.subscriptions, id === 'bars' || id === 'footprint' ? 1 : 2);
    service.stop();
    await client.close();
  });
}
