/** A sealed tape of a few days, and the cache commands on it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDays, utcDay } from '@tapeloom/core/utc-day';
import { runFill } from '@tapeloom/server/markets/sim/fill';
import type { CommandBody } from '../src/command.ts';
import { cacheClearCommand } from '../src/commands/cache-clear.ts';
import { cacheLsCommand } from '../src/commands/cache-ls.ts';
import { cacheWarmCommand } from '../src/commands/cache-warm.ts';
import { RecordedIo, type RecordedIoOptions } from './recorded-io.ts';

const COMMANDS: Readonly<Record<string, CommandBody>> = {
  ls: cacheLsCommand,
  clear: cacheClearCommand,
  warm: cacheWarmCommand,
};

/** Monday to Thursday of ESH6. */
export const DAYS = [20260223, 20260224, 20260225, 20260226].map(utcDay);

export class CacheRig implements Disposable {
  readonly data = mkdtempSync(join(tmpdir(), 'tapeloom-cli-cache-'));

  static async make(): Promise<CacheRig> {
    const rig = new CacheRig();
    const setup = {
      tapeRoot: join(rig.data, 'tape'),
      sim: { seed: 7, printsScale: 0.01 },
      today: utcDay(20260301),
    };
    // One more day before them, for look-backs.
    const days = [addDays(DAYS[0]!, -1), ...DAYS];
    const items = days.map((day) => ({ symbol: 'ESH6', day }));
    await runFill(setup, items, () => {}, new AbortController().signal);
    return rig;
  }

  async run(words: readonly string[], io: RecordedIoOptions = {}) {
    const recorded = new RecordedIo({ ...io, env: { TAPELOOM_DATA: this.data, ...io.env } });
    const code = await COMMANDS[words[0]!]!.run(words.slice(1), recorded);
    return { code, out: recorded.out, err: recorded.err };
  }

  /** Warms the bars of ESH6 from the first day, or as `words` override. */
  async warm(words: readonly string[] = [], io: RecordedIoOptions = {}) {
    const usual = ['--instrument', 'ESH6', '--indicator', 'bars', '--from', '2026-02-23'];
    return await this.run(['warm', ...usual, ...words], io);
  }

  async json<T>(...words: readonly string[]): Promise<T> {
    return JSON.parse((await this.run([...words, '--json'])).out) as T;
  }

  [Symbol.dispose](): void {
    rmSync(this.data, { recursive: true, force: true });
  }
}
