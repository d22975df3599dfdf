/** Drawings about the account: costs, and the limits of test keys. */

import { arrow, box, type Drawing, LEFT, labelled, line, RIGHT, text } from './drawing.ts';

const COSTS: Drawing = {
  name: 'costs',
  title: 'From the estimate to the charge',
  description:
    'An estimate is free. A query first reserves its whole cost in the budget of the month, or fails before anything is ' +
    'computed. When it ends, the trades it read are charged and the rest is released.',
  height: 344,
  shapes: [
    labelled(LEFT, 20, 120, 38, 'estimate', 'filled'),
    text(152, 44, 'free, as often as you like'),
    arrow(76, 60, 76, 88),
    labelled(LEFT, 90, 120, 38, 'reserve', 'filled'),
    text(152, 106, 'all must fit into the budget,'),
    text(152, 126, 'otherwise 429, no charge'),
    arrow(76, 130, 76, 158),
    labelled(LEFT, 160, 120, 38, 'compute', 'filled'),
    text(152, 184, 'one trade, one unit'),
    arrow(76, 200, 76, 228),
    labelled(LEFT, 230, 120, 38, 'settle', 'solid'),
    text(152, 246, 'the trades read are charged,'),
    text(152, 266, 'the rest is released'),
    box(LEFT, 296, RIGHT - LEFT, 28),
    box(LEFT, 296, 150, 28, 'solid'),
    box(166, 296, 90, 28, 'filled'),
    text(91, 315, 'charged', { anchor: 'middle', tone: 'paper' }),
    text(211, 315, 'reserved', { anchor: 'middle' }),
    text(330, 315, 'left this month', { anchor: 'middle', tone: 'faint' }),
  ],
};

const TEST_KEYS: Drawing = {
  name: 'test-keys',
  title: 'Two counters for a test key, one for a live key',
  description:
    'The account has the limits of its plan. Live keys count toward those. Test keys count toward those too, and toward ' +
    'smaller limits that all test keys of the account share.',
  height: 304,
  shapes: [
    box(LEFT, 20, RIGHT - LEFT, 168),
    text(32, 46, 'the account: limits of its plan', { style: 'bold' }),
    box(216, 62, 172, 108, 'dashed'),
    text(232, 88, 'test keys:'),
    text(232, 110, 'those of the'),
    text(232, 132, 'sandbox'),
    labelled(LEFT + 16, 216, 140, 38, 'a live key', 'solid'),
    labelled(232, 216, 140, 38, 'a test key', 'filled'),
    line(102, 216, 102, 120),
    line(302, 216, 302, 160),
    text(102, 108, 'counts here', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 284, 'either box can stop a test key', { tone: 'faint' }),
  ],
};

export const ACCOUNT_DRAWINGS = { COSTS, TEST_KEYS };
