/**
 * The workspace at work: the open charts, their one connection, the layout that is saved and the replay. Components
 * read its stores and call its methods; they hold nothing themselves.
 */

import { HistoryBudget } from '@tapeloom/charts/feed/history-budget';
import { PlanRoom } from '@tapeloom/charts/feed/plan-room';
import { SharedConnection, type SharedState } from '@tapeloom/charts/feed/shared-connection';
import type { FeedActionId } from '@tapeloom/charts/feed/words';
import type { ChartSpec } from '@tapeloom/charts/spec/chart-spec';
import type { Layout } from '@tapeloom/charts/spec/layout';
import type { Tool, ViewHover, ViewTime } from '@tapeloom/charts/view/view-options';
import type { Instrument } from '@tapeloom/client';
import type { IndicatorDefinition } from '@tapeloom/core/studies/indicator';
import { onSessionEnded } from '../../api/call.ts';
import { chartsApi } from '../../api/charts-api.ts';
import type { AccountView, LayoutView, UsageView } from '../../api/portal-shapes.ts';
import { signInPath } from '../../shell/wanted-path.ts';
import { BROWSER_CLOCK, BROWSER_TEXTS, BROWSER_VISIBILITY, browserTabs } from './browser-ports.ts';
import { deskClient, streamToken } from './desk-client.ts';
import type { DeskNotice } from './desk-notice.ts';
import { type DeskUi, type DrawerState, FIRST_UI } from './desk-ui.ts';
import { LAST_LAYOUT } from './kept-layout.ts';
import { type KeptState, LayoutKeeper } from './layout-keeper.ts';
import { ReplaySwitch } from './replay-switch.ts';
import { Seat } from './seat.ts';
import { Store } from './store.ts';
import { WireLog } from './wire-log.ts';
import * as change from './workspace.ts';

const USAGE_MS = 60_000;

export interface DeskFacts {
  readonly account: AccountView;
  readonly usage: UsageView;
  readonly instruments: readonly Instrument[];
  readonly catalogue: readonly IndicatorDefinition[];
}

export interface FirstLayout {
  readonly layout: Layout;
  /** Null: it has not been saved. */
  readonly kept: LayoutView | null;
  readonly name: string | null;
  readonly isFirstVisit: boolean;
}

/** A spec that is shown but not saved, while a form is filled in. */
export interface Preview {
  readonly chart: string;
  readonly spec: ChartSpec;
}

export class Desk {
  readonly facts: DeskFacts;
  readonly workspace: Store<change.Workspace>;
  readonly ui: Store<DeskUi>;
  readonly usage: Store<UsageView>;
  readonly connection: Store<SharedState>;
  readonly notice = new Store<DeskNotice | null>(null);
  readonly preview = new Store<Preview | null>(null);
  readonly keeper: LayoutKeeper;
  readonly shared: SharedConnection;
  readonly budget: HistoryBudget;
  readonly room: PlanRoom;
  readonly wire = new WireLog();
  readonly replay: ReplaySwitch;
  readonly #seats = new Map<string, Seat>();
  readonly #leave: (() => void)[] = [];
  #kept: KeptState['t'] = 'unsaved';

  constructor(facts: DeskFacts, first: FirstLayout) {
    const { usage } = facts;
    this.facts = facts;
    this.workspace = new Store(change.workspaceOf(first.layout));
    this.ui = new Store({ ...FIRST_UI, hasHint: first.isFirstVisit });
    this.usage = new Store(usage);
    this.room = new PlanRoom(usage.plan, usage.limits);
    this.budget = new HistoryBudget({
      unitsPerMonth: usage.limits.computeBudget,
      store: BROWSER_TEXTS,
      wallMs: () => Date.now(),
    });
    const tabs = browserTabs();
    this.shared = new SharedConnection({
      token: streamToken,
      client: (token) => deskClient(token, this.wire),
      clock: BROWSER_CLOCK,
      connectionsMax: usage.limits.maxConnections,
      visibility: BROWSER_VISIBILITY,
      account: facts.account.id,
      ...(tabs === null ? {} : { tabs }),
    });
    this.connection = new Store(this.shared.state);
    this.keeper = new LayoutKeeper({
      routes: chartsApi,
      clock: BROWSER_CLOCK,
      onKnown: (id) => LAST_LAYOUT.write(id),
    });
    if (first.kept !== null) this.keeper.opened(first.kept);
    else this.keeper.unsaved(first.name ?? undefined);
    this.replay = new ReplaySwitch(this);
    this.#listen();
    this.#seatCharts();
  }

