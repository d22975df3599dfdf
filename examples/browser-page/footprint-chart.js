/**
 * Draws footprint bars on a canvas: for each bar a candle and a row for each price, with what was sold on
 * the left, what was bought on the right, and behind them lots of which nobody knows. The newest bar is at
 * the right edge. It knows nothing of streams: hand it the bars whenever they have changed.
 */

const AXIS_WIDTH = 84;
const BAR_WIDTH = 120;
const BAR_GAP = 10;
const CANDLE_WIDTH = 8;
const UNKNOWN_WIDTH = 26;
const SUMS_HEIGHT = 64;
const MARGIN = 16;
const ROW_HEIGHT_MAX = 22;
const ROW_HEIGHT_MIN = 14;

export class FootprintChart {
  #canvas;
  #colours;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    const style = getComputedStyle(canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const names = ['background', 'panel', 'line', 'text', 'faint', 'sold', 'bought', 'poc'];
    this.#colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
  }

  /** `bars` are objects of the indicator, oldest first; `group` is how many ticks a row has. */
  draw({ bars, group, priceText, timeText }) {
    const { width, height } = this.#canvas.getBoundingClientRect();
    const context = this.#fitted(width, height);
    const columns = Math.max(1, Math.floor((width - AXIS_WIDTH - MARGIN) / (BAR_WIDTH + BAR_GAP)));
    const shown = bars.slice(-columns);
    if (shown.length === 0) return;

    const scale = scaleOf(shown, group, height - SUMS_HEIGHT - 2 * MARGIN);
    const right = width - AXIS_WIDTH;
    this.#drawAxis(context, scale, right, priceText, shown.at(-1).data);
    for (const [index, bar] of shown.entries()) {
      const x = right - (shown.length - index) * (BAR_WIDTH + BAR_GAP);
      context.save();
      context.beginPath();
      context.rect(x - 2, 0, BAR_WIDTH + 4, height - SUMS_HEIGHT);
      context.clip();
      this.#drawBar(context, scale, x, bar);
      context.restore();
      this.#drawSums(context, x, height - SUMS_HEIGHT, bar, timeText(bar.ts));
    }
  }

  /** The drawing context, with as many pixels as the screen has. */
  #fitted(width, height) {
    const ratio = window.devicePixelRatio;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const context = this.#canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    return context;
  }

  #drawAxis(context, scale, right, priceText, { close }) {
    const { line, faint, text, background } = this.#colours;
    context.textAlign = 'left';
    for (const [index, price] of scale.prices.entries()) {
      // Every row has its price where there is room, otherwise every second, third, …
      if (index % Math.ceil(20 / scale.rowHeight) !== 0) continue;
      context.fillStyle = line;
      context.fillRect(0, Math.round(scale.middle(price)), right, 0.5);
      context.fillStyle = faint;
      context.fillText(priceText(price), right + 12, scale.middle(price));
    }
    const y = scale.middle(close);
    context.fillStyle = text;
    context.beginPath();
    context.roundRect(right + 4, y - 11, AXIS_WIDTH - 10, 22, 4);
    context.fill();
    context.fillStyle = background;
    context.fillText(priceText(close), right + 12, y + 1);
  }

  #drawBar(context, scale, x, { data, final }) {
    const { panel, sold, bought, poc, text, faint } = this.#colours;
    const { levels, open, high, low, close } = data;
    const largest = Math.max(1, ...levels.map(([, bid, ask]) => Math.max(bid, ask)));
    const left = x + CANDLE_WIDTH + 6;
    const width = BAR_WIDTH - CANDLE_WIDTH - 6;
    const hasUnknown = levels.some(([, , , unknown = 0]) => unknown > 0);
    const half = (hasUnknown ? width - UNKNOWN_WIDTH : width) / 2;

    context.fillStyle = close >= open ? bought : sold;
    context.fillRect(
      x + CANDLE_WIDTH / 2 - 0.5,
      scale.top(high),
      1,
      scale.bottom(low) - scale.top(high),
    );
    const [from, to] = [Math.max(open, close), Math.min(open, close)];
    context.fillRect(x, scale.top(from), CANDLE_WIDTH, scale.bottom(to) - scale.top(from));

    for (const [price, bid, ask, unknown = 0] of levels) {
      const [y, height] = [scale.top(price), scale.rowHeight - 1];
      context.fillStyle = panel;
      context.fillRect(left, y, width, height);
      for (const [colour, lots, start] of [
        [sold, bid, left],
        [bought, ask, left + half],
      ]) {
        context.globalAlpha = lots === 0 ? 0 : 0.12 + (0.7 * lots) / largest;
        context.fillStyle = colour;
        context.fillRect(start, y, half - 0.5, height);
      }
      context.globalAlpha = 1;
      for (const [lots, align, end] of [
        [bid, 'right', left + half - 6],
        [ask, 'left', left + half + 6],
      ]) {
        context.textAlign = align;
        context.fillStyle = lots === 0 ? faint : text;
        context.fillText(String(lots), end, scale.middle(price));
      }
      if (unknown === 0) continue;
      context.textAlign = 'right';
      context.fillStyle = faint;
      context.fillText(String(unknown), left + width - 5, scale.middle(price));
    }
    if (data.poc !== null) {
      context.strokeStyle = poc;
      context.lineWidth = 1.5;
      context.strokeRect(left, scale.top(data.poc), width - 0.5, scale.rowHeight - 1);
    }
    if (final) return;
    // The bar that still forms has a frame.
    context.setLineDash([3, 3]);
    context.strokeStyle = faint;
    context.lineWidth = 1;
    const [above, below] = [scale.top(high), scale.bottom(low)];
    context.strokeRect(left - 2, above - 2, width + 3, below - above + 3);
    context.setLineDash([]);
  }

  #drawSums(context, x, y, { data, final }, time) {
    const { sold, bought, text, faint } = this.#colours;
    const middle = x + BAR_WIDTH / 2;
    context.textAlign = 'center';
    context.globalAlpha = 0.16;
    context.fillStyle = data.delta < 0 ? sold : bought;
    context.fillRect(x, y, BAR_WIDTH, 40);
    context.globalAlpha = 1;
    context.fillText(`Δ ${signed(data.delta)}`, middle, y + 12);
    context.fillStyle = text;
    context.fillText(`${data.volume} lots`, middle, y + 29);
    context.fillStyle = faint;
    context.fillText(final ? time : `${time} …`, middle, y + 52);
  }
}

