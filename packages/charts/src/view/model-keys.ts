/** What each key does to the chart. */

import { columnAtX } from '../scene/window.ts';
import { drawingSentence } from './drawing-words.ts';
import type { KeyAction } from './keys.ts';
import { finishDraft, refuse, takeTool } from './model-gestures.ts';
import type { ViewModel } from './view-model.ts';
import { hoverSentence, tickSizeOf } from './view-words.ts';

/** Of the words where the loaded bars begin, with air. */
const HEM_PX = 316;
/** After `auto`. */
const HAND_GROUPS = [1, 2, 4, 5, 8, 10, 20, 25, 50, 100] as const;

/** True: the key did something here, so the page must not. */
export function applyKey(model: ViewModel, action: KeyAction): boolean {
  const { viewport, layout } = model;
  switch (action.t) {
    case 'bar':
      return moveBy(model, action.by, 0);
    case 'row':
      return moveBy(model, 0, action.by);
    case 'range-bar':
      return extendRange(model, action.by);
    case 'half-screen':
      viewport.halfScreen(layout, action.by);
      return moved(model);
    case 'zoom-time':
      viewport.zoomTime(layout, action.factor, null);
      return moved(model);
    case 'zoom-price':
      viewport.zoomPrice(layout, action.factor);
      return changed(model);
    case 'home':
      return goHome(model);
    case 'end':
      viewport.end();
      return moved(model);
    case 'fit':
      viewport.fit();
      return changed(model);
    case 'look':
      model.changeSpec({ look: action.look });
      return true;
    case 'next-group':
      return nextGroup(model);
    case 'tool':
      return takeTool(model, action.tool);
    case 'enter':
      return enter(model);
    case 'edit-text':
      return editText(model);
    case 'delete':
      return removeSelected(model);
    case 'escape':
      return leaveOne(model);
    case 'undo':
    case 'redo':
      if (model.drawings[action.t]()) model.keepDrawings();
      return true;
    case 'command':
      model.tell({ t: 'command', command: action.command });
      return true;
    default:
      return action satisfies never;
  }
}

/** Where nothing older comes, the words about it have room before the first bar. */
function goHome(model: ViewModel): boolean {
  const { viewport, layout, content } = model;
  const room = content.edge.t === 'hem' ? Math.min(HEM_PX, (layout.plotWidth * 2) / 3) : 0;
  viewport.home(layout, room);
  return moved(model);
}

/** Back to the crosshair, one step at a time. False: there was nothing to leave. */
function leaveOne(model: ViewModel): boolean {
  const { drawings, range, crosshair } = model;
  if (drawings.cancel()) return changed(model);
  if (model.tool !== 'crosshair') {
    if (range.isOpen) model.setRange(() => range.clear());
    model.setTool('crosshair');
    return true;
  }
  if (drawings.selected !== null) {
    drawings.select(null);
    return changed(model);
  }
  if (range.columns !== null) {
    model.setRange(() => range.clear());
    return true;
  }
  if (!crosshair.isOwn) return false;
  crosshair.clear();
  model.crosshairChanged();
  return true;
}

function moveBy(model: ViewModel, columns: number, rows: number): boolean {
  const { drawings, tool } = model;
  if (tool === 'crosshair' && drawings.selected !== null) {
    drawings.nudge(columns, rows);
    model.keepDrawings();
    sayDrawing(model);
    return true;
  }
  return moveCrosshair(model, columns, rows);
}

