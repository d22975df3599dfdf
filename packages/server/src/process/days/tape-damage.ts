/**
 * Collects days that belong on the tape but cannot be read: damaged or missing. Whichever thread finds one, all threads
 * leave the day out and dependent cursors become invalid. The ingest thread checks the files and fetches them again if
 * other nodes have them; the operator gets a log line. A day is sound again when its files are.
 */

import type { UtcDay } from '@tapeloom/core/numbers';
import type { Log } from '../../platform/log/log.ts';
import type { DayDamage } from '../../runs/sound-tape.ts';
import { dayOfFile } from '../../tape/tape-paths.ts';

export interface TapeDamageOptions {
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Makes the reading threads leave a day out, or try it again. */
  readonly tellReaders: (contract: string, day: UtcDay, isDamaged: boolean) => void;
  /** What streams show, and which cursors are valid. */
  readonly epochs: {
    noteDamaged(contract: string, day: UtcDay): void;
    noteSound(contract: string, day: UtcDay): void;
  };
  /** Requests a check of a day's files; the result arrives at `checked`. */
  readonly check: (contract: string, day: UtcDay) => void;
  /** Files that were missing when the tape was opened: no results were shown with these days. */
  readonly missing: readonly string[];
}

export class TapeDamage {
  readonly #options: TapeDamageOptions;
  readonly #now = new Set<string>();
  readonly #damagedSinceStart = new Set<string>();
  readonly #missing: ReadonlySet<string>;

  constructor(options: TapeDamageOptions) {
    this.#options = options;
    this.#missing = new Set(options.missing.flatMap((file) => missingDay(file) ?? []));
  }

  get count(): number {
    return this.#damagedSinceStart.size;
  }

  /** A thread could not read a day, or found it missing (`error` is null). */
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

  checked(contract: string, day: UtcDay, isSound: boolean): void {
    if (isSound) this.sound(contract, day);
  }

  sound(contract: string, day: UtcDay): void {
    const { log, tellReaders, epochs } = this.#options;
    if (!this.#now.delete(`${contract} ${day}`)) return;
    log.warn({ contract, day }, 'a sealed day that could not be read is intact again');
    tellReaders(contract, day, false);
    epochs.noteSound(contract, day);
  }
}

function missingDay(file: string): string | null {
  const [name = '', symbol = ''] = file.split('/').reverse();
  const day = dayOfFile(name, 'json') ?? dayOfFile(name, 'arrow');
  return day === null ? null : `${symbol} ${day}`;
}
