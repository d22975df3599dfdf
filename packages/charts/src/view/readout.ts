/** Chooses what the card at the crosshair shows: an object of a layer, a cell, or nothing. */

import { cellAt, objectAt } from '../scene/hit.ts';
import { objectFacts } from './object-facts.ts';
import { ReadoutCard } from './readout-card.ts';
import type { ViewModel } from './view-model.ts';
import { tickSizeOf } from './view-words.ts';

export class Readout {
  readonly #card: ReadoutCard;

  constructor(root: HTMLElement) {
    this.#card = new ReadoutCard(root);
  }

  /** After a frame. `isCompact`: the page shows the numbers itself. */
  update(model: ViewModel, isCompact: boolean): void {
    const { scene, input, viewport, layout, crosshair, content } = model;
    const isQuiet = isCompact || layout.isNarrow || model.isBusy || model.tool !== 'crosshair';
    const point =
      isQuiet || !crosshair.isOwn ? null : crosshair.screenPoint(viewport.window, layout);
    if (scene === null || input === null || point === null) {
      this.#card.hide();
      return;
    }
    const object = objectAt(scene, input, point.x, point.y);
    const column = model.hoverColumn;
    if (object !== null && column !== null) {
      const indicator = model.spec.layers.find(({ key }) => key === object.layerKey)?.indicator;
      const facts = objectFacts(indicator ?? object.layerKey, object.object, {
        tickSizeNanos: tickSizeOf(content),
        timeText: model.timeText,
        lastPrice: content.bars.last?.close ?? null,
      });
      this.#card.showObject(model, facts, column, point.y);
      return;
    }
    const hit = cellAt(scene, input, point.x, point.y);
    if (hit === null) this.#card.hide();
    else this.#card.showCell(model, hit, point.y);
  }
}
