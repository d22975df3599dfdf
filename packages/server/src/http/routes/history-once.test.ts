/** A page that is requested again because its response never came: charged once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillMarket } from '../../../testing/history/history-market.ts';
import {
  address,
  type Fields,
  HistoryReader,
  leave,
  type Page,
  RANGE,
  readingBy,
  TICK_BARS,
} from '../../../testing/history/history-requests.ts';
import { RestService } from '../../../testing/rest/rest-service.ts';

const HOUR_MS = 3_600_000;

class Pages {
  readonly service: RestService;
  readonly reader: HistoryReader;

  private constructor(service: RestService, key: string) {
    this.service = service;
    this.reader = new HistoryReader(service, key);
  }

  static async of(service: RestService): Promise<Pages> {
    fillMarket(service);
    return new Pages(service, await service.customer('history'));
  }

  async ask(idempotencyKey: string, fields: Fields) {
    const { status, headers, body } = await this.service.get<Page>(address('/v1/history', fields), {
      key: this.reader.key,
      headers: { 'idempotency-key': idempotencyKey },
    });
    return { status, page: body, isReplayed: headers['idempotent-replayed'] === 'true' };
  }

  async used(): Promise<readonly [units: number, items: number]> {
    const { used } = await this.reader.usage();
    return [used.computeUnits, used.historyItems];
  }

  pass(ms: number): void {
    this.service.clock.advance(ms);
    this.service.market.tapeTime = this.service.clock.now();
  }
}

test('a page that is asked for again with its Idempotency-Key is the same page, charged once [COUNT-14] [USE-10]', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  // Without an end: a new query would reach further each time.
  const { to: _to, ...open } = RANGE;
  for (const fields of [open, { ...open, to: '2027-01-01' }, { ...RANGE, limit: '100' }]) {
    const key = JSON.stringify(fields);
    const [units, items] = await pages.used();
    const first = await pages.ask(key, fields);
    assert.deepEqual([first.status, first.isReplayed], [200, false]);
    pages.pass(HOUR_MS / 4);
    const again = await pages.ask(key, fields);
    assert.deepEqual([again.status, again.isReplayed], [200, true]);
    assert.deepEqual(again.page, first.page);
    const { computeUnits, items: read } = first.page;
    assert.deepEqual(await pages.used(), [units + computeUnits, items + read.length]);
  }
});

test('ten repeats are free, and further ones are charged like any page', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  const { to: _to, ...open } = RANGE;
  const first = await pages.ask('one', open);
  const { computeUnits } = first.page;
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await pages.ask('one', open)).isReplayed, true);
  }
  assert.equal((await pages.used())[0], computeUnits);
  pages.pass(HOUR_MS / 4);
  const charged = await pages.ask('one', open);
  assert.deepEqual([charged.status, charged.isReplayed], [200, false]);
  assert.deepEqual(charged.page, first.page);
  assert.equal((await pages.used())[0], 2 * computeUnits);
});

test('an hour later, with another text or with none, the same page is charged anew', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  const first = await pages.ask('one', RANGE);
  pages.pass(HOUR_MS);
  assert.equal((await pages.ask('one', RANGE)).isReplayed, false);
  assert.equal((await pages.ask('two', RANGE)).isReplayed, false);
  await pages.reader.page(RANGE);
  assert.equal((await pages.used())[0], 4 * first.page.computeUnits);
});

test('the same Idempotency-Key with another page is refused: what was paid is that page alone', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  await pages.ask('one', { ...RANGE, limit: '1' });
  const { status } = await pages.ask('one', { ...RANGE, limit: '1000' });
  assert.equal(status, 400);
});

test('attempts that meet are charged once', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  const { to: _to, ...open } = RANGE;
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => pages.ask('together', { ...open, params: TICK_BARS })),
  );
  const units = new Set(answers.map(({ page }) => page.computeUnits));
  assert.equal(answers.filter(({ isReplayed }) => !isReplayed).length, 1);
  assert.equal(units.size, 1);
  assert.deepEqual((await pages.used())[0], [...units][0]);
  const { remaining, limits, used } = await pages.reader.usage();
  assert.equal(remaining.computeUnits, limits.computeBudget - used.computeUnits);
});

test('what failed or was refused was not paid, and its next attempt is', async () => {
  await using service = await RestService.start();
  const pages = await Pages.of(service);
  const { sources } = service;
  service.sources = readingBy(sources, () => {
    throw new Error('broken');
  });
  assert.equal((await pages.ask('a', RANGE)).status, 500);
  service.sources = sources;
  assert.deepEqual(await pages.used(), [0, 0]);
  const { status, isReplayed, page } = await pages.ask('a', RANGE);
  assert.deepEqual([status, isReplayed], [200, false]);
  assert.equal((await pages.used())[0], page.computeUnits);
});

test('a page that was paid is given again when nothing is left of the budget', async () => {
  await using service = await RestService.start();
  const account = await service.account('history');
  const { secret } = await service.key(account);
  fillMarket(service);
  const reader = new HistoryReader(service, secret);
  const headers = { 'idempotency-key': 'paid' };
  const ask = () => service.get<Page>(address('/v1/history', RANGE), { key: secret, headers });
  const first = await ask();
  const { limits, used } = await reader.usage();
  await leave(service, account, 'computeUnits', limits.computeBudget, used.computeUnits);
  const again = await ask();
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, first.body);
});
