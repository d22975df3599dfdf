/**
 * The chart in a page: two canvases in one tab stop, gestures, keys, cards and tools around the scene. It draws only when
 * something changed. It needs `view.css`, and the colour tokens on an ancestor.
 */

import type { FeedActionId, HemText } from '../feed/words.ts';
import type { CellHit } from '../scene/hit.ts';
import type { ChartScene, SceneInput, TimeText } from '../scene/scene-types.ts';
import type { ChartContent } from '../series/chart-content.ts';
import type { SessionSums } from '../series/sums.ts';
import type { ChartSpec } from '../spec/chart-spec.ts';
import { Announcer } from './announcer.ts';
import type { TableOptions } from './chart-table.ts';
import { element } from './dom.ts';
import { FrameLoop, type Needed } from './frame-loop.ts';
import { HemCard, NothingCard } from './hem-card.ts';
import { keyAction } from './keys.ts';
import { Surface } from './surface.ts';
import { ViewHand } from './view-hand.ts';
import { type ModelEvent, ViewModel } from './view-model.ts';
import type {
  ChartViewOptions,
  PictureOptions,
  Tool,
  ViewHover,
  ViewState,
  ViewTime,
} from './view-options.ts';
import { connectPointers } from './view-pointers.ts';
import { ViewReports } from './view-reports.ts';

/** The time left in a bar is written to the second. */
const COUNTDOWN_MS = 1000;

export class ChartView {
  readonly root: HTMLElement;
  readonly #options: ChartViewOptions;
  readonly #surface: Surface;
  readonly #model: ViewModel;
  readonly #hand: ViewHand;
  readonly #hemCard: HemCard;
  readonly #nothing: NothingCard;
  readonly #announcer: Announcer;
  readonly #reports: ViewReports;
  readonly #end = new AbortController();
  readonly #loop: FrameLoop;
  #stopHearing: () => void;
  #second: { cancel(): void } | null = null;
  #isCompact: boolean;
  #wasUsed = false;

