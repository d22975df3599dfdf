import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Drawing } from '../spec/drawing.ts';
import { type DrawingGround, drawingAt, handlesOf } from './drawing-hit.ts';

/** A column of 10 px a nanosecond; 5 px a tick, downwards from 500. */
const GROUND: DrawingGround = {
  plotWidth: 800,
  plotHeight: 500,
  xOf: (ns) => Number(ns) * 10,
  centreXOf: (ns) => Number(ns) * 10 + 5,
  endXOf: (ns) => Number(ns) * 10 + 10,
  yOf: (ticks) => 500 - ticks * 5,
  widthOf: (text) => text.length * 7,
};

const LINE: Drawing = { key: 'line', kind: 'line', text: '', ticks: 40 };
const TREND: Drawing = {
  ...{ key: 'trend', kind: 'trend', text: '' },
  from: { ns: '10', ticks: 10 },
  to: { ns: '30', ticks: 50 },
};
const BOX: Drawing = { ...TREND, key: 'box', kind: 'rectangle' };
const MOUSE = { isTouch: false, selected: null };

test('a line is hit within five pixels, with a finger within fourteen', () => {
  assert.equal(drawingAt([LINE], GROUND, { x: 3, y: 304 }, MOUSE)?.key, 'line');
  assert.equal(drawingAt([LINE], GROUND, { x: 3, y: 312 }, MOUSE), null);
  const finger = { isTouch: true, selected: null };
  assert.equal(drawingAt([LINE], GROUND, { x: 3, y: 312 }, finger)?.key, 'line');
});

test('a trend line is hit along its way, and not beyond its ends', () => {
  assert.equal(drawingAt([TREND], GROUND, { x: 200, y: 350 }, MOUSE)?.key, 'trend');
  assert.equal(drawingAt([TREND], GROUND, { x: 350, y: 200 }, MOUSE), null);
});

test('a rectangle is hit at its frame, so that what lies in it can be read', () => {
  assert.equal(drawingAt([BOX], GROUND, { x: 101, y: 350 }, MOUSE)?.key, 'box');
  assert.equal(drawingAt([BOX], GROUND, { x: 308, y: 350 }, MOUSE)?.key, 'box');
  assert.equal(drawingAt([BOX], GROUND, { x: 200, y: 350 }, MOUSE), null);
});

test('the drawing on top is hit first', () => {
  const second = { ...LINE, key: 'second' };
  assert.equal(drawingAt([LINE, second], GROUND, { x: 3, y: 300 }, MOUSE)?.key, 'second');
});

test('handles of the selected drawing win, 44 pixels wide for a finger', () => {
  const hit = (x: number, isTouch: boolean) =>
    drawingAt([BOX, LINE], GROUND, { x, y: 450 }, { isTouch, selected: 'box' })?.part;
  assert.equal(hit(100, false), 'from');
  assert.equal(hit(81, true), 'from');
  assert.equal(hit(81, false), undefined);
  assert.equal(hit(310, false), 'to-from');
});

test('a span drawn backwards has the same frame, with its ends exchanged', () => {
  assert.ok(BOX.kind === 'rectangle');
  const backwards: Drawing = { ...BOX, from: BOX.to, to: BOX.from };
  const places = (drawing: Drawing) => handlesOf(drawing, GROUND).map(({ x, y }) => `${x} ${y}`);
  assert.deepEqual(places(backwards).sort(), places(BOX).sort());
  assert.equal(handlesOf(backwards, GROUND)[0]?.x, 310);
});

test('a text is hit at its letters', () => {
  const text: Drawing = { key: 't', kind: 'text', text: 'Open drive', at: { ns: '10', ticks: 40 } };
  assert.equal(drawingAt([text], GROUND, { x: 150, y: 305 }, MOUSE)?.key, 't');
  assert.equal(drawingAt([text], GROUND, { x: 250, y: 305 }, MOUSE), null);
});
