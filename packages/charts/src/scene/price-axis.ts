/** The price axis with the last price, and the names of the session's profile beside it. */

import type { Frame } from './frame.ts';
import { plate, pushApart } from './plates.ts';
import { priceSteps } from './price-steps.ts';
import { paint, segment } from './shapes.ts';
import { PROFILE_NAME, valueNames } from './side-objects.ts';

export const AXIS_INSET = 9;
const TAG_HEIGHT = 20;
const TAG_WITH_TIME = 33;
const LABEL_AIR = 19;
const NAME_AIR = 13;
const EDGE = 10;

export function paintPriceAxis(frame: Frame): void {
  const last = frame.input.content.bars.last;
  const tag = last === null ? null : lastTag(frame, last.close);
  paintPrices(frame, tag);
  paintProfileNames(frame, tag);
  if (tag !== null) paintLast(frame, tag);
}

interface Tag {
  readonly ticks: number;
  readonly y: number;
  /** Of the price alone, and with the time left below it. */
  readonly line: number;
  readonly height: number;
  readonly timeLeft: string | null;
}

export function lastTag(frame: Frame, ticks: number): Tag {
  const { input, layout } = frame;
  const scale = Math.max(1, input.textScale);
  const timeLeft = input.isStale ? null : input.countdownText;
  const height = (timeLeft === null ? TAG_HEIGHT : TAG_WITH_TIME) * scale;
  const line = TAG_HEIGHT * scale;
  const most = layout.main.height - height + line / 2;
  const y = Math.max(line / 2, Math.min(most, frame.priceY(ticks)));
  return { ticks, y: Math.round(y), line, height, timeLeft };
}

function paintPrices(frame: Frame, tag: Tag | null): void {
  const { shapes, layout } = frame;
  const x = layout.priceAxis.x + AXIS_INSET;
  const size = frame.text(11.5);
  const words = shapes.words(paint('axis'), size, 450);
  // Without bars the window stands nowhere yet.
  if (frame.columns.length === 0) return;
  const scale = Math.max(1, frame.input.textScale);
  const names = layout.side === null ? axisNames(frame) : [];
  for (const ticks of priceSteps(frame)) {
    const y = frame.priceY(ticks);
    if (y < EDGE || y > layout.main.height - EDGE + 2) continue;
    if (isBehind(tag, y, LABEL_AIR * scale)) continue;
    if (names.some((name) => Math.abs(name.y - y) < NAME_AIR * scale)) continue;
    words.places.add2(x, y);
    words.texts.push(frame.price(ticks));
    frame.mark('axis', 'price', '', { price: ticks }, x, y, [frame.price(ticks)]);
  }
}

function isBehind(tag: Tag | null, y: number, air: number): boolean {
  return tag !== null && y > tag.y - air && y < tag.y + tag.height - tag.line + air;
}

interface AxisName {
  readonly name: string;
  y: number;
}

function axisNames(frame: Frame): readonly AxisName[] {
  const { height } = frame.layout.main;
  const names = valueNames(frame);
  if (names === null) return [];
  const shown = names.prices.flatMap(([name, price, row]) => {
    const y = frame.priceY(price);
    if (y < EDGE || y > height - EDGE) return [];
    frame.mark(names.key, name, names.id, { price: row }, frame.layout.plotWidth, y, [name]);
    return [{ name, y }];
  });
  // Letters of a phone's axis stand at their prices; beside a profile there is room to step aside.
  if (frame.layout.side !== null) {
    pushApart(shown, NAME_AIR * Math.max(1, frame.input.textScale), { top: EDGE, bottom: height });
  }
  return shown;
}

/** VAH, POC and VAL beside the profile or the letters; a phone has neither, and names them on the axis. */
function paintProfileNames(frame: Frame, tag: Tag | null): void {
  const { layout, shapes } = frame;
  for (const { name, y } of axisNames(frame)) {
    const dye = name === 'POC' ? 'ink' : 'faint';
    if (layout.side === null) {
      if (isBehind(tag, y, TAG_HEIGHT - 4)) continue;
      const x = layout.priceAxis.x + AXIS_INSET;
      shapes.word(paint(dye), frame.text(10), 620, 'left', x, y + 0.5, name);
    } else if (tag === null || Math.abs(y - tag.y) >= 14) {
      // Letters grow from the left, bars of a profile from the right: a name stands where they end.
      const isTpo = frame.input.spec.side === 'tpo';
      const x = isTpo
        ? layout.side.x + layout.side.width - 2
        : layout.plotWidth + PROFILE_NAME.inset;
      const align = isTpo ? 'right' : 'left';
      plate(frame, x, y, name, { ...PROFILE_NAME, dye, align });
    }
  }
}

function paintLast(frame: Frame, tag: Tag): void {
  const { shapes, layout, input, columns } = frame;
  const { priceAxis, plotWidth } = layout;
  const scale = Math.max(1, input.textScale);
  const from = Math.max(0, Math.min(plotWidth, frame.x(columns.length)));
  // The tag of a price that is not on screen stands at the edge, and points at nothing.
  if (Math.abs(frame.priceY(tag.ticks) - tag.y) <= tag.height) {
    segment(
      shapes.lines(paint('ink', 0.5), 1, [2, 3]),
      from,
      tag.y + 0.5,
      priceAxis.x,
      tag.y + 0.5,
    );
  }
  const fill = paint(input.isStale ? 'faint' : 'ink');
  const top = tag.y - tag.line / 2;
  shapes.rect(fill, priceAxis.x + 1, top, priceAxis.width - 2, tag.height, 3);
  const text = frame.price(tag.ticks);
  const x = priceAxis.x + AXIS_INSET;
  shapes.word(paint('on-ink'), 12 * scale, 620, 'left', x, tag.y + 0.5, text);
  const texts = tag.timeLeft === null ? [text] : [text, tag.timeLeft];
  frame.mark('axis', 'last', '', { price: tag.ticks }, x, tag.y, texts);
  if (tag.timeLeft === null) return;
  const y = tag.y + 14.5 * scale;
  shapes.word(paint('on-ink', 0.75), 10.5 * scale, 500, 'left', x, y, tag.timeLeft);
}
