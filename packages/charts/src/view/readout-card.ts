/** Every number under the crosshair and why it is marked, in a card that looks for empty ground. */

import { barBoxes, emptyGround } from '../scene/empty-ground.ts';
import type { CellHit } from '../scene/hit.ts';
import { countText, signedText } from '../scene/number-text.ts';
import { xOf } from '../scene/window.ts';
import { element, place } from './dom.ts';
import type { ObjectFacts } from './object-facts.ts';
import type { ViewModel } from './view-model.ts';
import { rowText, tickSizeOf } from './view-words.ts';

/** From the bar to the card: further where bars are thin, since one compares several. */
const REACH_PX = { near: 12, far: 46 };
const FAR_BELOW_PX = 30;

export class ReadoutCard {
  readonly #card = element('div', 'tl-readout', { attributes: { 'aria-hidden': 'true' } });
  #shown = '';
  #size = { width: 0, height: 0 };

  constructor(root: HTMLElement) {
    this.#card.hidden = true;
    root.append(this.#card);
  }

  hide(): void {
    this.#card.hidden = true;
  }

  showCell(model: ViewModel, hit: CellHit, y: number): void {
    const tick = tickSizeOf(model.content);
    const head = [rowText(hit, tick), model.timeText.clock(hit.bar.fromNs)] as const;
    const facts = [
      ['Delta', signedText(hit.delta), hit.delta],
      ['Volume', countText(hit.volume), 0],
      ['Of the bar', `${(hit.share * 100).toFixed(1)}%`, 0],
    ] as const;
    const key = [...head, hit.bid, hit.ask, ...facts.flat(), ...hit.why].join('|');
    if (key !== this.#shown) {
      const children = [header(head), sides(hit), list(facts), ...reasons(hit.why)];
      this.#fill(key, children);
    }
    this.#stand(model, hit.column, y);
  }

  showObject(model: ViewModel, facts: ObjectFacts, column: number, y: number): void {
    const key = JSON.stringify(facts);
    if (key !== this.#shown) {
      const rows = facts.rows.map(([name, value]) => [name, value, 0] as const);
      this.#fill(key, [header([facts.title, facts.time]), list(rows)]);
    }
    this.#stand(model, column, y);
  }

  #fill(key: string, children: readonly Node[]): void {
    this.#shown = key;
    this.#card.replaceChildren(...children);
    this.#card.hidden = false;
    this.#size = { width: this.#card.offsetWidth, height: this.#card.offsetHeight };
  }

  #stand(model: ViewModel, column: number, y: number): void {
    const { scene } = model;
    if (scene === null) return;
    this.#card.hidden = false;
    const { width, height } = this.#size;
    const { window, layout } = scene;
    const reach = window.columnWidth < FAR_BELOW_PX ? REACH_PX.far : REACH_PX.near;
    const right = xOf(window, layout, column + 1) + reach;
    const left = xOf(window, layout, column) - width - reach;
    const at = emptyGround({
      ...{ width, height },
      plot: { width: layout.plotWidth, height: layout.main.height },
      boxes: barBoxes(scene, model.content.bars.columns),
      near: { x: xOf(window, layout, column) + width / 2 + reach, y },
      xs: [right, left, right + width * 0.6, left - width * 0.6, 8, layout.plotWidth - width - 8],
    });
    place(this.#card, at.x, at.y);
  }
}

function header([title, time]: readonly [string, string]): HTMLElement {
  return element('div', 'tl-readout-head', {
    children: [element('b', '', { text: title }), element('span', '', { text: time })],
  });
}

function sides({ bid, ask }: CellHit): HTMLElement {
  const side = (name: string, count: number) =>
    element('div', `tl-${name.toLowerCase()}`, {
      children: [element('small', '', { text: name }), countText(count)],
    });
  return element('div', 'tl-readout-sides', { children: [side('Bid', bid), side('Ask', ask)] });
}

function list(
  facts: readonly (readonly [name: string, value: string, side: number])[],
): HTMLElement {
  const children = facts.flatMap(([name, value, side]) => [
    element('dt', '', { text: name }),
    element('dd', side > 0 ? 'tl-ask' : side < 0 ? 'tl-bid' : '', { text: value }),
  ]);
  return element('dl', '', { children });
}

/** The words up to the first full stop name the mark. */
function reasons(why: readonly string[]): HTMLElement[] {
  return why.map((sentence) => {
    const end = sentence.indexOf('. ') + 1;
    const name = end === 0 ? sentence : sentence.slice(0, end);
    return element('p', 'tl-why', {
      children: [element('b', '', { text: name }), end === 0 ? '' : sentence.slice(end)],
    });
  });
}
