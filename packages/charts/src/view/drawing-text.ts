/** Writing on drawings: the field opens at the drawing and follows it. */

import { drawingGround } from './drawing-ground.ts';
import { drawingAt, handlesOf } from './drawing-hit.ts';
import { TextBox } from './text-box.ts';
import type { ViewModel } from './view-model.ts';

const EDGE_PX = 8;
const HEIGHT_PX = 32;
const WIDTH_PX = 200;

export class DrawingText {
  readonly #box: TextBox;
  readonly #model: ViewModel;
  readonly #closed: () => void;
  #key: string | null = null;

  constructor(root: HTMLElement, model: ViewModel, closed: () => void) {
    this.#box = new TextBox(root);
    this.#model = model;
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return this.#box.isOpen;
  }

  open(key: string): void {
    const model = this.#model;
    const drawing = model.drawings.saved.find((each) => each.key === key);
    if (drawing === undefined) return;
    this.#key = key;
    const { x, y } = this.#place(key);
    this.#box.open(drawing.text, x, y, (text) => {
      this.#key = null;
      // Escape leaves a text as it was; a text drawing that has none yet goes.
      model.drawings.setText(key, text ?? drawing.text);
      model.keepDrawings();
      this.#closed();
    });
  }

  /** After a frame: the drawing may have moved. */
  follow(): void {
    if (this.#key === null) return;
    const { x, y } = this.#place(this.#key);
    this.#box.move(x, y);
  }

  /** A double click on a drawing writes on it. */
  openAt(x: number, y: number): boolean {
    const model = this.#model;
    if (model.areDrawingsHidden || model.tool !== 'crosshair') return false;
    const options = { isTouch: false, selected: null };
    const hit = drawingAt(model.drawings.saved, this.#ground(), { x, y }, options);
    if (hit === null) return false;
    model.drawings.select(hit.key);
    this.open(hit.key);
    return true;
  }

  #ground() {
    const { viewport, layout, content, textScale } = this.#model;
    return drawingGround(viewport.window, layout, content.bars, textScale);
  }

  #place(key: string): { readonly x: number; readonly y: number } {
    const { layout, drawings } = this.#model;
    const drawing = drawings.saved.find((each) => each.key === key);
    if (drawing === undefined) return { x: EDGE_PX, y: EDGE_PX };
    const ground = this.#ground();
    const at =
      drawing.kind === 'text'
        ? { x: ground.xOf(BigInt(drawing.at.ns)), y: ground.yOf(drawing.at.ticks) }
        : drawing.kind === 'line'
          ? { x: EDGE_PX, y: ground.yOf(drawing.ticks) - HEIGHT_PX }
          : (handlesOf(drawing, ground)[0] ?? { x: EDGE_PX, y: EDGE_PX });
    return {
      x: Math.min(layout.plotWidth - WIDTH_PX, Math.max(EDGE_PX, at.x)),
      y: Math.min(layout.main.height - HEIGHT_PX, Math.max(EDGE_PX, at.y - HEIGHT_PX / 2)),
    };
  }
}
