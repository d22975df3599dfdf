import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { PlayClock } from '@tapeloom/charts/feed/play-clock';
import { parseRecording } from '@tapeloom/charts/feed/recording';
import { paintSvg } from '@tapeloom/charts/paint/svg-painter';
import { RowFollower } from '@tapeloom/charts/scene/footprint-layout';
import { footprintPicture } from '../../components/footprint-picture.ts';
import { firstFrames } from './first-frame.ts';
import { Replay } from './replay.ts';

const packed = readFileSync(new URL('../../../recording/session.gz', import.meta.url));
const recording = parseRecording(gunzipSync(packed).toString());

/** A manual clock that advances by at least a millisecond. */
function handTime() {
  const timers = new Set<{ at: number; call: () => void }>();
  let now = 0;
  return {
    now: () => now,
    after: (ms: number, call: () => void) => {
      const timer = { at: now + ms, call };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
    async pass(ms: number): Promise<void> {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + 20);
        for (const timer of timers) {
          if (timer.at > now) continue;
          timers.delete(timer);
          timer.call();
        }
        for (let i = 0; i < 4; i += 1) await Promise.resolve();
      }
    },
  };
}

function started(durationMs = recording.durationMs) {
  const time = handTime();
  const clock = new PlayClock(time);
  const frames = recording.frames.filter(({ ms }) => ms <= durationMs);
  const replay = new Replay({ ...recording, frames, durationMs }, clock);
  clock.play();
  return { time, clock, replay };
}

test('a replay shows the bars of the session and counts what came', async () => {
  const { time, replay } = started();
  assert.equal(replay.chart, null);
  await time.pass(8_000);
  const { counts, connection, perSecond, last, log } = replay.view;
  assert.equal(connection, 'open');
  assert.ok(counts.told > 20 && counts.missed === 0 && counts.doubled === 0);
  assert.ok(perSecond > 0 && perSecond < 60);
  assert.equal(last!.object.id, replay.chart!.content.bars.last!.id);
  assert.match(log[0]!.value, /^(?:[+−][\d,]+|0) @ \d{4}\.\d\d$/);
  assert.equal(log.length, 14);
  await replay.close();
});

test('after a cut it says where it went on, what it caught up with, and that nothing is missing', async () => {
  const { time, replay } = started();
  await time.pass(12_000);
  const cursor = replay.view.last!.cursor;
  const told = replay.view.counts.told;
  replay.cut();
  assert.equal(replay.view.connection, 'waiting');
  assert.equal(replay.view.away!.cursor, cursor);
  await time.pass(1_000);
  assert.equal(replay.view.counts.told, told, 'nothing comes over a dead line');
  replay.cut();
  await time.pass(2_500);
  const { resumed, away, connection } = replay.view;
  assert.equal(connection, 'open');
  assert.equal(away, null);
  assert.equal(resumed!.cursor, cursor);
  assert.ok(resumed!.awayMs > 1_700 && resumed!.awayMs < 3_000);
  assert.ok(resumed!.caughtUp > 5);
  assert.deepEqual([resumed!.missed, resumed!.doubled], [0, 0]);
  await replay.close();
});

test('at its end it says so, and starts again with counts of its own', async () => {
  const { time, replay } = started(5_000);
  await time.pass(5_100);
  assert.ok(replay.view.isOver);
  assert.equal(replay.view.log[0]!.what, 'end of the recording');
  const { told } = replay.view.counts;
  replay.cut();
  assert.equal(replay.view.away, null, 'there is nothing left to lose');
  await time.pass(3_200);
  assert.ok(!replay.view.isOver);
  assert.ok(replay.view.log.some(({ what }) => what === 'again from the start'));
  assert.ok(replay.view.counts.told < told);
  assert.ok(replay.view.positionMs < 500);
  await replay.close();
});

test('the first picture of a replay is the first frame in the page', async () => {
  const first = recording.frames.find(({ t }) => t === 'upsert')!;
  const { time, replay } = started(first.ms - 1);
  await time.pass(200);
  const size = { width: 900, height: 560 };
  const { batches } = footprintPicture(replay.chart!, {
    size,
    form: 'wide',
    rows: new RowFollower(),
  });
  const svg = paintSvg(batches, size, { colours: 'page', className: 'still still-wide' });
  assert.ok(firstFrames(recording).startsWith(svg));
  await replay.close();
});

test('after a cut the chart is the one of a replay that was never cut', async () => {
  const [cut, whole] = [started(), started()];
  await Promise.all([cut.time.pass(12_000), whole.time.pass(12_000)]);
  cut.replay.cut();
  await Promise.all([cut.time.pass(6_000), whole.time.pass(6_000)]);
  const columns = ({ replay }: typeof cut) => replay.chart!.content.bars.columns;
  assert.deepEqual(columns(cut), columns(whole));
  const sums = ({ replay }: typeof cut) => replay.chart!.content.layers.get('delta')!.objects.all;
  assert.deepEqual(sums(cut), sums(whole));
  await Promise.all([cut.replay.close(), whole.replay.close()]);
});
