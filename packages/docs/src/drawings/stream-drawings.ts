/** Drawings about streams: forming and final, confirmed, resuming, delay, slow readers. */

import { arrow, box, type Drawing, LEFT, labelled, line, RIGHT, text, version } from './drawing.ts';

const FINAL: Drawing = {
  name: 'final',
  title: 'Forming, final, removed',
  description:
    'A bar: three forming versions, each replacing the one before, then a final one, after which nothing changes. ' +
    'A level: a forming version, a final one, and later a removal.',
  height: 264,
  shapes: [
    text(LEFT, 32, 'a bar', { style: 'bold' }),
    line(LEFT, 62, RIGHT, 62, 'dashed'),
    line(40, 62, 280, 62),
    ...[40, 110, 180].map((x) => version(x, 62, 'forming')),
    version(280, 62, 'final'),
    text(LEFT, 98, 'it forms', { tone: 'faint' }),
    text(280, 98, 'it never changes', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 148, 'a level that can be removed', { style: 'bold' }),
    line(110, 178, 370, 178),
    version(110, 178, 'forming'),
    version(200, 178, 'final'),
    version(370, 178, 'removed'),
    text(370, 214, 'remove', { anchor: 'middle', tone: 'faint' }),
    version(LEFT + 9, 240, 'forming'),
    text(LEFT + 26, 245, 'final: false'),
    version(170, 240, 'final'),
    text(187, 245, 'final: true'),
  ],
};

const STEPS = [70, 112, 154, 196, 238, 280, 322, 364] as const;
const FINALS: ReadonlySet<number> = new Set([196, 322]);

const CONFIRMED: Drawing = {
  name: 'confirmed',
  title: 'Two modes of one stream',
  description:
    'Mode live has eight messages: forming versions and, at two places, final ones. Mode confirmed has only the two final ' +
    'ones, at the same cursors.',
  height: 240,
  shapes: [
    text(LEFT, 32, 'mode live', { style: 'bold' }),
    line(LEFT, 66, RIGHT, 66),
    ...STEPS.map((x) => version(x, 66, FINALS.has(x) ? 'final' : 'forming')),
    ...[...FINALS].map((x) => line(x, 78, x, 150, 'dashed')),
    text(259, 112, 'same cursor', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 132, 'mode confirmed', { style: 'bold' }),
    line(LEFT, 162, RIGHT, 162),
    ...[...FINALS].map((x) => version(x, 162, 'final')),
    text(LEFT, 204, 'confirmed is not delayed:', { tone: 'faint' }),
    text(LEFT, 224, 'it only has fewer messages', { tone: 'faint' }),
  ],
};

const RESUME: Drawing = {
  name: 'resume',
  title: 'Reconnecting with a cursor',
  description:
    'A client has messages up to cursor c, then its connection breaks. It reconnects with cursor c and gets exactly the ' +
    'messages it missed, then live ones. If these are not available, it gets a reset and a present snapshot instead.',
  height: 330,
  shapes: [
    text(LEFT, 32, 'the stream', { style: 'bold' }),
    line(LEFT, 60, RIGHT, 60),
    ...[40, 80, 120, 160, 200, 240, 280, 320, 360].map((x) => version(x, 60, 'final')),
    box(140, 40, 160, 40, 'dashed'),
    text(220, 100, 'cut off', { anchor: 'middle', tone: 'faint' }),
    text(120, 100, 'c', { anchor: 'middle', style: 'mono' }),
    text(LEFT, 142, 'with c: still available', { style: 'bold' }),
    arrow(LEFT, 170, 132, 170, 'dashed'),
    ...[160, 200, 240, 280, 320, 360].map((x) => version(x, 170, 'final')),
    text(220, 204, 'missed', { anchor: 'middle', tone: 'faint' }),
    text(340, 204, 'live', { anchor: 'middle', tone: 'faint' }),
    text(LEFT, 246, 'with c: not available', { style: 'bold' }),
    labelled(LEFT, 262, 84, 34, 'reset', 'solid'),
    labelled(112, 262, 176, 34, 'snapshot', 'filled'),
    ...[320, 360].map((x) => version(x, 279, 'final')),
    text(LEFT, 318, 'discard your state and start again', { tone: 'faint' }),
  ],
};

const DELAY_X = 120;

const DELAY: Drawing = {
  name: 'delay',
  title: 'A delayed stream is the same stream, later',
  description:
    'In real time, three updates come at their times. On a delayed stream the same three, with the same cursors, come ten ' +
    'minutes later. The newest real-time update is not there yet.',
  height: 252,
  shapes: [
    text(LEFT, 32, 'real time', { style: 'bold' }),
    line(LEFT, 66, RIGHT, 66),
    ...[60, 120, 180, 300].map((x) => version(x, 66, 'final')),
    text(LEFT, 202, 'ten minutes late', { style: 'bold' }),
    line(LEFT, 172, RIGHT, 172),
    ...[60, 120, 180].map((x) => version(x + DELAY_X, 172, 'final')),
    ...[60, 120, 180].map((x) => line(x, 78, x + DELAY_X, 160, 'dashed')),
    text(RIGHT, 96, '12:10', { anchor: 'end', tone: 'faint' }),
    text(RIGHT, 202, '12:10', { anchor: 'end', tone: 'faint' }),
    text(LEFT, 238, 'same messages, same cursors, same order', { tone: 'faint' }),
  ],
};

const SLOW_READERS: Drawing = {
  name: 'slow-readers',
  title: 'What happens to pending output',
  description:
    'A gauge of the pending bytes of a connection. Below 256 KiB every message is sent. From there to 1 MiB only the newest ' +
    'version of each object. At 1 MiB the connection is closed with 4008 SLOW_CONSUMER, and you reconnect with your cursor.',
  height: 300,
  shapes: [
    text(LEFT, 30, 'pending output', { tone: 'faint' }),
    box(LEFT, 44, 60, 240),
    box(LEFT, 220, 60, 64, 'filled'),
    box(LEFT, 84, 60, 136, 'dashed'),
    box(LEFT, 44, 60, 40, 'solid'),
    line(76, 84, 96, 84),
    text(102, 74, 'close 4008 SLOW_CONSUMER'),
    text(102, 98, 'at 1 MiB', { style: 'bold' }),
    text(102, 146, 'the newest version of each object;'),
    text(102, 168, 'replaced ones are skipped'),
    line(76, 220, 96, 220),
    text(102, 215, 'from 256 KiB on', { style: 'bold' }),
    text(102, 264, 'everything'),
  ],
};

export const STREAM_DRAWINGS = { FINAL, CONFIRMED, RESUME, DELAY, SLOW_READERS };