  seat(key: string): Seat {
    return this.#seats.get(key)!;
  }

  get inUse(): Seat {
    return this.seat(change.chartInUse(this.workspace.value).key);
  }

  get seats(): readonly Seat[] {
    return this.workspace.value.charts.map(({ key }) => this.seat(key));
  }

  definition(indicator: string): IndicatorDefinition | null {
    return this.facts.catalogue.find(({ id }) => id === indicator) ?? null;
  }

  instrument(name: string): Instrument | null {
    const { instruments } = this.facts;
    return instruments.find(({ alias, symbol }) => alias === name || symbol === name) ?? null;
  }

  /** A change by the reader: it is shown and saved. */
  changeSpec(key: string, alter: (spec: ChartSpec) => ChartSpec): void {
    const spec = change.specOf(this.workspace.value, key);
    if (spec !== null) this.#change(change.withSpec(this.workspace.value, key, alter(spec)));
  }

  /** As `changeSpec`, of the chart in use. */
  changeInUse(alter: (spec: ChartSpec) => ChartSpec): void {
    this.changeSpec(change.chartInUse(this.workspace.value).key, alter);
  }

  chooseInstrument(key: string, instrument: string): void {
    this.#change(change.withInstrument(this.workspace.value, key, instrument));
  }

  addChart(): void {
    this.#change(change.withChart(this.workspace.value));
  }

  closeChart(key: string): void {
    this.#change(change.withoutChart(this.workspace.value, key));
  }

  shareInstrument(sharesInstrument: boolean): void {
    this.#change({ ...this.workspace.value, sharesInstrument });
  }

  use(key: string): void {
    this.workspace.change((workspace) => change.inUse(workspace, key));
  }

  useNeighbour(by: 1 | -1): void {
    this.use(change.neighbour(this.workspace.value, by));
    this.inUse.view?.focus();
  }

  openDrawer(drawer: DrawerState | null): void {
    this.endPreview();
    this.ui.change((ui) => ({ ...ui, drawer }));
  }

  setUi(more: Partial<DeskUi>): void {
    this.ui.change((ui) => ({ ...ui, ...more }));
  }

  setTool(tool: Tool): void {
    this.setUi({ tool });
    for (const seat of this.seats) seat.view?.setTool(tool);
  }

  setSnapping(isSnapping: boolean): void {
    this.setUi({ isSnapping });
    for (const seat of this.seats) seat.view?.setSnap(isSnapping);
  }

  hideDrawings(areDrawingsHidden: boolean): void {
    this.setUi({ areDrawingsHidden });
    for (const seat of this.seats) seat.view?.setDrawingsHidden(areDrawingsHidden);
  }

  /** Shows a chart as a form would make it, without saving it. */
  showPreview(spec: ChartSpec): void {
    const chart = change.chartInUse(this.workspace.value).key;
    this.preview.set({ chart, spec });
    this.seat(chart).setSpec(spec);
  }

  endPreview(): void {
    const preview = this.preview.value;
    if (preview === null) return;
    this.preview.set(null);
    const spec = change.specOf(this.workspace.value, preview.chart);
    if (spec !== null) this.#seats.get(preview.chart)?.setSpec(spec);
  }

  /** Another layout takes the place of the open one. */
  show(layout: Layout): void {
    this.endPreview();
    this.replay.end();
    const from = change.nextNumber(this.workspace.value);
    this.workspace.set(change.workspaceOf(layout, from));
  }

  get layout(): Layout {
    return change.layoutOf(this.workspace.value);
  }

  /** Null: nothing more to say. */
  say(notice: DeskNotice | null): void {
    this.notice.set(notice);
    if (notice?.lastsMs === undefined) return;
    BROWSER_CLOCK.after(notice.lastsMs, () => {
      if (this.notice.value === notice) this.notice.set(null);
    });
  }

  hovered(key: string, hover: ViewHover | null): void {
    const from = this.seat(key);
    for (const { key: other } of change.linkedTo(this.workspace.value, key)) {
      const seat = this.seat(other);
      const isSame = seat.content.instrument?.name === from.content.instrument?.name;
      seat.link(hover === null || isSame ? hover : { ...hover, ticks: null });
    }
  }

