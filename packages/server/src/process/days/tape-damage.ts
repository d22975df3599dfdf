/**
 * The one place that hears of days which belong on the tape and cannot be read: damaged, or gone. Whichever thread
 * finds one, all threads leave it out, cursors that depend on it end, the thread that holds the tape checks its files
 * and fetches them again where other nodes have them, and the operator is told. A day is sound again when its files are.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Log } from '../../platform/log/log.ts';
import type { DayDamage } from '../../runs/sound-tape.ts';
import { dayOfFile } from '../../tape/tape-paths.ts';

export interface TapeDamageOptions {
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Threads that read the tape leave a day out, or try it again. */
  readonly tellReaders: (contract: string, day: UtcDay, isDamaged: boolean) => void;
  /** What streams show of it, and which cursors are good. */
  readonly epochs: {
    noteDamaged(contract: string, day: UtcDay): void;
    noteSound(contract: string, day: UtcDay): void;
  };
  /** Has the files of a day checked; whether they are sound is told by `checked`. */
  readonly check: (contract: string, day: UtcDay) => void;
  /** Files that were found missing when the tape was opened: nothing was shown with these days. */
  readonly missing: readonly string[];
}

export class TapeDamage {
  readonly #options: TapeDamageOptions;
  /** Contract and day. */
  readonly #now = new Set<string>();
  readonly #damagedSinceStart = new Set<string>();
  readonly #missing: ReadonlySet<string>;

  constructor(options: TapeDamageOptions) {
    this.#options = options;
    this.#missing = new Set(options.missing.flatMap((file) => missingDay(file) ?? []));
  }

  /** Days that were found damaged since the start. */
  get count(): number {
    return this.#damagedSinceStart.size;
  }

  /** A thread could not read a day, or has found it gone where `error` is null. */
  found({ contract, day, error }: DayDamage): void {
    const { log, tellReaders, epochs, check } = this.#options;
    const key = `${contract} ${day}`;
    if (error === null && this.#missing.has(key)) return;
    if (!this.#now.has(key)) {
      const what = error === null ? 'is gone from the tape' : 'is damaged';
      log.error({ contract, day, error }, `a sealed day ${what}; see tapeloom tape verify`);
    }
    this.#now.add(key);
    if (error !== null) {
      this.#damagedSinceStart.add(key);
      tellReaders(contract, day, true);
    }
    epochs.noteDamaged(contract, day);
    check(contract, day);
  }

  /** Its files were looked at. */
  checked(contract: string, day: UtcDay, isSound: boolean): void {
    if (isSound) this.sound(contract, day);
  }

  /** Its files are what they should be. */
  sound(contract: string, day: UtcDay): void {
    const { log, tellReaders, epochs } = this.#options;
    if (!this.#now.delete(`${contract} ${day}`)) return;
    log.warn({ contract, day }, 'a sealed day that could not be read is intact again');
    tellReaders(contract, day, false);
    epochs.noteSound(contract, day);
  }
}

/** Contract and day. */
function missingDay(file: string): string | null {
  const [name = '', symbol = ''] = file.split('/').reverse();
  const day = dayOfFile(name, 'json') ?? dayOfFile(name, 'arrow');
  return day === null ? null : `${symbol} ${day}`;
}