function moveCrosshair(model: ViewModel, columns: number, rows: number): boolean {
  const { crosshair, viewport, layout, content, count } = model;
  if (count === 0) return true;
  const own = crosshair.isOwn ? model.hoverColumn : null;
  const start = own ?? lastShown(model);
  const column = Math.min(count - 1, Math.max(0, own === null ? start : start + columns));
  const group = model.scene?.cell.group ?? 1;
  const at =
    (own === null ? null : crosshair.ticks(viewport.window, layout)) ?? closeOf(model, column);
  const ticks = rows === 0 ? at : (Math.floor(at / group) + rows) * group;
  crosshair.put(column, ticks);
  viewport.reveal(layout, column);
  if (model.drawings.isDrafting) model.drawings.stretch(placeUnder(model));
  model.moved();
  model.crosshairChanged();
  const hovered = content.bars.columns[column];
  if (hovered === undefined) return true;
  const text = hoverSentence(content, hovered, model.hit, model.timeText);
  model.tell({ t: 'say', text });
  return true;
}

function extendRange(model: ViewModel, by: 1 | -1): boolean {
  const { range, count } = model;
  if (count === 0) return true;
  const from = model.hoverColumn ?? lastShown(model);
  if (range.columns === null) model.setRange(() => range.begin(from));
  moveCrosshair(model, by, 0);
  model.setRange(() => range.extend(model.hoverColumn ?? from));
  return true;
}

function enter(model: ViewModel): boolean {
  const { tool, drawings, range } = model;
  if (model.count === 0) return true;
  if (tool === 'crosshair') {
    drawings.selectNext();
    sayDrawing(model);
    return changed(model);
  }
  if (model.hoverColumn === null) moveCrosshair(model, 0, 0);
  const column = model.hoverColumn ?? model.count - 1;
  if (tool === 'range') {
    if (range.isOpen) {
      range.close();
      model.setTool('crosshair');
    } else model.setRange(() => range.begin(column, true));
    return true;
  }
  if (drawings.isFull) {
    refuse(model);
    return true;
  }
  const place = placeUnder(model);
  drawings.begin(tool, place);
  finishDraft(model, place, false);
  return changed(model);
}

function editText(model: ViewModel): boolean {
  const { selected } = model.drawings;
  if (selected === null) return false;
  model.tell({ t: 'edit-text', key: selected.key });
  return true;
}

export function removeSelected(model: ViewModel): boolean {
  const { selected } = model.drawings;
  if (selected === null) return false;
  model.drawings.remove(selected.key);
  model.keepDrawings();
  model.tell({ t: 'say', text: 'Deleted. Ctrl Z brings it back.' });
  return true;
}

function nextGroup(model: ViewModel): boolean {
  const { group } = model.spec;
  const next =
    group === 'auto' ? HAND_GROUPS[0] : (HAND_GROUPS.find((each) => each > group) ?? 'auto');
  model.changeSpec({ group: next });
  const words =
    next === 'auto' ? 'Rows: automatic.' : `Rows of ${next} tick${next === 1 ? '' : 's'}.`;
  model.tell({ t: 'say', text: words });
  return true;
}

function sayDrawing(model: ViewModel): void {
  const { selected } = model.drawings;
  const text =
    selected === null
      ? 'No drawing selected.'
      : drawingSentence(selected, model.timeText, tickSizeOf(model.content));
  model.tell({ t: 'say', text });
}

/** Where Enter draws: the crosshair's bar and price. */
function placeUnder(model: ViewModel) {
  const { crosshair, viewport, layout, content } = model;
  const column = model.hoverColumn ?? model.count - 1;
  const ticks = crosshair.ticks(viewport.window, layout) ?? closeOf(model, column);
  return { ns: content.bars.columns[column]!.fromNs, ticks };
}

function lastShown(model: ViewModel): number {
  const { viewport, layout, count } = model;
  return Math.min(count - 1, Math.max(0, columnAtX(viewport.window, layout, layout.plotWidth)));
}

function closeOf({ content }: ViewModel, column: number): number {
  const it = content.bars.columns[column];
  return it?.kind === 'bar' ? it.close : (content.bars.last?.close ?? 0);
}

function moved(model: ViewModel): boolean {
  model.moved();
  return true;
}

function changed(model: ViewModel): boolean {
  model.changed();
  return true;
}
