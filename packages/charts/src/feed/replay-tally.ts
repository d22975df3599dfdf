/**
 * Compares delivered updates with the recorded ones: how many were due up to the newest delivered, how many of these
 * are missing, and how many arrived more than once. It knows nothing of connections.
 */

import type { Recording } from './recording.ts';

export interface TallyCounts {
  /** Distinct updates delivered. */
  readonly told: number;
  readonly missed: number;
  readonly doubled: number;
}

interface Stream {
  /** An update's index within its stream. */
  readonly places: ReadonlyMap<string, number>;
  readonly told: Set<string>;
  /** Updates up to this index should have been delivered. */
  reached: number;
  doubled: number;
}

export class ReplayTally {
  readonly #streams: ReadonlyMap<string, Stream>;

  constructor(recording: Recording) {
    const streams = new Map<string, Stream>();
    for (const [sub, { indicator }] of Object.entries(recording.requests)) {
      const cursors = recording.frames.flatMap((frame) =>
        frame.sub === sub && frame.t === 'upsert' ? [frame.cursor!] : [],
      );
      const places = new Map(cursors.map((cursor, index) => [cursor, index + 1]));
      streams.set(indicator, { places, told: new Set(), reached: 0, doubled: 0 });
    }
    this.#streams = streams;
  }

  note(indicator: string, cursor: string): void {
    const stream = this.#streams.get(indicator);
    const place = stream?.places.get(cursor);
    if (stream === undefined || place === undefined) return;
    if (stream.told.has(cursor)) stream.doubled += 1;
    stream.told.add(cursor);
    stream.reached = Math.max(stream.reached, place);
  }

  get counts(): TallyCounts {
    let told = 0;
    let missed = 0;
    let doubled = 0;
    for (const stream of this.#streams.values()) {
      told += stream.told.size;
      missed += stream.reached - stream.told.size;
      doubled += stream.doubled;
    }
    return { told, missed, doubled };
  }
}
