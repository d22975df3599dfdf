/**
 * A chart without a screen: what it shows, where it looks, what is selected and drawn. Gestures and keys change it,
 * `frame` makes its scene, events tell the outside. Whoever shows it paints the batches.
 */

import type { Batch } from '../scene/batch.ts';
import { type ChartLayout, type ChartSize, chartLayout } from '../scene/chart-layout.ts';
import { chartScene } from '../scene/chart-scene.ts';
import type { CellHit } from '../scene/hit.ts';
import type { ChartScene, ColumnRange, SceneInput, TimeText } from '../scene/scene-types.ts';
import { ShapePool } from '../scene/shapes.ts';
import { timeTexts } from '../scene/time-text.ts';
import type { ChartBar } from '../series/chart-bar.ts';
import type { ChartContent } from '../series/chart-content.ts';
import { sessionAt } from '../series/sessions.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { CellGlow } from './cell-glow.ts';
import { countdownText } from './countdown.ts';
import { Crosshair } from './crosshair.ts';
import { columnTimes } from './drawing-places.ts';
import { DrawingTool, pointOf } from './drawing-tool.ts';
import type { ModelParts } from './model-parts.ts';
import { RangeSelection } from './range-selection.ts';
import type { Tool, ViewCommand, ViewHover, ViewState } from './view-options.ts';
import { openingWidth, Viewport } from './viewport.ts';

/** A wait shorter than this needs no sign. */
const GHOSTS_AFTER_MS = 300;
const NS_PER_MS = 1_000_000;

export type ModelEvent =
  | { readonly t: 'change'; readonly of: 'picture' | 'crosshair' }
  | { readonly t: 'spec'; readonly spec: ChartSpec }
  | { readonly t: 'tool'; readonly tool: Tool }
  | { readonly t: 'range'; readonly range: ColumnRange | null }
  | { readonly t: 'command'; readonly command: ViewCommand }
  | { readonly t: 'edit-text'; readonly key: string }
  | { readonly t: 'say'; readonly text: string }
  | { readonly t: 'need-back' };

export interface ModelOptions {
  readonly content: ChartContent;
  readonly spec: ChartSpec;
  readonly parts: ModelParts;
  readonly hear: (event: ModelEvent) => void;
  /** Older bars are asked for at the opening too, if they have room on screen. */
  readonly isFilled?: boolean;
}

export class ViewModel {
  readonly viewport: Viewport;
  readonly crosshair = new Crosshair();
  readonly range = new RangeSelection();
  readonly drawings: DrawingTool;
  readonly parts: ModelParts;
  readonly tell: (event: ModelEvent) => void;
  isSnapping = true;
  areDrawingsHidden = false;
  isStale = false;
  /** A hand draws, moves or drags something: cards stay away. */
  isBusy = false;
  edgeText: string | null = null;
  /** The window moved by a hand here, not by a linked chart. */
  hasMovedTime = false;
  #content: ChartContent;
  #spec: ChartSpec;
  #sums: SessionSums | null = null;
  #tool: Tool = 'crosshair';
  #size: ChartSize;
  #textScale = 1;
  #hasForcedColours = false;
  #layout: ChartLayout | null = null;
  #timeText: TimeText;
  #zoneKey = '';
  #scene: ChartScene | null = null;
  #input: SceneInput | null = null;
  readonly #pool = new ShapePool();
  readonly #crosshairPool = new ShapePool();
  readonly #glow = new CellGlow();
  #now = 0;
  #tape: { readonly ns: bigint; readonly since: number } | null = null;
  #loadingSince: number | null = null;
  #wantsBack = false;
  readonly #isFilled: boolean;
  #hasBars = false;

