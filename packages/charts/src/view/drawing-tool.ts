/**
 * Drawing, moving, selecting and undoing as a state machine without a screen. Places arrive already snapped. `all` is
 * what to show now; `saved` is what a layout keeps.
 */

import type { Drawing, DrawingKind, DrawingPoint } from '../spec/drawing.ts';
import type { DrawingPart } from './drawing-hit.ts';

/** More would neither be read nor fit into a saved layout. */
export const DRAWINGS_MAX = 60;
export const DRAWING_TEXT_MAX = 120;
const UNDO_MAX = 100;

export interface Place {
  /** When the column begins. */
  readonly ns: bigint;
  readonly ticks: number;
}

/** Columns and their times: a drawing moves by whole columns, however much time these take. */
export interface ColumnTimes {
  columnOf(ns: bigint): number;
  nsOf(column: number): bigint;
}

type Act =
  | { readonly t: 'none' }
  | { readonly t: 'draft'; readonly drawing: Drawing; readonly waitsForClick: boolean }
  | {
      readonly t: 'drag';
      readonly part: DrawingPart;
      readonly grab: Place;
      readonly from: Drawing;
      readonly drawing: Drawing;
    };

export class DrawingTool {
  readonly #times: ColumnTimes;
  #saved: readonly Drawing[];
  #selected: string | null = null;
  #act: Act = { t: 'none' };
  #past: (readonly Drawing[])[] = [];
  #future: (readonly Drawing[])[] = [];

  constructor(saved: readonly Drawing[], times: ColumnTimes) {
    this.#saved = saved;
    this.#times = times;
  }

  get saved(): readonly Drawing[] {
    return this.#saved;
  }