  constructor(root: HTMLElement, options: ChartViewOptions) {
    const { content, spec, clock, isFilled = false } = options;
    this.root = root;
    this.#options = options;
    this.#isCompact = options.isCompact ?? false;
    const status = element('div', 'tl-status', { attributes: { role: 'status' } });
    this.#announcer = new Announcer(clock, (text) => {
      status.textContent = text;
    });
    this.#loop = new FrameLoop(clock, (needed) => this.#draw(needed));
    this.#surface = new Surface(root);
    this.#reports = new ViewReports(this.#surface.stage, options);
    const hear = (event: ModelEvent) => this.#hear(event);
    this.#hand = this.#makeHand();
    const { parts } = this.#hand;
    this.#model = new ViewModel({ content, spec, hear, parts, isFilled }, this.#surface.size);
    this.#hemCard = new HemCard(root, (action) => this.#act(action));
    this.#nothing = new NothingCard(root, () => this.#act('go-last'));
    root.append(status);
    this.#stopHearing = content.onChange(() => this.#model.takeContent());
    this.#listen(status);
    this.#surface.onChange = () => this.#resized();
    this.#resized();
  }

  get spec(): ChartSpec {
    return this.#model.spec;
  }

  get state(): ViewState {
    return this.#model.state;
  }

  get tool(): Tool {
    return this.#model.tool;
  }

  /** Times as the chart writes them. */
  get timeText(): TimeText {
    return this.#model.timeText;
  }

  /** Of the last frame; null before the first. */
  get scene(): ChartScene | null {
    return this.#model.scene;
  }

  /** Milliseconds of script of the newest frames. */
  get frames(): readonly number[] {
    return this.#loop.times;
  }

  /** What lies under the crosshair, for the legend of a small chart. */
  get hit(): CellHit | null {
    return this.#model.hit;
  }

  setSpec(spec: ChartSpec): void {
    if (spec !== this.#model.spec) this.#model.setSpec(spec);
  }

  /** Other bars in the same place, such as a replay's. */
  setContent(content: ChartContent): void {
    this.#stopHearing();
    this.#stopHearing = content.onChange(() => this.#model.takeContent());
    this.#model.setContent(content);
  }

  setSums(sums: SessionSums | null): void {
    this.#model.setSums(sums);
  }

  setCompact(isCompact: boolean): void {
    this.#isCompact = isCompact;
    this.#model.changed();
  }

  /** The crosshair of a linked chart; null removes it. Without a price it shows only the time. */
  setLinked(hover: ViewHover | null): void {
    const { crosshair, content } = this.#model;
    if (hover === null) crosshair.unlink();
    else crosshair.link(content.bars.columnAt(hover.ns), hover.ticks);
    this.#model.crosshairChanged();
  }

  /** The time of a linked chart. */
  setLinkedTime({ rightNs }: ViewTime): void {
    const { viewport, content } = this.#model;
    if (rightNs === viewport.rightNs(content.bars)) return;
    viewport.setRightNs(content.bars, rightNs);
    this.#reports.expectTime(rightNs);
    this.#model.changed();
  }

  setTool(tool: Tool): void {
    this.#model.setTool(tool);
  }

  /** Without it, drawings follow the pointer between prices, as with Alt. */
  setSnap(isSnapping: boolean): void {
    this.#model.isSnapping = isSnapping;
  }

  setDrawingsHidden(areHidden: boolean): void {
    this.#model.areDrawingsHidden = areHidden;
    if (areHidden) this.#model.drawings.select(null);
    this.#model.changed();
  }

  /** Prices stand still: the price tag is grey, without the time left in the bar. */
  setStale(isStale: boolean): void {
    if (isStale === this.#model.isStale) return;
    this.#model.isStale = isStale;
    this.#model.changed();
  }

  /** Words and buttons where the loaded bars begin; null removes them. */
  setHem(hem: HemText | null): void {
    if (this.#hemCard.set(hem)) this.#model.changed();
  }

  /** The name of the live edge, "14:03, 10 min ago"; null: none. */
  setEdgeText(text: string | null): void {
    if (text === this.#model.edgeText) return;
    this.#model.edgeText = text;
    this.#model.changed();
  }

  /** True: the chart has answered the key, also by a command for the page. */
  key(event: KeyboardEvent): boolean {
    const action = keyAction(event);
    return action !== null && this.#hand.key(action);
  }

  goToEnd(): void {
    this.#model.viewport.end();
    this.#model.moved();
  }

  /** Shows the instant in the middle. */
  goTo(ns: bigint): void {
    const { viewport, layout, content } = this.#model;
    viewport.goTo(layout, content.bars, ns);
    this.#model.moved();
  }

  /** Columns of this width, at the same right edge. */
  zoomTo(columnWidth: number): void {
    const { viewport, layout } = this.#model;
    viewport.setColumnWidth(layout, columnWidth);
    this.#model.changed();
  }

  fitPrices(): void {
    this.#model.viewport.fit();
    this.#model.changed();
  }

  /** The range becomes a drawing, which is saved. */
  keepRange(): void {
    this.#model.keepRange();
    this.focus();
  }

  clearRange(): void {
    this.#model.setRange(() => this.#model.range.clear());
  }

  deleteSelected(): void {
    this.#hand.deleteSelected();
  }

  deleteAllDrawings(): void {
    this.#model.drawings.clear();
    this.#model.keepDrawings();
  }

  undo(): void {
    if (this.#model.drawings.undo()) this.#model.keepDrawings();
  }

  redo(): void {
    if (this.#model.drawings.redo()) this.#model.keepDrawings();
  }

  focus(): void {
    this.#surface.stage.focus({ preventScroll: true });
  }

  /** Reads colours and sizes again; a change of the theme on the page's root is noticed without it. */
  redraw(): void {
    this.#surface.refresh();
  }

  /** What is on screen, as a file of its own. */
  async svg(options?: PictureOptions): Promise<string> {
    const input = this.#inputNow();
    const { svgPicture } = await import('./picture.ts');
    return svgPicture(input, options);
  }

  async png(options: PictureOptions = {}): Promise<Blob> {
    const { colours, ratio } = this.#surface;
    const chosen = options.theme === undefined ? colours : this.#surface.themed(options.theme);
    const input = this.#inputNow();
    const { pngPicture } = await import('./picture.ts');
    return pngPicture(input, chosen, ratio);
  }

  /** Of what `chartTable` makes a table of the bars. */
  get tableOptions(): TableOptions {
    const { content, spec, timeText, state } = this.#model;
    return { content, spec, timeText, group: state.group };
  }

  /** Says that a part of the page around the chart could not be loaded either. */
  showFault(): void {
    this.#hand.showFault();
  }

  destroy(): void {
    this.#loop.stop();
    this.#end.abort();
    this.#hand.end();
    this.#stopHearing();
    this.#second?.cancel();
    this.#announcer.stop();
    this.#surface.destroy();
    this.root.replaceChildren();
  }

  #makeHand(): ViewHand {
    return new ViewHand(this.root, () => this.#model, {
      used: () => this.#used(),
      wrote: () => this.focus(),
      keep: () => this.keepRange(),
      clear: () => {
        this.clearRange();
        this.focus();
      },
      copied: (isCopied) => this.#copied(isCopied),
    });
  }

  #listen(status: HTMLElement): void {
    const { stage } = this.#surface;
    const { signal } = this.#end;
    connectPointers({
      ...{
        stage,
        signal,
        model: this.#model,
        takesDouble: (x, y) => this.#hand.openTextAt(x, y),
        clock: this.#options.clock,
      },
      used: () => this.#used(),
    });
    const keydown = (event: KeyboardEvent) => {
      if (this.key(event)) event.preventDefault();
    };
    stage.addEventListener('keydown', keydown, { signal });
    const use = () => {
      this.#reports.refreshLabel();
      this.#loop.need('picture');
      this.#options.onUse?.();
    };
    stage.addEventListener('focus', use, { signal });
    stage.addEventListener('pointerdown', use, { signal });
    this.#hand.listen(stage, signal);
    // A text that was read before must be read again after the chart was left.
    stage.addEventListener('blur', () => status.replaceChildren(), { signal });
  }

  #hear(event: ModelEvent): void {
    const options = this.#options;
    switch (event.t) {
      case 'change':
        this.#loop.need(event.of);
        break;
      case 'spec':
        options.onSpec?.(event.spec);
        break;
      case 'tool':
        this.root.classList.toggle('tl-drawing', event.tool !== 'crosshair');
        options.onTool?.(event.tool);
        break;
      case 'range':
        options.onRange?.(event.range);
        break;
      case 'command':
        options.onCommand?.(event.command);
        break;
      case 'edit-text':
        this.#hand.openText(event.key);
        break;
      case 'say':
        this.#announcer.say(event.text);
        break;
      case 'need-back':
        options.onNeedBack?.();
        break;
      default:
        event satisfies never;
    }
  }

  #draw(needed: Needed): boolean {
    const { width, height } = this.#surface.size;
    if (width === 0 || height === 0) return false;
    let isMoving = false;
    if (needed === 'picture') {
      isMoving = this.#model.frame(this.#options.clock.now(), this.#surface.hasMotion);
      const { scene } = this.#model;
      if (scene !== null) this.#afterPicture(scene);
    }
    this.#surface.paintOver(this.#model.crosshairBatches());
    this.#hand.afterCrosshair(this.#isCompact);
    this.#reports.afterCrosshair(this.#model);
    return isMoving;
  }

  #afterPicture(scene: ChartScene): void {
    this.#surface.paint(scene.batches);
    this.#hand.afterPicture();
    this.#hemCard.update(scene);
    this.#nothing.update(this.#model);
    this.#reports.afterPicture(this.#model);
    if (this.#model.hasCountdown) {
      this.#second ??= this.#options.clock.after(COUNTDOWN_MS, () => {
        this.#second = null;
        this.#loop.need('picture');
      });
    }
  }

  #resized(): void {
    const { size, textScale, hasForcedColours } = this.#surface;
    this.#model.setSize(size, textScale, hasForcedColours);
  }

  #used(): void {
    if (this.#wasUsed) return;
    this.#wasUsed = true;
    this.#options.onFirstGesture?.();
  }

  #act(action: FeedActionId): void {
    if (action === 'go-last') this.goToEnd();
    else this.#options.onAction?.(action);
    this.focus();
  }

  #copied(isCopied: boolean): void {
    this.#announcer.say(isCopied ? 'Numbers copied.' : 'The browser did not permit copying.');
    this.#options.onCopied?.(isCopied);
  }

  #inputNow(): SceneInput {
    if (this.#model.input === null) this.#model.frame(this.#options.clock.now(), false);
    return this.#model.input!;
  }
}
