/** Our own texts about each indicator, beside the catalogue's exact ones. A page does not need them. */

import type { GivenParams } from '@tapeloom/core/studies/indicator';

export interface IndicatorText {
  /** Its purpose, in two sentences. */
  readonly purpose: string;
  /** How to read it on a screen. */
  readonly reading: string;
  /** When an object becomes final. */
  readonly final: string;
  /** What an id is made of. */
  readonly id: string;
  /** What it uses of earlier sessions. */
  readonly sessions: string;
  /** The parameters in the samples. */
  readonly sample: GivenParams;
}

const BAR_FINAL =
  'When a trade fills the bar, or the clock ends it; a `range` bar ends when a trade would exceed it. The close of the session ends every bar.';
const BAR_ID =
  '`<UTC day>.<rank>` of the first trade of the bar; `volume` and `renko` add `.<n>`, because one trade can start several bars.';
const NO_PAST = 'Nothing: every number comes from trades of its own session.';
const BORN_FINAL =
  'From its first version. Its data never changes; a later `remove` reports its end.';
const CARRIED =
  'Objects continue into later sessions, at most `lookback` of them. Only complete sessions create ' +
  'objects. If a day of a session is missing, no object is created from that day on, and the close ' +
  'of that session removes all objects.';

export const INDICATOR_TEXTS: Readonly<Record<string, IndicatorText>> = {
  bars: {
    purpose:
      'Price bars, with the volume split by the aggressor: buyers at the ask, sellers at the bid. Six ' +
      'rules define when a bar ends; all indicators built on bars use the same rules.',
    reading:
      '`bid` and `ask` show which side was aggressive. When a bar closes up with a negative `delta`, passive buyers carried it.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: NO_PAST,
    sample: { bar: 'time', size: 60 },
  },
  footprint: {
    purpose:
      "The inside of a bar: at each price, the lots that sellers hit at the bid and buyers lifted at the ask. It shows where the bar's volume traded, and where one side dominated.",
    reading:
      'Read a row from left to right: sold at the bid, bought at the ask. The row with the most volume is the point of control. Rows outside the value area are paler, and the number of an imbalance is highlighted.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: NO_PAST,
    sample: { size: 300, group: 2 },
  },
  'large-trades': {
    purpose:
      'Exchanges report one big order as many prints; this indicator joins them again. It shows the ' +
      'orders that are large for this market, measured by a size that you set or by the previous ' +
      'session.',
    reading:
      'The area of a disc is the size of the order. `first`, `last` and the two extremes show how far price moved while the order was filled.',
    final:
      'When a print of another side ends the cluster, `gapMs` and 1 ns after its last print, or at the close of the session.',
    id: '`<UTC day>.<rank>` of the first print of the cluster.',
    sessions:
      'If `minSize` is 0, the threshold: it comes from the newest complete session with a cluster, and ' +
      'is fixed at the open. With another `minSize`, nothing.',
    sample: { minSize: 5 },
  },
  delta: {
    purpose:
      "The running difference between aggressive buying and selling since the session's open, as candles. When price and delta diverge, passive orders are on the other side.",
    reading:
      'Above zero, buyers have lifted more than sellers have hit since the open. A new high of price without a new high of delta is worth a second look.',
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: 'Nothing: the sum starts at 0 at every open.',
    sample: { bar: 'time', size: 60 },
  },
  'volume-profile': {
    purpose:
      'Volume by price instead of by time, over a session or parts of it. The point of control and the value area show where most of the volume traded.',
    reading:
      'At wide rows much volume traded; price passed thin rows quickly. The dashed lines are the edges ' +
      'of the value area.',
    final: 'When its period ends by the clock, at the close of the session at the latest.',
    id: '`<UTC day>.<rank>` of the first trade of the period.',
    sessions: NO_PAST,
    sample: { period: 1_800 },
  },
  vwap: {
    purpose:
      "The average price of all lots since the session's open, and how far trades deviated from it. Bands of one, two and three standard deviations are computed from the exact sums, not from closes.",
    reading:
      "Buyers of this session have paid this price on average. A price far outside the bands is far from most of the session's volume.",
    final: BAR_FINAL,
    id: BAR_ID,
    sessions: 'Nothing: the sums start at 0 at every open.',
    sample: { bar: 'time', size: 60 },
  },
  imbalances: {
    purpose:
      'A zone marks several neighbouring prices of a bar at which one side dominated the other. The zone remains until price trades through it, or until its look-back ends.',
    reading:
      'A buy zone is where buyers dominated. Many traders watch it as support until price trades below it. Price has traded through the pale zones.',
    final: BORN_FINAL,
    id: 'The id of the bar and `.<n>`: the n-th zone of the bar by ascending low, sell before buy.',
    sessions: CARRIED,
    sample: { size: 300, minVolume: 5, stack: 2 },
  },
  absorption: {
    purpose:
      'Much volume hits one price in a short time and the price holds, because passive orders absorb it. The object appears when the price has held for the time you set.',
    reading:
      'Absorbed buyers mark a ceiling, absorbed sellers a floor. `maxSlip` is the furthest that price ' +
      'went beyond it during the hold.',
    final:
      'From its first version: an unbroken hold becomes an object when it ends, and never changes.',
    id: '`<UTC day>.<rank>` of its first print.',
    sessions:
      'If `minSize` is 0, the threshold: it comes from the newest complete session with a window, and ' +
      'is fixed at the open. With another `minSize`, nothing.',
    sample: { minSize: 20 },
  },
  sweeps: {
    purpose:
      'One aggressive order that traded through several prices at once. You set the number of prices, the number of lots and the longest pause.',
    reading:
      'The arrow runs from the first price to the last. A sweep of few lots went through a thin book; a sweep of many lots was intended.',
    final:
      'When a print of another side ends the cluster, `gapMs` and 1 ns after its last print, or at the close of the session.',
    id: '`<UTC day>.<rank>` of the first print of the cluster.',
    sessions: NO_PAST,
    sample: { levels: 3 },
  },
  tpo: {
    purpose:
      'Time by price: each half hour has a letter, and each price collects the letters of the half hours that traded there. Price passed single letters quickly.',
    reading:
      'A wide middle is a day in balance; a long thin profile is a trending day. The bar at the left is the initial balance.',
    final: 'At the close of the session. There is one object a session.',
    id: '`<UTC day>.<rank>` of the first trade of the session.',
    sessions: NO_PAST,
    sample: { bracketMinutes: 30 },
  },
  'naked-levels': {
    purpose:
      'The points of control and value area edges of past sessions at which no later session has traded. The first later trade that reaches a level removes it.',
    reading:
      'A line begins where its level was set, and ends dashed where it was traded. Lines that reach the right edge are naked.',
    final: BORN_FINAL,
    id:
      '`<UTC day>.<rank>` of the first trade of the session that the level comes from, and `.1` for ' +
      '`poc`, `.2` for `vah`, `.3` for `val`.',
    sessions: CARRIED,
    sample: { lookback: 2 },
  },
  'unfinished-auctions': {
    purpose:
      "An auction ends at a high when no buyer is left, and at a low when no seller is left. If both sides still traded at a bar's high or low, it is unfinished: the price remains until it is traded again.",
    reading:
      'Solid lines are open; dashed lines were traded. Raise `minVolume` to keep only prices with volume on both sides.',
    final: BORN_FINAL,
    id: 'The id of the bar and `.1` for its high, `.2` for its low.',
    sessions: CARRIED,
    sample: { size: 300 },
  },
  'tape-speed': {
    purpose:
      "The rate of trades, second by second, compared with the session's average. `burst` marks a rate above the average by the factor you set.",
    reading:
      'The dashed line is the average since the open. Dark sticks are seconds of a burst; in most markets they come with news or a broken level.',
    final: 'When its second ends by the clock.',
    id: '`<UTC day>.<rank>` of the first trade of the second.',
    sessions: NO_PAST,
    sample: { windowSeconds: 15 },
  },
  'session-levels': {
    purpose:
      "The prices that every trader watches: open, high and low, those of the day before, the night's range and the initial balance. Each is an object of its own, so a chart gets only the levels that moved.",
    reading:
      'A level can move during its period; after that it is fixed. Levels at the same price share a line.',
    final:
      'The open and the levels of the day before are final from their first version. The levels of the ' +
      'night become final at the open of regular hours, the initial balance when its minutes are over, ' +
      'and high and low at the end of the day.',
    id: '`<UTC day>.<rank>` of the trade that created it, and `.1` to `.10` for the kind of level.',
    sessions:
      'High, low and last price of the newest complete earlier day. Without such a day, the three previous levels are absent.',
    sample: { initialBalanceMinutes: 60 },
  },
};