/** `+12`, `0`, `−3`. */
export function signed(number) {
  return number > 0 ? `+${number}` : String(number).replace('-', '−');
}

/** Where prices stand. If not all of them fit, those around the last price are shown. */
function scaleOf(bars, group, height) {
  const rowOf = (price) => Math.floor(price / group);
  let lowest = Math.min(...bars.map(({ data }) => rowOf(data.low)));
  let highest = Math.max(...bars.map(({ data }) => rowOf(data.high)));
  const rowsMax = Math.max(1, Math.floor(height / ROW_HEIGHT_MIN));
  if (highest - lowest + 1 > rowsMax) {
    const last = rowOf(bars.at(-1).data.close);
    lowest = Math.max(lowest, Math.min(highest - rowsMax + 1, last - Math.floor(rowsMax / 2)));
    highest = lowest + rowsMax - 1;
  }
  const rows = highest - lowest + 1;
  const rowHeight = Math.min(ROW_HEIGHT_MAX, Math.floor(height / rows));
  const first = MARGIN + Math.floor((height - rows * rowHeight) / 2);
  const top = (price) => first + (highest - rowOf(price)) * rowHeight;
  return {
    rowHeight,
    prices: Array.from({ length: rows }, (_, index) => (highest - index) * group),
    top,
    middle: (price) => top(price) + rowHeight / 2,
    bottom: (price) => top(price) + rowHeight - 1,
  };
}
