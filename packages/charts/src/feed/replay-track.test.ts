/** The versions of a recorded session of the service, kept as changes, are those versions again. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { HistoryEntry } from '@tapeloom/client';
import fc from 'fast-check';
import { parseRecording } from './recording.ts';
import { ReplayTrack } from './replay-track.ts';

const packed = readFileSync(new URL('../../../portal/recording/session.gz', import.meta.url));
const recording = parseRecording(gunzipSync(packed).toString());

/** As a page of history has them. */
function entriesOf(sub: string): readonly HistoryEntry<string>[] {
  return recording.frames.flatMap((frame): readonly HistoryEntry<string>[] => {
    if (frame.sub !== sub) return [];
    const message = JSON.parse(frame.text);
    if (message.t === 'snapshot') {
      const objects = message.items.map((item: { ts: string }) => ({
        ...item,
        ts: BigInt(item.ts),
      }));
      return [{ t: 'snapshot', cursor: message.cursor, objects }];
    }
    if (message.t !== 'upsert') return [];
    const { cursor, id, final, ts, data } = message;
    return [{ t: 'upsert', cursor, object: { id, final, ts: BigInt(ts), data } }];
  });
}

const entries = entriesOf('s1');
const versions = entries.filter((entry) => entry.t === 'upsert');

function trackOf(size: number): ReplayTrack {
  const track = new ReplayTrack({ key: 'bars', indicator: 'footprint', params: {} });
  for (let at = 0; at < entries.length; at += size) track.append(entries.slice(at, at + size));
  return track;
}

test('every version comes again byte for byte, in order', () => {
  const track = trackOf(100);
  assert.equal(track.count, versions.length);
  assert.ok(versions.length > 500, String(versions.length));
  versions.forEach(({ object }, at) => {
    assert.ok(track.moveTo(at + 1).has(object.id));
    const shown = track.state.get(object.id)!.object;
    assert.equal(JSON.stringify(shown.data), JSON.stringify(object.data));
    assert.deepEqual([shown.final, shown.ts], [object.final, object.ts]);
  });
});

test('at any place, reached on any way, the state is that of all versions before', () => {
  const newest = new Map<string, string>();
  const states = versions.map(({ object }) => {
    newest.set(object.id, JSON.stringify(object.data));
    return [...newest]
      .map(([id, data]) => `${id} ${data}`)
      .sort()
      .join('\n');
  });
  const first = entries.find((entry) => entry.t === 'snapshot');
  const before = new Set(first?.t === 'snapshot' ? first.objects.map(({ id }) => id) : []);
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: versions.length }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(7, 1_000),
      (places, size) => {
        const track = trackOf(size);
        for (const place of places) {
          track.moveTo(place);
          const shown = [...track.state.values()]
            .map(({ object: { id, data } }) => `${id} ${JSON.stringify(data)}`)
            .filter((text) => newest.has(text.split(' ')[0]!))
            .filter((text) => !before.has(text.split(' ')[0]!) || states[place - 1]!.includes(text))
            .sort()
            .join('\n');
          assert.equal(shown, states[place - 1]);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('what was said of an object that is not here is kept for when it is', () => {
  const track = new ReplayTrack({ key: 'z', indicator: 'imbalances', params: {} });
  const object = { id: '1.1.1', final: true, ts: 5n, data: { low: 1 } };
  track.append([
    { t: 'snapshot', cursor: '1.0.0', objects: [object] },
    { t: 'remove', cursor: '1.2.1', id: '1.1.1', final: true, ts: 9n },
    { t: 'remove', cursor: '1.2.2', id: '1.0.9', final: true, ts: 9n },
  ]);
  track.moveTo(2);
  assert.deepEqual([...track.state.values()], [{ object, removedNs: 9n }]);
  track.moveTo(0);
  assert.deepEqual([...track.state.values()], [{ object, removedNs: null }]);
});
