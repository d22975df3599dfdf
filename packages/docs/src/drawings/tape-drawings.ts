/** Drawings about the tape: cursors, why history repeats the stream, days and sessions, rolls. */

import { arrow, box, type Drawing, LEFT, labelled, line, RIGHT, text, version } from './drawing.ts';

const CELL = 62;
const cellX = (index: number) => LEFT + 38 + index * CELL;
/** The index of the trade whose second update the drawing points to. */
const SHOWN = 2;

const CURSOR: Drawing = {
  name: 'cursor',
  title: 'A cursor is a position on the tape',
  description:
    'Five trades of one UTC day stand in a row and are numbered 1 to 5: their ranks. The third trade causes two updates, ' +
    'numbered 1 and 2. The cursor 20261112.3.2 names the second of them: the day, the rank, the number of the update.',
  height: 296,
  shapes: [
    text(LEFT, 30, 'trades of 12 November 2026, UTC', { tone: 'faint' }),
    ...[0, 1, 2, 3, 4].map((index) =>
      labelled(
        cellX(index),
        44,
        CELL - 10,
        34,
        `${index + 1}`,
        index === SHOWN ? 'solid' : 'filled',
      ),
    ),
    line(cellX(SHOWN) + 12, 78, cellX(SHOWN) + 12, 104),
    line(cellX(SHOWN) + 40, 78, cellX(SHOWN) + 40, 104),
    version(cellX(SHOWN) + 12, 112, 'forming'),
    version(cellX(SHOWN) + 40, 112, 'final'),
    text(cellX(SHOWN) + 60, 117, 'k 1, k 2', { tone: 'faint' }),
    arrow(cellX(SHOWN) + 40, 124, cellX(SHOWN) + 40, 152),
    text(cellX(SHOWN) + 40, 176, '20261112.3.2', { anchor: 'middle', style: 'mono' }),
    line(LEFT, 194, RIGHT, 194),
    text(LEFT, 222, '20261112', { style: 'mono' }),
    text(LEFT + 104, 222, 'the day, in UTC'),
    text(LEFT, 248, '3', { style: 'mono' }),
    text(LEFT + 104, 248, 'rank: the third trade of that day'),
    text(LEFT, 274, '2', { style: 'mono' }),
    text(LEFT + 104, 274, 'k: the second update it caused'),
  ],
};

const LIVE_IS_HISTORY: Drawing = {
  name: 'live-is-history',
  title: 'One tape, one computation, three readers',
  description:
    'Trades go into one tape on disk. The same study reads it for a stream, for a resumed stream and for history. All ' +
    'three give the same objects with the same ids and cursors.',
  height: 314,
  shapes: [
    labelled(LEFT, 20, 388, 40, 'the tape: every trade, once, on disk', 'solid'),
    ...[0, 1, 2].flatMap((column) => {
      const x = LEFT + column * 134;
      const name = ['now', 'came back', 'a year later'][column]!;
      const reader = ['stream', 'resume', 'history'][column]!;
      return [
        arrow(x + 60, 62, x + 60, 92),
        labelled(x, 94, 120, 40, 'the study', 'filled'),
        arrow(x + 60, 136, x + 60, 166),
        labelled(x, 168, 120, 40, reader),
        text(x + 60, 230, name, { anchor: 'middle', tone: 'faint' }),
      ];
    }),
    line(LEFT, 246, RIGHT, 246),
    text(210, 272, '20261112.211407.2', { anchor: 'middle', style: 'mono' }),
    text(210, 298, 'the same cursor, the same bytes', { anchor: 'middle', tone: 'faint' }),
  ],
};

/** Hours since 22:00 UTC of the previous evening, on an axis of 28 hours. */
const hourX = (hour: number) => LEFT + 8 + Math.round((hour * (RIGHT - LEFT - 16)) / 28);

const SESSIONS: Drawing = {
  name: 'sessions',
  title: 'One trading day of ES in November, in UTC',
  description:
    'The exchange opens at 23:00 UTC of the evening before and closes at 22:00: that is the session full. Regular hours, ' +
    'rth, are 14:30 to 21:00 inside it. The UTC day, utc, goes from midnight to midnight and cuts across.',
  height: 290,
  shapes: [
    text(hourX(1), 30, '23:00', { anchor: 'middle', tone: 'faint' }),
    text(hourX(24), 30, '22:00', { anchor: 'middle', tone: 'faint' }),
    line(hourX(1), 38, hourX(1), 82),
    line(hourX(24), 38, hourX(24), 82),
    text(hourX(16.5) - 8, 122, '14:30', { anchor: 'end', tone: 'faint' }),
    text(hourX(23) + 6, 122, '21:00', { tone: 'faint' }),
    labelled(hourX(1), 48, hourX(24) - hourX(1), 34, 'full: the trading day', 'solid'),
    labelled(hourX(16.5), 100, hourX(23) - hourX(16.5), 34, 'rth', 'filled'),
    labelled(hourX(2), 152, hourX(26) - hourX(2), 34, 'utc: the calendar day', 'filled'),
    line(hourX(2), 92, hourX(2), 216, 'dashed'),
    line(hourX(26), 142, hourX(26), 216, 'dashed'),
    text(hourX(2), 236, '00:00', { anchor: 'middle', tone: 'faint' }),
    text(hourX(26) - 6, 236, '00:00', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 270, 'at the dashed lines, cursors change their day', { tone: 'faint' }),
  ],
};

const ROLLS: Drawing = {
  name: 'rolls',
  title: 'An alias changes its contract at midnight UTC',
  description:
    'ESU6 and ESZ6 both trade all the time. The alias ES.c.0 follows ESU6 until 00:00 UTC of the roll day and ESZ6 from then ' +
    'on. There a stream on the alias gets reset roll, subscribed and snapshot.',
  height: 306,
  shapes: [
    text(LEFT, 44, 'ESU6', { style: 'bold' }),
    box(84, 26, 320, 28),
    box(84, 26, 150, 28, 'solid'),
    text(LEFT, 92, 'ESZ6', { style: 'bold' }),
    box(84, 74, 320, 28),
    box(234, 74, 170, 28, 'solid'),
    text(LEFT, 152, 'ES.c.0', { style: 'bold' }),
    labelled(84, 134, 146, 28, 'means ESU6', 'filled'),
    labelled(238, 134, 166, 28, 'means ESZ6', 'filled'),
    line(234, 16, 234, 190, 'dashed'),
    text(234, 208, '00:00 UTC', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 240, 'there the stream sends', { tone: 'faint' }),
    text(LEFT, 264, 'reset roll, subscribed (contract ESZ6),'),
    text(LEFT, 286, 'status, snapshot'),
  ],
};

export const TAPE_DRAWINGS = { CURSOR, LIVE_IS_HISTORY, SESSIONS, ROLLS };
