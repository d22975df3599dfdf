/** What a reader does with layouts: open, rename, copy, delete with undo, earlier states. */

import { DEFAULT_CHART } from '@tapeloom/charts/spec/chart-spec';
import type { Layout } from '@tapeloom/charts/spec/layout';
import { parseLayout } from '@tapeloom/charts/spec/parse-layout';
import type { Instrument } from '@tapeloom/client';
import { chartsApi } from '../../api/charts-api.ts';
import type { LayoutList, LayoutView, WholeLayout } from '../../api/portal-shapes.ts';
import { defaultLayout } from './default-layout.ts';
import type { DeskNotice } from './desk-notice.ts';
import { firstInstrument } from './instrument-search.ts';
import { freeName, type LayoutKeeper } from './layout-keeper.ts';
import { Store } from './store.ts';

const NAME_MAX = 60;

/** The workspace, as far as layouts concern it. */
export interface LayoutHost {
  readonly keeper: LayoutKeeper;
  readonly facts: { readonly instruments: readonly Instrument[] };
  /** The open one, with all changes. */
  readonly layout: Layout;
  show(layout: Layout): void;
  say(notice: DeskNotice | null): void;
}

const known = new WeakMap<LayoutHost, LayoutDesk>();

/** One for each workspace. */
export function layoutDeskOf(host: LayoutHost): LayoutDesk {
  const desk = known.get(host) ?? new LayoutDesk(host);
  known.set(host, desk);
  return desk;
}

export class LayoutDesk {
  /** Null: not asked for yet. */
  readonly list = new Store<LayoutList | null>(null);
  readonly #desk: LayoutHost;

  constructor(desk: LayoutHost) {
    this.#desk = desk;
  }

  async refresh(): Promise<void> {
    this.list.set(await chartsApi.layouts());
  }

  async open(id: string): Promise<void> {
    await this.#desk.keeper.flush();
    this.#show(await chartsApi.layout(id));
  }

  /** The first chart of a first visit; saved by its first change. */
  async fresh(): Promise<void> {
    const { keeper, facts } = this.#desk;
    await keeper.flush();
    keeper.unsaved(freeName('My charts', this.#names));
    this.#desk.show(defaultLayout(firstInstrument(facts.instruments, DEFAULT_CHART.instrument)));
  }

  async rename(name: string): Promise<void> {
    const { id } = this.#desk.keeper.shown.value;
    const trimmed = name.trim().slice(0, NAME_MAX);
    if (id === null) {
      await this.#desk.keeper.saveCopy(trimmed, this.#desk.layout);
    } else {
      await chartsApi.renameLayout(id, trimmed);
      this.#desk.keeper.renamed(trimmed);
    }
    await this.refresh();
  }

  async copy(): Promise<void> {
    const { keeper } = this.#desk;
    await keeper.flush();
    await keeper.saveCopy(freeName(keeper.shown.value.name, this.#names), this.#desk.layout);
    await this.refresh();
  }

  async remove(layout: Pick<LayoutView, 'id' | 'name'>): Promise<void> {
    const { keeper } = this.#desk;
    await chartsApi.deleteLayout(layout.id);
    if (keeper.shown.value.id === layout.id) keeper.unsaved(layout.name);
    await this.refresh();
    this.#desk.say({
      text: `“${layout.name}” was deleted. It can come back for 30 days.`,
      actions: [{ text: 'Undo', run: () => void this.bringBack(layout.id) }],
      lastsMs: 15_000,
    });
  }

  async bringBack(id: string): Promise<void> {
    const { keeper } = this.#desk;
    const back = await chartsApi.undeleteLayout(id);
    // What is on screen is that layout, as it was deleted.
    if (keeper.shown.value.id === null && keeper.shown.value.name === back.name) {
      keeper.opened(back);
    }
    this.#desk.say(null);
    await this.refresh();
  }

  async restore(id: string, state: number): Promise<void> {
    await this.#desk.keeper.flush();
    this.#show(await chartsApi.restoreLayout(id, state));
  }

  get #names(): readonly string[] {
    return this.list.value?.layouts.map(({ name }) => name) ?? [];
  }

  #show(whole: WholeLayout): void {
    const parsed = parseLayout(whole.layout);
    if ('layout' in parsed) {
      this.#desk.keeper.opened(whole);
      this.#desk.show(parsed.layout);
      return;
    }
    const isNewer = parsed.fault === 'newer';
    const reload = { text: 'Reload', run: () => location.reload() };
    this.#desk.say({ text: parsed.text, actions: isNewer ? [reload] : [] });
  }
}
