/** The price axis with the last price, and the names of the session's profile beside it. */

import type { Frame } from './frame.ts';
import { plate } from './plates.ts';
import { priceSteps } from './price-steps.ts';
import { paint } from './shapes.ts';
import { profileShown } from './side-objects.ts';

export const AXIS_INSET = 9;
const TAG_HEIGHT = 20;
const TAG_WITH_TIME = 33;
const LABEL_AIR = 16;
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

function lastTag(frame: Frame, ticks: number): Tag {
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
  const air = LABEL_AIR * Math.max(1, frame.input.textScale);
  for (const ticks of priceSteps(frame)) {
    const y = frame.priceY(ticks);
    if (y < EDGE || y > layout.main.height - EDGE + 2) continue;
    if (tag !== null && y > tag.y - air && y < tag.y + tag.height - tag.line + air) continue;
    words.places.add2(x, y);
    words.texts.push(frame.price(ticks));
    frame.mark('axis', 'price', '', { price: ticks }, x, y, [frame.price(ticks)]);
  }
}

/** VAH, POC and VAL at the left of the profile; on a phone, which has none, as tags on the axis. */
function paintProfileNames(frame: Frame, tag: Tag | null): void {
  const { layout } = frame;
  const profile = profileShown(frame);
  if (profile === null) return;
  for (const [name, price] of [
    ['VAH', profile.vah],
    ['POC', profile.poc],
    ['VAL', profile.val],
  ] as const) {
    const y = frame.priceY(price + (profile.group - 1) / 2);
    if (y < EDGE || y > layout.main.height - EDGE) continue;
    const isPoc = name === 'POC';
    const x = layout.plotWidth + 3;
    frame.mark(profile.key, name, profile.id, { price }, x, y, [name]);
    if (tag !== null && Math.abs(y - tag.y) < 14 && layout.side !== null) continue;
    const style = { size: 10, weight: 560, dye: isPoc ? 'ink' : 'faint' } as const;
    if (layout.side !== null) plate(frame, x, y, name, { ...style, align: 'left' });
    else plate(frame, layout.plotWidth - 2, y, name, { ...style, align: 'right' });
  }
}

function paintLast(frame: Frame, tag: Tag): void {
  const { shapes, layout, input, columns } = frame;
  const { priceAxis, plotWidth } = layout;
  const scale = Math.max(1, input.textScale);
  const from = Math.max(0, Math.min(plotWidth, frame.x(columns.length)));
  const thread = shapes.lines(paint('ink', 0.5), 1, [2, 3]);
  thread.points.add4(from, tag.y + 0.5, priceAxis.x, tag.y + 0.5);
  thread.ends.add(thread.points.count);
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
