import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordedIo } from '../../testing/recorded-io.ts';
import { NOTHING, TransferProgress } from './transfer-progress.ts';

class Surroundings {
  readonly io: RecordedIo;
  ms = 0;
  readonly now = () => this.ms;

  constructor(isTerminal: boolean) {
    this.io = new RecordedIo({ isTerminal });
  }

  /** The output since the last call. */
  said(): string {
    const text = this.io.err;
    this.io.err = '';
    return text.replaceAll('\x1b', '');
  }
}

test('on a terminal one line changes in place: share, count, size, rate and what is left', () => {
  const at = new Surroundings(true);
  const progress = new TransferProgress(at.io, NOTHING, { now: at.now });
  progress.show(() => NOTHING);
  assert.equal(at.said(), '\r[2K0 %  0 objects  0 bytes');
  at.ms = 100;
  progress.show(() => ({ objects: 9, bytes: 9, fraction: 0.01 }));
  assert.equal(at.said(), '', 'too soon');
  at.ms = 4_000;
  progress.show(() => ({ objects: 1_000, bytes: 4 << 20, fraction: 0.25 }));
  assert.equal(at.said(), '\r[2K25 %  1,000 objects  4 MiB  1 MiB/s  12 s left');
  progress.erase();
  progress.erase();
  assert.equal(at.said(), '\r[2K');
});

test('what was there before counts for the share, and not for the rate', () => {
  const at = new Surroundings(true);
  const held = { objects: 500, bytes: 3 << 20, fraction: 0.5 };
  const progress = new TransferProgress(at.io, held, { now: at.now });
  at.ms = 1_000;
  progress.show(() => ({ objects: 600, bytes: 4 << 20, fraction: 0.6 }));
  assert.equal(at.said(), '\r[2K60 %  600 objects  4 MiB  1 MiB/s  4 s left');
});

test('where it is not known how much was there, the first share that is known counts from', () => {
  const at = new Surroundings(true);
  const held = { objects: 500, bytes: 3 << 20, fraction: null };
  const progress = new TransferProgress(at.io, held, { now: at.now });
  at.ms = 1_000;
  progress.show(() => ({ objects: 600, bytes: 4 << 20, fraction: 0.6 }));
  assert.equal(at.said(), '\r[2K60 %  600 objects  4 MiB  1 MiB/s');
  at.ms = 2_000;
  progress.show(() => ({ objects: 700, bytes: 5 << 20, fraction: 0.7 }));
  assert.equal(at.said(), '\r[2K70 %  700 objects  5 MiB  1 MiB/s  3 s left');
});

test('what is not known is left out; without bytes the rate is of objects', () => {
  const at = new Surroundings(true);
  const progress = new TransferProgress(at.io, NOTHING, { now: at.now });
  at.ms = 2_000;
  progress.show(() => ({ objects: 5_000, bytes: null, fraction: null }));
  assert.equal(at.said(), '\r[2K5,000 objects  2,500 objects/s');
  at.ms = 4_000;
  progress.show(() => ({ objects: null, bytes: 2_048, fraction: null }));
  assert.equal(at.said(), '\r[2K2 KiB  512 bytes/s');
});

test('elsewhere a line follows every ten seconds, and none where a program reads', () => {
  const at = new Surroundings(false);
  const progress = new TransferProgress(at.io, NOTHING, { now: at.now });
  const quiet = new TransferProgress(at.io, NOTHING, { now: at.now, isQuiet: true });
  for (at.ms = 0; at.ms <= 21_000; at.ms += 1_000) {
    const transferred = { objects: at.ms, bytes: null, fraction: at.ms / 40_000 };
    progress.show(() => transferred);
    quiet.show(() => transferred);
  }
  progress.erase();
  assert.equal(
    at.said(),
    '25 %  10,000 objects  1,000 objects/s  30 s left\n50 %  20,000 objects  1,000 objects/s  20 s left\n',
  );
});
