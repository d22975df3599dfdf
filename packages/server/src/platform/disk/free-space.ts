/**
 * The free space where the data lies. One message is sent when it becomes low (less than a tenth, or than two days of
 * the tape need), and one when it suffices again. A margin between the two keeps a disk at the edge from filling the
 * log. If the platform does not report space, nothing is known.
 */

import { MINUTE_MS } from '@tapeloom/core/units';
import type { Clock } from '../clock.ts';
import type { Disk, DiskSpace } from './disk.ts';

const LOOK_EVERY_MS = MINUTE_MS;
/** The bytes of a day change slowly, and finding them takes a walk over files. */
const LOOKS_PER_DAY_BYTES = 60;
const LITTLE_SHARE = 0.1;
const LITTLE_DAYS = 2;
/** Space suffices again when it exceeds the low mark by this factor. */
const MARGIN = 1.1;

export interface SpaceReading extends DiskSpace {
  /** The bytes a day needs; 0 until known. */
  readonly dayBytes: number;
}

export interface FreeSpaceOptions {
  readonly disk: Pick<Disk, 'space'>;
  readonly directory: string;
  readonly clock: Pick<Clock, 'every'>;
  readonly dayBytes: () => Promise<number>;
  readonly onLittle: (reading: SpaceReading, why: string) => void;
  readonly onEnough: (reading: SpaceReading) => void;
  readonly onFault: (error: unknown) => void;
}

export class FreeSpace implements Disposable {
  readonly #options: FreeSpaceOptions;
  readonly #timer: Disposable;
  #reading: SpaceReading | null = null;
  #dayBytes = 0;
  #looks = 0;
  #isLittle = false;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
    const look = () => void this.look().catch(options.onFault);
    this.#timer = options.clock.every(LOOK_EVERY_MS, look);
    look();
  }

  /** At most a minute old; null if unknown. */
  get reading(): SpaceReading | null {
    return this.#reading;
  }

  async look(): Promise<void> {
    const { disk, directory, dayBytes, onLittle, onEnough } = this.#options;
    const isDue = this.#dayBytes === 0 || this.#looks % LOOKS_PER_DAY_BYTES === 0;
    this.#looks += 1;
    if (isDue) this.#dayBytes = await dayBytes();
    const space = await disk.space(directory);
    if (space === null) return;
    const reading = { ...space, dayBytes: this.#dayBytes };
    this.#reading = reading;
    const why = littleBecause(reading, this.#isLittle ? MARGIN : 1);
    if ((why !== null) === this.#isLittle) return;
    this.#isLittle = why !== null;
    if (why === null) onEnough(reading);
    else onLittle(reading, why);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}

/** Null: there is enough. */
export function littleBecause(
  { freeBytes, totalBytes, dayBytes }: SpaceReading,
  margin = 1,
): string | null {
  if (freeBytes < LITTLE_DAYS * dayBytes * margin) return 'less than two days of the tape need';
  return freeBytes < LITTLE_SHARE * totalBytes * margin ? 'less than a tenth of the disk' : null;
}