  /** With the draft, and with a dragged drawing where it is now. */
  get all(): readonly Drawing[] {
    const act = this.#act;
    if (act.t === 'draft') return [...this.#saved, act.drawing];
    if (act.t === 'drag') return replaced(this.#saved, act.drawing);
    return this.#saved;
  }

  get selected(): Drawing | null {
    return this.all.find(({ key }) => key === this.#selected) ?? null;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  get isDrafting(): boolean {
    return this.#act.t === 'draft';
  }

  get isFull(): boolean {
    return this.#saved.length >= DRAWINGS_MAX;
  }

  /** Free in this chart, and short, since layouts have little room. */
  get newKey(): string {
    let count = this.#saved.length + 1;
    while (this.#saved.some(({ key }) => key === `d${count}`)) count += 1;
    return `d${count}`;
  }

  /** Drawings from elsewhere, such as another layout: nothing of them can be undone here. */
  load(saved: readonly Drawing[]): void {
    if (saved === this.#saved) return;
    this.#saved = saved;
    this.#past = [];
    this.#future = [];
    this.#act = { t: 'none' };
  }

  /** A press with a tool: the first place, or the second of a drawing that waits for it. */
  begin(kind: DrawingKind, place: Place): void {
    if (this.#act.t === 'draft') {
      this.stretch(place);
      return;
    }
    const drawing = newDrawing(this.newKey, kind, place);
    this.#selected = drawing.key;
    this.#act = { t: 'draft', drawing, waitsForClick: false };
  }

  stretch(place: Place): void {
    const act = this.#act;
    if (act.t === 'draft') this.#act = { ...act, drawing: stretched(act.drawing, place) };
  }

  /** The end of a press. Null: the drawing waits for its second place. */
  finish(place: Place, hasMoved: boolean): Drawing | null {
    this.stretch(place);
    const act = this.#act;
    if (act.t !== 'draft') return null;
    const hasTwoPlaces = 'from' in act.drawing;
    if (hasTwoPlaces && !hasMoved && !act.waitsForClick) {
      this.#act = { ...act, waitsForClick: true };
      return null;
    }
    this.#act = { t: 'none' };
    if (hasTwoPlaces && isPoint(act.drawing)) {
      this.#selected = null;
      return null;
    }
    this.#commit([...this.#saved, act.drawing]);
    return act.drawing;
  }

  /** A finished drawing, such as a range that is kept. */
  add(drawing: Drawing): void {
    this.#selected = drawing.key;
    this.#commit([...this.#saved, drawing]);
  }

  grab(key: string, part: DrawingPart, grab: Place): void {
    const from = this.#saved.find((drawing) => drawing.key === key);
    if (from === undefined) return;
    this.#selected = key;
    this.#act = { t: 'drag', part, grab, from, drawing: from };
  }

  drag(place: Place): void {
    const act = this.#act;
    if (act.t !== 'drag') return;
    this.#act = { ...act, drawing: this.#moved(act.from, act.part, act.grab, place) };
  }

  drop(): void {
    const act = this.#act;
    if (act.t !== 'drag') return;
    this.#act = { t: 'none' };
    if (!isSame(act.drawing, act.from)) this.#commit(replaced(this.#saved, act.drawing));
  }

  /** Leaves a draft or a drag without a trace. True: there was one. */
  cancel(): boolean {
    const wasActive = this.#act.t !== 'none';
    if (this.#act.t === 'draft') this.#selected = null;
    this.#act = { t: 'none' };
    return wasActive;
  }

  select(key: string | null): void {
    this.#selected = this.#saved.some((drawing) => drawing.key === key) ? key : null;
  }

  /** The drawing after the selected one; after the last, none. */
  selectNext(): Drawing | null {
    const at = this.#saved.findIndex(({ key }) => key === this.#selected);
    this.#selected = this.#saved[at + 1]?.key ?? null;
    return this.selected;
  }

  /** Moves the selected drawing as a whole. */
  nudge(columns: number, ticks: number): void {
    const drawing = this.selected;
    if (drawing === null || this.#act.t !== 'none') return;
    const moved = movedBy(drawing, columns, ticks, this.#times);
    if (!isSame(moved, drawing)) this.#commit(replaced(this.#saved, moved));
  }

  setText(key: string, text: string): void {
    const drawing = this.#saved.find((each) => each.key === key);
    if (drawing === undefined) return;
    const clean = text.trim().slice(0, DRAWING_TEXT_MAX);
    if (clean === '' && drawing.kind === 'text') this.remove(key);
    else if (clean !== drawing.text)
      this.#commit(replaced(this.#saved, { ...drawing, text: clean }));
  }

  remove(key: string): void {
    const kept = this.#saved.filter((drawing) => drawing.key !== key);
    if (kept.length === this.#saved.length) return;
    if (this.#selected === key) this.#selected = null;
    this.#commit(kept);
  }

  clear(): void {
    this.#selected = null;
    if (this.#saved.length > 0) this.#commit([]);
  }

  undo(): boolean {
    const before = this.#past.pop();
    if (before === undefined) return false;
    this.#future.push(this.#saved);
    this.#show(before);
    return true;
  }

  redo(): boolean {
    const after = this.#future.pop();
    if (after === undefined) return false;
    this.#past.push(this.#saved);
    this.#show(after);
    return true;
  }

  #show(drawings: readonly Drawing[]): void {
    this.#act = { t: 'none' };
    this.#saved = drawings;
    if (!drawings.some(({ key }) => key === this.#selected)) this.#selected = null;
  }

  #commit(drawings: readonly Drawing[]): void {
    this.#past.push(this.#saved);
    if (this.#past.length > UNDO_MAX) this.#past.shift();
    this.#future = [];
    this.#saved = drawings;
  }

  #moved(drawing: Drawing, part: DrawingPart, grab: Place, place: Place): Drawing {
    if (part === 'body' || !('from' in drawing)) {
      const columns = this.#times.columnOf(place.ns) - this.#times.columnOf(grab.ns);
      return movedBy(drawing, columns, place.ticks - grab.ticks, this.#times);
    }
    const { ns, ticks } = pointOf(place);
    const { from, to } = drawing;
    switch (part) {
      case 'from':
        return { ...drawing, from: { ns, ticks } };
      case 'to':
        return { ...drawing, to: { ns, ticks } };
      case 'from-to':
        return { ...drawing, from: { ...from, ns }, to: { ...to, ticks } };
      case 'to-from':
        return { ...drawing, from: { ...from, ticks }, to: { ...to, ns } };
      default:
        return part satisfies never;
    }
  }
}

export function pointOf({ ns, ticks }: Place): DrawingPoint {
  return { ns: String(ns), ticks };
}

function newDrawing(key: string, kind: DrawingKind, place: Place): Drawing {
  const at = pointOf(place);
  if (kind === 'line') return { key, kind, text: '', ticks: place.ticks };
  if (kind === 'text') return { key, kind, text: '', at };
  return { key, kind, text: '', from: at, to: at };
}

function stretched(drawing: Drawing, place: Place): Drawing {
  if (drawing.kind === 'line') return { ...drawing, ticks: place.ticks };
  if (drawing.kind === 'text') return { ...drawing, at: pointOf(place) };
  return { ...drawing, to: pointOf(place) };
}

function movedBy(drawing: Drawing, columns: number, ticks: number, times: ColumnTimes): Drawing {
  const moved = (point: DrawingPoint): DrawingPoint => ({
    ns: columns === 0 ? point.ns : String(times.nsOf(times.columnOf(BigInt(point.ns)) + columns)),
    ticks: point.ticks + ticks,
  });
  if (drawing.kind === 'line') return { ...drawing, ticks: drawing.ticks + ticks };
  if (drawing.kind === 'text') return { ...drawing, at: moved(drawing.at) };
  return { ...drawing, from: moved(drawing.from), to: moved(drawing.to) };
}

/** Both places in one bar and at one price: nothing was drawn. */
function isPoint(drawing: Drawing): boolean {
  if (!('from' in drawing)) return false;
  const { from, to } = drawing;
  return from.ns === to.ns && from.ticks === to.ticks;
}

function isSame(a: Drawing, b: Drawing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function replaced(drawings: readonly Drawing[], drawing: Drawing): readonly Drawing[] {
  return drawings.map((each) => (each.key === drawing.key ? drawing : each));
}
