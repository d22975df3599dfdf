/**
 * What we say about each indicator in our own words, beside what the catalogue says exactly. An indicator that is not
 * here has a page all the same, with what follows from its definition.
 */

import type { ParamValue } from '@tapeloom/core/studies/indicator';

export interface IndicatorText {
  /** What it is for, in two sentences. */
  readonly purpose: string;
  /** How somebody at a screen reads it. */
  readonly reading: string;
  /** When an object is final. */
  readonly final: string;
  /** What an id is made of. */
  readonly id: string;
  /** What it takes from earlier sessions. */
  readonly sessions: string;
  /** What the samples ask for. */
  readonly sample: Readonly<Record<string, ParamValue>>;
}

const BAR_FINAL =
  'With the trade that fills the bar, or when the clock ends it; a `range` bar by the trade that would exceed it. The close of the session ends every bar.';
const BAR_ID =
  '`<UTC day>.<rank>` of the first trade of the bar; `volume` and `renko` add `.<n>`, since one trade can start several.';
const NO_PAST = 'Nothing: every number comes from trades of its own session.';
const BORN_FINAL =
  'At birth. Its data never changes; the object is removed later, and the removal says when.';
const CARRIED =
  'Objects live on into later sessions, `lookback` of them at most. Only whole sessions make any: where a day is missing from the tape nothing is born, and at the close all are removed.';

