/** A service with history in this process, and the customer commands that call it. */

import { fillMarket } from '../../server/testing/history/history-market.ts';
import { readingBy, type Usage } from '../../server/testing/history/history-requests.ts';
import { RestService } from '../../server/testing/rest/rest-service.ts';
import { estimateCommand } from '../src/commands/estimate.ts';
import { exportCommand } from '../src/commands/export.ts';
import { historyCommand } from '../src/commands/history.ts';
import { dispatch } from '../src/dispatch.ts';
import { RecordedIo, type RecordedIoOptions } from './recorded-io.ts';

const COMMANDS = [estimateCommand, historyCommand, exportCommand];

/** Two days of ESZ6. */
export const TWO_DAYS = ['--from', '2026-11-09', '--to', '2026-11-11'] as const;

export class HistoryRig implements AsyncDisposable {
  readonly service: RestService;
  readonly url: string;
  readonly accountId: string;
  readonly key: string;

  private constructor(service: RestService, url: string, accountId: string, key: string) {
    this.service = service;
    this.url = url;
    this.accountId = accountId;
    this.key = key;
  }

  static async start(): Promise<HistoryRig> {
    const service = await RestService.start();
    fillMarket(service);
    const url = `http://127.0.0.1:${await service.listen()}`;
    const accountId = await service.account('history');
    const { secret } = await service.key(accountId);
    return new HistoryRig(service, url, accountId, secret);
  }

  get env(): Readonly<Record<string, string>> {
    return { TAPELOOM_URL: this.url, TAPELOOM_KEY: this.key };
  }

  /** Runs a command with this rig's address and key; returns its output and its cost. */
  async run(words: readonly string[], options: RecordedIoOptions = {}) {
    const before = await this.unitsUsed();
    const io = new RecordedIo({ ...options, env: { ...this.env, ...options.env } });
    const code = await dispatch(COMMANDS, '1.2.3', words, io);
    const units = (await this.unitsUsed()) - before;
    return { code, out: io.out, err: io.err, asked: io.asked, units };
  }

  async unitsUsed(): Promise<number> {
    const { body } = await this.service.get<Usage>('/v1/usage', { key: this.key });
    return body.used.computeUnits;
  }

  /** Holds results after the first day until `release` is called. */
  holdAfterFirstDay(): { readonly release: () => void } {
    const { service } = this;
    const { sources } = service;
    const released = Promise.withResolvers<void>();
    service.sources = readingBy(sources, async (request) => {
      const read = await sources.days.read(request);
      let taken = 0;
      return {
        next: async () => {
          taken += 1;
          if (taken > 1) await released.promise;
          return await read.next();
        },
        [Symbol.asyncDispose]: () => read[Symbol.asyncDispose](),
      };
    });
    return {
      release: () => {
        service.sources = sources;
        released.resolve();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}