  constructor(options: ModelOptions, size: ChartSize) {
    const { content, spec, parts, hear, isFilled = false } = options;
    this.#isFilled = isFilled;
    this.#content = content;
    this.#spec = spec;
    this.#size = size;
    this.parts = parts;
    this.tell = hear;
    this.#timeText = timeTexts(spec.zone, null);
    this.viewport = new Viewport(openingWidth(spec, size));
    const times = columnTimes(() => this.#content.bars);
    this.drawings = new DrawingTool(spec.drawings, times);
    this.takeContent();
  }

  get content(): ChartContent {
    return this.#content;
  }

  get spec(): ChartSpec {
    return this.#spec;
  }

  get tool(): Tool {
    return this.#tool;
  }

  get size(): ChartSize {
    return this.#size;
  }

  get textScale(): number {
    return this.#textScale;
  }

  get timeText(): TimeText {
    return this.#timeText;
  }

  get count(): number {
    return this.#content.bars.columns.length;
  }

  get layout(): ChartLayout {
    this.#layout ??= chartLayout(this.#size, this.#spec, this.#content, this.#textScale);
    return this.#layout;
  }

  /** Of the last frame. */
  get scene(): ChartScene | null {
    return this.#scene;
  }

  get input(): SceneInput | null {
    return this.#input;
  }

  setSize(size: ChartSize, textScale: number, hasForcedColours: boolean): void {
    this.#size = size;
    this.#textScale = textScale;
    this.#hasForcedColours = hasForcedColours;
    this.#layout = null;
    this.changed();
  }

  /** From outside; the page knows it already. */
  setSpec(spec: ChartSpec): void {
    this.#spec = spec;
    this.#layout = null;
    this.drawings.load(spec.drawings);
    this.#chooseZone();
    this.changed();
  }

  /** A hand or a key changed it here. */
  changeSpec(part: Partial<ChartSpec>): void {
    this.setSpec({ ...this.#spec, ...part });
    this.tell({ t: 'spec', spec: this.#spec });
  }

  /** The drawings as they are saved go into the spec. */
  keepDrawings(): void {
    if (this.drawings.saved !== this.#spec.drawings) {
      this.changeSpec({ drawings: this.drawings.saved });
    }
    this.changed();
  }

  setContent(content: ChartContent): void {
    this.#content = content;
    this.#glow.clear();
    this.takeContent();
  }

  setSums(sums: SessionSums | null): void {
    if (sums === this.#sums) return;
    this.#sums = sums;
    this.changed();
  }

  setTool(tool: Tool): void {
    if (tool === this.#tool) return;
    if (this.drawings.isDrafting) this.drawings.cancel();
    this.range.close();
    this.#tool = tool;
    this.tell({ t: 'tool', tool });
    this.changed();
  }

  /** The content has other bars, objects or states than before. */
  takeContent(): void {
    const shift = this.viewport.take(this.#content.bars);
    if (shift !== 0) {
      this.crosshair.shift(shift);
      this.range.shift(shift, this.count);
    }
    const hasBars = this.count > 0;
    if (this.#isFilled && hasBars && !this.#hasBars) this.#wantsBack = true;
    this.#hasBars = hasBars;
    this.#layout = null;
    this.#chooseZone();
    this.changed();
  }

  changed(): void {
    this.tell({ t: 'change', of: 'picture' });
  }

  crosshairChanged(): void {
    if (this.range.isOpen) this.range.extend(this.hoverColumn ?? this.count - 1);
    this.tell({ t: 'change', of: this.range.isOpen ? 'picture' : 'crosshair' });
  }

  /** A hand moved or zoomed the picture: older bars may be wanted now. */
  moved(): void {
    this.hasMovedTime = true;
    this.#wantsBack = true;
    this.changed();
  }

  setRange(change: () => void): void {
    const before = this.range.columns;
    change();
    const range = this.range.columns;
    if (before?.from === range?.from && before?.to === range?.to) return;
    this.tell({ t: 'range', range });
    this.changed();
  }

  /** The column under the crosshair, own or linked. */
  get hoverColumn(): number | null {
    return this.crosshair.hover(this.viewport.window, this.layout, this.count)?.column ?? null;
  }

  /** What lies under the chart's own crosshair. */
  get hit(): CellHit | null {
    const [scene, input] = [this.#scene, this.#input];
    const point = this.crosshair.screenPoint(this.viewport.window, this.layout);
    if (scene === null || input === null || point === null) return null;
    return this.parts.hand.now?.cellAt(scene, input, point.x, point.y) ?? null;
  }

  /** Where the chart's own crosshair is, for linked charts. */
  get ownHover(): ViewHover | null {
    const { window } = this.viewport;
    const hover = this.crosshair.hover(window, this.layout, this.count);
    const column = hover === null ? undefined : this.#content.bars.columns[hover.column];
    if (hover === null || hover.isLinked || column === undefined) return null;
    const at = this.crosshair.ticks(window, this.layout);
    const { group = 1, numbers = 0 } = this.#scene?.cell ?? {};
    // As the chart's own tag: where rows have numbers, the row's lowest price.
    const ticks = at === null || numbers === 0 ? at : Math.floor(at / group) * group;
    return { column: hover.column, ns: column.fromNs, ticks };
  }

  /** A second changes the picture. */
  get hasCountdown(): boolean {
    const text = this.#input?.countdownText;
    return text !== null && text !== undefined && this.#spec.bar.kind === 'time';
  }

  /** The dragged range becomes a drawing. */
  keepRange(): void {
    const range = this.range.columns;
    const { columns } = this.#content.bars;
    const [first, last] = range === null ? [] : [columns[range.from], columns[range.to - 1]];
    if (range === null || first === undefined || last === undefined) return;
    const bars = columns.slice(range.from, range.to).filter((column) => column.kind === 'bar');
    const low = bars.reduce((least, bar) => Math.min(least, bar.low), Number.POSITIVE_INFINITY);
    const high = bars.reduce((most, bar) => Math.max(most, bar.high), Number.NEGATIVE_INFINITY);
    if (bars.length === 0) return;
    this.drawings.add({
      ...{ key: this.drawings.newKey, kind: 'range', text: '' },
      from: pointOf({ ns: first.fromNs, ticks: low }),
      to: pointOf({ ns: last.fromNs, ticks: high }),
    });
    this.setRange(() => this.range.clear());
    this.keepDrawings();
  }

  /** The next picture; true if another frame should follow. */
  frame(now: number, hasMotion: boolean): boolean {
    const ms = now - this.#now;
    this.#now = now;
    const { bars } = this.#content;
    const isMoving = this.viewport.step(ms, this.layout, this.#content, this.#spec, hasMotion);
    if (this.viewport.isGliding) this.moved();
    this.#glow.step(now);
    if (hasMotion && !this.isStale) this.#glow.take(bars.last, now);
    else this.#glow.clear();
    const isLate = this.#watchLoading(now);
    this.#input = this.#sceneInput(now);
    this.parts.needFor(this.#input);
    this.#scene = chartScene(this.#input, this.parts.forScenes);
    this.#askBack();
    return isMoving || isLate || (this.#glow.isActive && this.#scene.cell.kind !== 'candles');
  }

  /** Of the upper canvas, above the last frame's picture; empty without a crosshair. */
  crosshairBatches(): readonly Batch[] {
    const [scene, input] = [this.#scene, this.#input];
    const hover = this.crosshair.hover(this.viewport.window, this.layout, this.count);
    if (scene === null || input === null || hover === null) return [];
    const { hand, forScenes } = this.parts;
    hand.need();
    return hand.now?.crosshairScene(scene, input, hover, this.#crosshairPool, forScenes) ?? [];
  }

  get state(): ViewState {
    const scene = this.#scene;
    const [from, to] = scene?.shown ?? [0, 0];
    return {
      group: scene?.cell.group ?? 1,
      cell: scene?.cell.kind ?? 'candles',
      isAtEnd: this.viewport.follows,
      isAutoFit: this.viewport.window.isAuto,
      shown: { from, to },
      canUndo: this.drawings.canUndo,
      canRedo: this.drawings.canRedo,
      selected: this.drawings.selected?.key ?? null,
      areDrawingsHidden: this.areDrawingsHidden,
    };
  }

  #sceneInput(now: number): SceneInput {
    const glow = this.#glow;
    return {
      content: this.#content,
      spec: this.#spec,
      window: this.viewport.window,
      size: this.#size,
      sums: this.#sums,
      range: this.range.columns,
      drawings: this.drawings.all,
      timeText: this.#timeText,
      isStale: this.isStale,
      countdownText: this.isStale ? null : this.#countdown(now),
      textScale: this.#textScale,
      selectedDrawing: this.drawings.selected?.key ?? null,
      areDrawingsHidden: this.areDrawingsHidden,
      ...(glow.isActive && {
        glow: (ticks: number, side: -1 | 1) => glow.strength(ticks, side, now),
      }),
      hasGhosts: this.#loadingSince !== null && now - this.#loadingSince >= GHOSTS_AFTER_MS,
      edgeText: this.edgeText,
      hasForcedColours: this.#hasForcedColours,
      pool: this.#pool,
    };
  }

  /** The tape goes on between its messages. */
  #countdown(now: number): string | null {
    const { bars, sessions, tapeNs } = this.#content;
    if (tapeNs !== null && tapeNs !== this.#tape?.ns) this.#tape = { ns: tapeNs, since: now };
    const nowNs =
      this.#tape === null
        ? null
        : this.#tape.ns + BigInt(Math.round((now - this.#tape.since) * NS_PER_MS));
    const last: ChartBar | null = bars.last;
    const session = last === null ? undefined : sessions[sessionAt(sessions, last.fromNs)];
    const regularClose = this.#spec.bar.session === 'rth' ? session?.regular?.closeNs : undefined;
    return countdownText(this.#spec.bar, last, nowNs, regularClose ?? session?.closeNs ?? null);
  }

  /** True while it waits to show that older bars are loading. */
  #watchLoading(now: number): boolean {
    if (this.#content.edge.t !== 'loading') {
      this.#loadingSince = null;
      return false;
    }
    this.#loadingSince ??= now;
    return now - this.#loadingSince < GHOSTS_AFTER_MS;
  }

  #askBack(): void {
    if (!this.#wantsBack || this.#content.edge.t !== 'more') return;
    if (this.viewport.seesBegin(this.layout)) this.tell({ t: 'need-back' });
    else this.#wantsBack = false;
  }

  #chooseZone(): void {
    const { zone } = this.#spec;
    const timeZone = this.#content.instrument?.timeZone ?? null;
    const key = `${zone} ${timeZone}`;
    if (key === this.#zoneKey) return;
    this.#zoneKey = key;
    this.#timeText = timeTexts(zone, timeZone);
  }
}