  moved(key: string, time: ViewTime): void {
    for (const { key: other } of change.linkedTo(this.workspace.value, key)) {
      this.seat(other).view?.setLinkedTime(time);
    }
  }

  act(key: string, action: FeedActionId): void {
    const { shared } = this;
    const { feed, view } = this.seat(key);
    const acts: Readonly<Record<FeedActionId, () => void>> = {
      'try-now': () => shared.tryNow(),
      'use-here': () => shared.useHere(),
      resume: () => void this.resume(),
      'load-all': () => feed.loadAnyway('all'),
      'load-bars': () => feed.loadAnyway('bars'),
      'load-again': () => feed.loadAgain(),
      'go-last': () => view?.goToEnd(),
      'see-plans': () => location.assign('/plans'),
      'sign-in': () => location.assign(signInPath('/charts')),
    };
    acts[action]();
  }

  async refreshUsage(): Promise<void> {
    try {
      const usage = await chartsApi.usage();
      this.usage.set(usage);
      const { plan, limits } = usage;
      this.room.change(plan, limits);
      this.budget.unitsPerMonth = limits.computeBudget;
      this.shared.connectionsMax = limits.maxConnections;
    } catch {
      // The foot keeps what it knows.
    }
  }

  /** After a new sign-in, or with another plan. */
  async resume(): Promise<void> {
    await this.refreshUsage();
    this.shared.resume();
  }

  close(): void {
    for (const leave of this.#leave) leave();
    this.replay.end();
    for (const seat of this.#seats.values()) seat.close();
    this.keeper.close();
    void this.shared.close();
  }

  #change(next: change.Workspace): void {
    const before = this.workspace.value;
    this.workspace.set(next);
    if (next.charts !== before.charts || next.sharesInstrument !== before.sharesInstrument) {
      this.keeper.changed(change.layoutOf(next));
    }
  }

  #listen(): void {
    this.#leave.push(
      this.shared.onState((state) => this.connection.set(state)),
      this.workspace.listen(() => this.#seatCharts()),
      this.keeper.shown.listen(() => this.#sayConflict()),
      onSessionEnded(() => this.connection.set({ t: 'signed-out' })),
    );
    const timer = setInterval(() => {
      if (!BROWSER_VISIBILITY.isHidden) void this.refreshUsage();
    }, USAGE_MS);
    const flush = () => {
      if (BROWSER_VISIBILITY.isHidden) void this.keeper.flush();
    };
    this.#leave.push(() => clearInterval(timer), BROWSER_VISIBILITY.listen(flush));
  }

  async #copyLayout(): Promise<void> {
    const { layoutDeskOf } = await import('./layout-desk.ts');
    await layoutDeskOf(this).copy();
  }

  #sayConflict(): void {
    const { state, name } = this.keeper.shown.value;
    if (state.t === this.#kept) return;
    if (this.#kept === 'conflict') this.say(null);
    this.#kept = state.t;
    if (state.t === 'refused') this.say({ text: state.text, actions: [] });
    if (state.t !== 'conflict') return;
    this.say({
      text: `Another tab or device has saved “${name}” meanwhile. Nothing is lost.`,
      actions: [
        { text: 'Keep mine', run: () => void this.keeper.keepMine() },
        { text: 'Save mine as a copy', run: () => void this.#copyLayout() },
      ],
    });
  }

  /** Every open chart has a seat, and no other has. */
  #seatCharts(): void {
    const { charts } = this.workspace.value;
    for (const [key, seat] of this.#seats) {
      if (charts.some((chart) => chart.key === key)) continue;
      seat.close();
      this.#seats.delete(key);
    }
    for (const { key, spec } of charts) {
      const seat = this.#seats.get(key);
      if (seat === undefined) {
        const { shared: sources, budget, room } = this;
        const onLoaded = () => void this.refreshUsage();
        const made = new Seat({ key, spec, sources, clock: BROWSER_CLOCK, budget, room, onLoaded });
        this.#seats.set(key, made);
        made.open();
      } else if (seat.spec !== spec && this.preview.value?.chart !== key) seat.setSpec(spec);
    }
  }
}
