import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import type { Layout } from '@tapeloom/charts/spec/layout';
import { PortalError } from '../../api/portal-error.ts';
import type { LayoutView } from '../../api/portal-shapes.ts';
import { freeName, LayoutKeeper, type LayoutRoutes, savedWord } from './layout-keeper.ts';

/** A clock whose timers run on command. */
class ToldClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void) {
    const timer = { at: this.#now + ms, call };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.call();
    }
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

/** Layouts as the service keeps them. */
class Kept implements LayoutRoutes {
  readonly saved: Layout[] = [];
  readonly names: string[] = [];
  state = 0;
  fault: PortalError | null = null;

  createLayout(name: string, layout: object): Promise<LayoutView> {
    this.names.push(name);
    return this.#kept(layout);
  }

  saveLayout(_id: string, state: number, layout: object): Promise<LayoutView> {
    if (state !== this.state)
      return Promise.reject(new PortalError('CONFLICT', '', { status: 409 }));
    return this.#kept(layout);
  }

  layout() {
    return Promise.resolve({ ...this.view, layout: this.saved.at(-1) });
  }

  get view(): LayoutView {
    const { state } = this;
    return { id: 'lay_1', name: 'Morning', createdAt: '1', updatedAt: '2', bytes: 3, state };
  }

  #kept(layout: object): Promise<LayoutView> {
    if (this.fault !== null) return Promise.reject(this.fault);
    this.saved.push(layout as Layout);
    this.state += 1;
    return Promise.resolve(this.view);
  }
}

const layoutWith = (instrument: string): Layout => ({
  version: 1,
  charts: [{ ...DEFAULT_CHART, instrument }],
  sharesInstrument: true,
});

function begun() {
  const clock = new ToldClock();
  const routes = new Kept();
  const known: string[] = [];
  const keeper = new LayoutKeeper({ routes, clock, onKnown: (id) => known.push(id) });
  const word = () => savedWord(keeper.shown.value.state);
  return { clock, routes, known, keeper, word };
}

test('a layout is saved two seconds after its last change, and made by the first', async () => {
  const { clock, routes, known, keeper, word } = begun();
  keeper.changed(layoutWith('ES.c.0'));
  await clock.pass(1_500);
  keeper.changed(layoutWith('NQ.c.0'));
  await clock.pass(1_900);
  assert.deepEqual(routes.saved, []);
  assert.equal(word(), 'saving');
  await clock.pass(100);
  assert.deepEqual(routes.saved, [layoutWith('NQ.c.0')]);
  assert.deepEqual(routes.names, ['My charts']);
  assert.deepEqual(known, ['lay_1']);
  assert.equal(word(), 'saved');
  keeper.changed(layoutWith('GC.c.0'));
  await clock.pass(2_000);
  assert.equal(routes.state, 2);
});

test('what another tab has saved is not overwritten before the reader has chosen', async () => {
  const { clock, routes, keeper, word } = begun();
  keeper.opened({ ...routes.view, state: 0 });
  routes.state = 4;
  keeper.changed(layoutWith('NQ.c.0'));
  await clock.pass(2_000);
  assert.equal(word(), 'two versions');
  keeper.changed(layoutWith('GC.c.0'));
  await clock.pass(60_000);
  assert.deepEqual(routes.saved, []);
  await keeper.keepMine();
  assert.deepEqual(routes.saved, [layoutWith('GC.c.0')]);
  assert.equal(word(), 'saved');
});

test('a copy is saved under another name, and is the layout from then on', async () => {
  const { routes, keeper, word } = begun();
  keeper.opened({ ...routes.view, state: 0 });
  await keeper.saveCopy('Morning 2', layoutWith('NQ.c.0'));
  assert.deepEqual(routes.names, ['Morning 2']);
  assert.equal(word(), 'saved');
});

test('without the service it is tried again; what the service refuses is not', async () => {
  const { clock, routes, keeper, word } = begun();
  routes.fault = new PortalError('UNREACHABLE', 'The service did not respond.');
  keeper.changed(layoutWith('ES.c.0'));
  await clock.pass(2_000);
  assert.equal(word(), 'not saved');
  routes.fault = null;
  await clock.pass(15_000);
  assert.equal(word(), 'saved');
  routes.fault = new PortalError('INVALID_PARAMETERS', 'No.', { status: 400 });
  keeper.changed(layoutWith('NQ.c.0'));
  await clock.pass(2_000);
  routes.fault = null;
  await clock.pass(60_000);
  assert.equal(routes.saved.length, 1);
  assert.equal(word(), 'not saved');
});

test('a layout that is too large says so and is not sent', async () => {
  const { clock, routes, keeper } = begun();
  const drawings = Array.from({ length: 60 }, (_, at) => ({
    ...{ kind: 'line' as const, key: `d${at}`, ticks: at, text: 'x'.repeat(300) },
  }));
  keeper.changed({ ...layoutWith('ES.c.0'), charts: [{ ...DEFAULT_CHART, drawings }] });
  await clock.pass(2_000);
  const { state } = keeper.shown.value;
  assert.ok(state.t === 'refused' && state.text.includes('16,000 bytes'));
  assert.deepEqual(routes.saved, []);
});

test('a layout that was deleted elsewhere is saved again by the next change', async () => {
  const { clock, routes, keeper, word } = begun();
  keeper.opened({ ...routes.view, state: 0 });
  routes.fault = new PortalError('NOT_FOUND', '', { status: 404 });
  keeper.changed(layoutWith('ES.c.0'));
  await clock.pass(2_000);
  assert.equal(word(), 'not saved');
  routes.fault = null;
  keeper.changed(layoutWith('NQ.c.0'));
  await clock.pass(2_000);
  assert.deepEqual(routes.names, ['Morning']);
  assert.equal(word(), 'saved');
});

test('before the page goes, what is left is saved at once', async () => {
  const { routes, keeper } = begun();
  keeper.changed(layoutWith('ES.c.0'));
  await keeper.flush();
  assert.equal(routes.saved.length, 1);
  await keeper.flush();
  assert.equal(routes.saved.length, 1);
});

test('a copy has the next free name', () => {
  assert.equal(freeName('Morning', []), 'Morning');
  assert.equal(freeName('Morning', ['Morning', 'Morning 2']), 'Morning 3');
  assert.equal(freeName('Morning 2', ['Morning', 'Morning 2']), 'Morning 3');
});
