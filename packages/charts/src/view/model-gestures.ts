/** What each action of a hand does to the chart. */

import { columnAtX, xOf } from '../scene/window.ts';
import { ZONES } from '../spec/chart-spec.ts';
import { placeAt } from './drawing-places.ts';
import { DRAWINGS_MAX, type Place } from './drawing-tool.ts';
import type { GestureAction, Ground, Target } from './gestures.ts';
import type { ViewModel } from './view-model.ts';
import type { Tool } from './view-options.ts';
import { TOOL_SENTENCES } from './view-words.ts';

const EDGE_PX = 6;
const EDGE_TOUCH_PX = 22;

interface At {
  readonly x: number;
  readonly y: number;
}

/** Which part of the chart a point lies in. */
export function groundAt({ layout }: ViewModel, { x, y }: At): Ground {
  const isBelow = y >= layout.timeAxis.y;
  if (x > layout.plotWidth) {
    if (isBelow) return 'zone';
    return y < layout.main.y + layout.main.height ? 'price-axis' : 'plot';
  }
  return isBelow ? 'time-axis' : 'plot';
}

/** What a pointer would take there. */
export function targetAt(model: ViewModel, point: At, isTouch: boolean): Target {
  const { layout, viewport, range, drawings } = model;
  const isInMain = point.x <= layout.plotWidth && point.y < layout.main.y + layout.main.height;
  if (!isInMain) return { t: 'none' };
  const columns = range.columns;
  if (columns !== null) {
    const near = isTouch ? EDGE_TOUCH_PX : EDGE_PX;
    for (const edge of ['from', 'to'] as const) {
      const x = xOf(viewport.window, layout, columns[edge]);
      if (Math.abs(point.x - x) <= near) return { t: 'range-edge', edge };
    }
  }
  if (model.areDrawingsHidden || model.tool !== 'crosshair') return { t: 'none' };
  // Without it no drawing is seen.
  const hand = model.parts.hand.now;
  if (hand === null) return { t: 'none' };
  const { bars } = model.content;
  const ground = hand.drawingGround(viewport.window, layout, bars, model.textScale);
  const selected = drawings.selected?.key ?? null;
  const hit = hand.drawingAt(drawings.saved, ground, point, { isTouch, selected });
  return hit === null ? { t: 'none' } : { t: 'drawing', ...hit };
}

export function applyGesture(model: ViewModel, action: GestureAction): void {
  const { viewport, layout, crosshair } = model;
  if ('phase' in action) model.isBusy = action.phase === 'begin' || action.phase === 'move';
  switch (action.t) {
    case 'hover':
      crosshair.point(action.x, action.y);
      stretchDraft(model, action);
      model.crosshairChanged();
      break;
    case 'leave':
      if (crosshair.isOwn) crosshair.clear();
      model.crosshairChanged();
      break;
    case 'pan':
      viewport.pan(layout, action.dx, action.dy);
      model.moved();
      break;
    case 'zoom-time':
      viewport.zoomTime(layout, action.factor, action.x);
      model.moved();
      break;
    case 'zoom-price':
      viewport.zoomPrice(layout, action.factor);
      model.changed();
      break;
    case 'fit':
      viewport.fit();
      model.changed();
      break;
    case 'glide':
      viewport.glide(action.speed);
      model.changed();
      break;
    case 'still':
      viewport.still();
      break;
    case 'range':
      applyRange(model, action);
      break;
    case 'draw':
      applyDraw(model, action);
      break;
    case 'move-drawing':
      applyMove(model, action);
      break;
    case 'press':
      applyPress(model, action);
      break;
    case 'next-zone': {
      const at = ZONES.indexOf(model.spec.zone);
      model.changeSpec({ zone: ZONES[(at + 1) % ZONES.length]! });
      break;
    }
    case 'wait':
      break;
    default:
      action satisfies never;
  }
}

/** A drawing that waits for its second click follows the pointer. */
function stretchDraft(model: ViewModel, point: At): void {
  if (!model.drawings.isDrafting) return;
  model.drawings.stretch(placeOf(model, point, false));
  model.changed();
}

/** The place under a pixel, as the tools take it. */
export function placeOf(model: ViewModel, point: At, isFree: boolean): Place {
  const { viewport, layout, content, isSnapping } = model;
  return placeAt(point, viewport.window, layout, content.bars, isFree || !isSnapping);
}

function applyRange(model: ViewModel, action: GestureAction & { t: 'range' }): void {
  const { range, viewport, layout, count } = model;
  if (count === 0) return;
  const at = columnAtX(viewport.window, layout, action.x);
  const column = Math.min(count - 1, Math.max(0, at));
  model.setRange(() => {
    if (action.phase === 'cancel') {
      if (action.edge === null) range.clear();
    } else if (action.phase !== 'begin') range.extend(column);
    else if (action.edge === null) range.begin(column);
    else range.take(action.edge);
  });
  if (action.phase === 'end') model.setTool('crosshair');
}

function applyDraw(model: ViewModel, action: GestureAction & { t: 'draw' }): void {
  const { drawings, tool } = model;
  if (tool === 'crosshair' || tool === 'range' || model.count === 0) return;
  const place = placeOf(model, action, action.isFree);
  if (action.phase === 'begin') {
    if (drawings.isFull) refuse(model);
    else drawings.begin(tool, place);
  } else if (action.phase === 'move') drawings.stretch(place);
  else if (action.phase === 'cancel') drawings.cancel();
  else finishDraft(model, place, action.hasMoved);
  model.changed();
}

/** The end of a press or of the Enter key. */
export function finishDraft(model: ViewModel, place: Place, hasMoved: boolean): void {
  const { drawings } = model;
  const drawn = drawings.finish(place, hasMoved);
  if (drawn === null) {
    if (!drawings.isDrafting) model.setTool('crosshair');
    return;
  }
  model.areDrawingsHidden = false;
  model.keepDrawings();
  model.setTool('crosshair');
  if (drawn.kind === 'text') model.tell({ t: 'edit-text', key: drawn.key });
}

/** A key chose it: the tool, or back to the crosshair if the chart has it already. */
export function takeTool(model: ViewModel, tool: Tool): boolean {
  const next = model.tool === tool ? 'crosshair' : tool;
  model.setTool(next);
  if (next !== 'crosshair') model.tell({ t: 'say', text: TOOL_SENTENCES[next] });
  return true;
}

export function refuse(model: ViewModel): void {
  const text = `A chart holds ${DRAWINGS_MAX} drawings. Delete one first.`;
  model.tell({ t: 'say', text });
  model.setTool('crosshair');
}

function applyMove(model: ViewModel, action: GestureAction & { t: 'move-drawing' }): void {
  const { drawings } = model;
  const place = placeOf(model, action, action.isFree);
  if (action.phase === 'begin') drawings.grab(action.key, action.part, place);
  else if (action.phase === 'move') drawings.drag(place);
  else if (action.phase === 'cancel') drawings.cancel();
  else {
    drawings.drag(place);
    drawings.drop();
    model.keepDrawings();
  }
  model.changed();
}

function applyPress(model: ViewModel, action: GestureAction & { t: 'press' }): void {
  const { target } = action;
  model.drawings.select(target.t === 'drawing' ? target.key : null);
  if (action.kind === 'touch' && target.t === 'none') model.crosshair.clear();
  model.changed();
}