export const INDICATOR_TEXTS: Readonly<Record<string, IndicatorText>> = {
  bars: {
    purpose:
      'The plain view of a market: price bars, with the volume split by who crossed the spread. Six rules say when a bar ends, and all other indicators that are built on bars use the same six.',
    reading:
      '`bid` and `ask` tell who was in a hurry. A bar that closed up on negative `delta` was carried by passive buyers.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: NO_PAST,
    sample: { bar: 'time', size: 60 },
  },
  footprint: {
    purpose:
      'A bar opened up: how many lots sellers hit at the bid and buyers lifted at the ask, at each price inside the bar. It shows where a bar did its business, and where one side met no answer.',
    reading:
      'Read a row from left to right: sold at the bid, bought at the ask. The row with the most volume is the point of control; rows outside of the value area are paler; an imbalance has its number set off.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: NO_PAST,
    sample: { size: 300, group: 2 },
  },
  'large-trades': {
    purpose:
      'Exchanges report one big order as many prints, and this puts them together again. It keeps those that are large for this market: by a size you name, or by what the session before had.',
    reading:
      'The area of a disc is the size of the order. `first`, `last` and the two extremes say how far it had to go to be filled.',
    final:
      'When a print of another side ends the cluster, or `gapMs` and 1 ns after its last print.',
    id: '`<UTC day>.<rank>` of the first print of the cluster.',
    sessions:
      'The threshold, where `minSize` is 0: it is taken from the newest complete session that had a cluster, and fixed at the open. With a `minSize` nothing is needed.',
    sample: { minSize: 5 },
  },
  delta: {
    purpose:
      "The running difference between aggressive buying and selling since the session's open, as candles. When price and delta part ways, somebody passive is on the other side.",
    reading:
      'The line above zero: buyers have lifted more than sellers have hit since the open. A new high of price without one of delta is worth a second look.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: 'Nothing: the sum starts at 0 at every open.',
    sample: { bar: 'time', size: 60 },
  },
  'volume-profile': {
    purpose:
      'Volume by price instead of by time: over a session, or over stretches of it. The point of control and the value area say where most of the trading was accepted.',
    reading:
      'Wide rows are prices at which both sides agreed; thin ones were passed. The dashed lines are the edges of the value area.',
    final: 'When its period ends by the clock, at the close of the session at the latest.',
    id: '`<UTC day>.<rank>` of the first trade of the period.',
    sessions: NO_PAST,
    sample: { period: 1_800 },
  },
  vwap: {
    purpose:
      "The average price of all lots since the session's open, and how far trades strayed from it. Bands of one, two and three standard deviations are computed from the exact sums, not from closes.",
    reading:
      'Who bought before now has paid this on average. A price far outside of the bands is far from what most of the volume was done at.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: 'Nothing: the sums start at 0 at every open.',
    sample: { bar: 'time', size: 60 },
  },
  imbalances: {
    purpose:
      'Where one side overwhelmed the other at several neighbouring prices of a bar, it leaves a zone. The zone stands until price trades through it, or until its look-back ends.',
    reading:
      'A buy zone lies where buyers lifted everything: it is watched as support until price trades below it. Pale zones were traded through.',
    final: BORN_FINAL,
    id: 'The id of the bar and `.<n>`: the n-th zone of the bar by ascending low, sell before buy.',
    sessions: CARRIED,
    sample: { size: 300, minVolume: 5, stack: 2 },
  },
  absorption: {
    purpose:
      'Much volume hits one price in a short time, and the price does not give way: somebody took it all. It is told once the price has held for as long as you ask.',
    reading:
      'Buyers that are absorbed meet a ceiling, sellers a floor. `maxSlip` says how far the price gave way all the same.',
    final:
      'At birth: a hold that was not broken becomes an object when it ends, and never changes.',
    id: '`<UTC day>.<rank>` of the first of its prints.',
    sessions:
      'The threshold, where `minSize` is 0: it is taken from the newest complete session that had a window, and fixed at the open. With a `minSize` nothing is needed.',
    sample: { minSize: 20 },
  },
  sweeps: {
    purpose:
      'One aggressor in a hurry: a cluster that ate through several prices at once. How many prices, how many lots and how long a pause may be are yours to say.',
    reading:
      'The arrow runs from the first price to the last. A sweep of few lots went through a thin book, one of many was meant.',
    final:
      'When a print of another side ends the cluster, or `gapMs` and 1 ns after its last print.',
    id: '`<UTC day>.<rank>` of the first print of the cluster.',
    sessions: NO_PAST,
    sample: { levels: 3 },
  },
  tpo: {
    purpose:
      'Time by price: each half hour has a letter, and each price collects the letters of the half hours that traded there. Prices with a single letter were passed in haste.',
    reading:
      'A fat middle is a day in balance; a long thin profile is one that went somewhere. The bar at the left is the initial balance.',
    final: 'At the close of the session. There is one object a session.',
    id: '`<UTC day>.<rank>` of the first trade of the session.',
    sessions: NO_PAST,
    sample: { bracketMinutes: 30 },
  },
  'naked-levels': {
    purpose:
      "The point of control and the value area's edges of past sessions that have not been traded since. Each is removed by the first trade that brings a later session to it.",
    reading:
      'A line begins where its level was made and ends, dashed, where it was traded. What still runs to the right edge is naked.',
    final: BORN_FINAL,
    id: '`<UTC day>.<rank>` of the first trade of the session it comes from, and `.1` for `poc`, `.2` for `vah`, `.3` for `val`.',
    sessions: CARRIED,
    sample: { lookback: 2 },
  },
  'unfinished-auctions': {
    purpose:
      "An auction ends at a high when no buyer is left, at a low when no seller is. Where both sides still traded at a bar's extreme it has not ended, and such a price stands until it is traded again.",
    reading:
      'Solid lines are still open; dashed ones were traded. Raise `minVolume` to keep those where both sides meant it.',
    final: BORN_FINAL,
    id: 'The id of the bar and `.1` for its high, `.2` for its low.',
    sessions: CARRIED,
    sample: { size: 300 },
  },
  'tape-speed': {
    purpose:
      'How fast trades come, second by second, beside the average of the session. `burst` says whether this is faster than usual by the factor you chose.',
    reading:
      'The dashed line is the average since the open. Dark sticks are seconds of a burst; in most markets they come with news or a level that breaks.',
    final: 'When its second ends by the clock.',
    id: '`<UTC day>.<rank>` of the first trade of the second.',
    sessions: NO_PAST,
    sample: { windowSeconds: 15 },
  },
  'session-levels': {
    purpose:
      "The prices every trader of the day has on the screen: open, high and low, those of the day before, the night's range and the initial balance. Each is an object of its own, so a chart gets what moved and nothing else.",
    reading:
      'A level moves while its time lasts and then stands. Where several levels have one price they share a line.',
    final:
      'The open and the levels of the day before at birth; the night at the open of regular hours; the initial balance when its minutes are over; high and low at the end of the day.',
    id: '`<UTC day>.<rank>` of the trade that bore it, and `.1` to `.10` for which level it is.',
    sessions:
      'High, low and last price of the newest complete earlier day. Without one the three previous levels are absent.',
    sample: { initialBalanceMinutes: 60 },
  },
};
