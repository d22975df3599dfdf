/** The numbers of a dragged range, summed from the loaded levels, beside the range. */

import { barBoxes, emptyGround } from '../scene/empty-ground.ts';
import { betweenText, countText, priceText, signedText } from '../scene/number-text.ts';
import { xOf } from '../scene/window.ts';
import { type RangeSum, rangeSum } from '../series/range.ts';
import { button, element, place } from './dom.ts';
import type { ViewModel } from './view-model.ts';
import { tickSizeOf, whenText } from './view-words.ts';

const STEP_PX = 24;
const AIR_PX = 10;

export interface RangeCardActions {
  keep(): void;
  clear(): void;
  copied(isCopied: boolean): void;
}

type Fact = readonly [name: string, value: string, side: number];

export class RangeCard {
  readonly #card = element('div', 'tl-card tl-range', {
    attributes: { role: 'group', 'aria-label': 'Range' },
  });
  readonly #head = element('div', 'tl-card-head');
  readonly #facts = element('dl', 'tl-facts');
  readonly #note = element('p', 'tl-card-note', {
    text: 'These bars have no volume by price: totals only.',
  });
  #sumKey = '';
  #placeKey = '';
  #text = '';

  constructor(root: HTMLElement, actions: RangeCardActions) {
    const copy = () => {
      navigator.clipboard?.writeText(this.#text).then(
        () => actions.copied(true),
        () => actions.copied(false),
      );
      if (navigator.clipboard === undefined) actions.copied(false);
    };
    const clear = button('tl-button', 'Clear', actions.clear);
    clear.append(element('kbd', '', { text: 'Esc' }));
    const row = element('div', 'tl-card-actions', {
      children: [
        button('tl-button tl-main', 'Keep as drawing', actions.keep),
        button('tl-button', 'Copy numbers', copy),
        clear,
      ],
    });
    this.#card.append(this.#head, this.#facts, this.#note, row);
    this.#card.hidden = true;
    root.append(this.#card);
  }

  /** After a frame. */
  update(model: ViewModel): void {
    const range = model.range.columns;
    const { bars } = model.content;
    const [first, last] =
      range === null ? [] : [bars.columns[range.from], bars.columns[range.to - 1]];
    if (range === null || first === undefined || last === undefined) {
      this.#card.hidden = true;
      this.#placeKey = '';
      return;
    }
    const key = `${range.from} ${range.to} ${bars.revision} ${model.spec.zone}`;
    if (key !== this.#sumKey) {
      this.#sumKey = key;
      const { valueArea, pocTie } = model.spec.rules;
      const sum = rangeSum(bars.columns, range.from, range.to, { group: 1, valueArea, pocTie });
      const time = model.timeText;
      const isOneDay = time.day(first.fromNs) === time.day(last.fromNs);
      const title = isOneDay
        ? `${time.clock(first.fromNs)}–${time.clock(last.endNs)}`
        : `${whenText(first, time)} – ${whenText(last, time)}`;
      this.#fill(title, sum, tickSizeOf(model.content));
    }
    this.#card.hidden = false;
    this.#stand(model);
  }

  #fill(title: string, sum: RangeSum, tick: number): void {
    const bars = `${countText(sum.bars)} ${sum.bars === 1 ? 'bar' : 'bars'}`;
    const counts = `${bars}, ${countText(sum.trades)} trades`;
    this.#head.replaceChildren(
      element('b', '', { text: title }),
      element('span', '', { text: counts }),
    );
    const facts = factsOf(sum, tick);
    const cells = facts.map(([name, value, side]) =>
      element('div', side > 0 ? 'tl-ask' : side < 0 ? 'tl-bid' : '', {
        children: [element('dt', '', { text: name }), element('dd', '', { text: value })],
      }),
    );
    this.#facts.replaceChildren(...cells);
    this.#note.hidden = sum.isExact;
    const lines = [
      ['Range', title],
      ['Bars', String(sum.bars)],
      ['Trades', String(sum.trades)],
    ];
    this.#text = [...lines, ...facts].map(([name, value]) => `${name}\t${value}`).join('\n');
  }

  #stand(model: ViewModel): void {
    const { scene } = model;
    const range = model.range.columns;
    if (scene === null || range === null) return;
    const { window, layout } = scene;
    const { columnWidth, right, middle, tickHeight } = window;
    const { width: plotWidth, height: plotHeight } = layout.main;
    const key = [range.from, range.to, columnWidth, right, plotWidth, plotHeight].join(' ');
    const vertical = [Math.round(middle), tickHeight.toPrecision(2)].join(' ');
    if (`${key} ${vertical}` === this.#placeKey) return;
    this.#placeKey = `${key} ${vertical}`;
    const { offsetWidth: width, offsetHeight: height } = this.#card;
    const [x0, x1] = [xOf(window, layout, range.from), xOf(window, layout, range.to)];
    const all = Array.from({ length: Math.ceil(plotWidth / STEP_PX) }, (_, at) => 8 + at * STEP_PX);
    const beside = all.filter((x) => x + width < x0 - AIR_PX || x > x1 + AIR_PX);
    const fits = beside.some((x) => x + width <= plotWidth - 6);
    const at = emptyGround({
      ...{ width, height },
      plot: { width: plotWidth, height: plotHeight },
      boxes: barBoxes(scene, model.content.bars.columns),
      near: { x: x1 + width / 2 + AIR_PX, y: plotHeight / 2 },
      xs: fits ? beside : all,
    });
    place(this.#card, at.x, at.y);
  }
}

function factsOf(sum: RangeSum, tick: number): readonly Fact[] {
  const price = (ticks: number | null) => (ticks === null ? '–' : priceText(ticks, tick));
  const isEmpty = sum.bars === 0;
  return [
    ['Volume', countText(sum.volume), 0],
    ['Delta', signedText(sum.delta), sum.delta],
    ['VWAP', Number.isNaN(sum.vwap) ? '–' : betweenText(sum.vwap, tick), 0],
    ['Range', isEmpty ? '–' : `${countText(sum.high - sum.low)} ticks`, 0],
    ['POC', price(sum.poc), 0],
    ['VAH', price(sum.vah), 0],
    ['VAL', price(sum.val), 0],
    ['Bid × Ask', `${countText(sum.bid)} × ${countText(sum.ask)}`, 0],
  ];
}
