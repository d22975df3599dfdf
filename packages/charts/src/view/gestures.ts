/**
 * What hands do, as a state machine: pointers and wheels go in, actions come out. Times are milliseconds of a clock that
 * never goes back; a `wait` asks for `timer` after that long.
 */

import type { DrawingPart } from './drawing-hit.ts';

/** Pixels a pointer may wander before a press is a drag. */
const SLACK_PX = { mouse: 3, pen: 5, touch: 8 };
/** Vertical pixels after which a drag moves prices that fit by themselves. */
const LEAVES_FIT_PX = 14;
const LONG_PRESS_MS = 450;
/** Pixels a millisecond from which a released drag glides on. */
const GLIDES_FROM = 0.3;
/** A finger that rested this long before it left does not throw the chart. */
const RESTED_MS = 60;
const WHEEL_LINE_PX = 16;
const WHEEL_ZOOM = 0.0022;
/** A pinch on a touchpad arrives as a wheel with Ctrl and small steps. */
const PINCH_ZOOM = 0.012;
const AXIS_ZOOM = 0.006;
/** Fingers closer than this say nothing about a scale. */
const PINCH_PX_MIN = 12;

export type PointerKind = 'mouse' | 'touch' | 'pen';
export type Ground = 'plot' | 'price-axis' | 'time-axis' | 'zone';

/** What lies under a pointer that goes down. */
export type Target =
  | { readonly t: 'none' }
  | { readonly t: 'range-edge'; readonly edge: 'from' | 'to' }
  | { readonly t: 'drawing'; readonly key: string; readonly part: DrawingPart };

interface At {
  readonly x: number;
  readonly y: number;
}

export interface PointerDown extends At {
  readonly t: 'down';
  readonly id: number;
  readonly kind: PointerKind;
  readonly ground: Ground;
  readonly target: Target;
  readonly hasShift: boolean;
  readonly hasAlt: boolean;
  readonly ms: number;
}

export interface WheelTurn extends At {
  readonly t: 'wheel';
  readonly dx: number;
  readonly dy: number;
  /** As `WheelEvent.deltaMode`: pixels, lines, pages. */
  readonly mode: number;
  readonly ground: Ground;
  readonly hasShift: boolean;
  readonly hasAlt: boolean;
  readonly hasControl: boolean;
}

export type GestureInput =
  | PointerDown
  | (At & {
      readonly t: 'move';
      readonly id: number;
      readonly hasAlt: boolean;
      readonly ms: number;
    })
  | (At & { readonly t: 'up'; readonly id: number; readonly hasAlt: boolean; readonly ms: number })
  | { readonly t: 'cancel'; readonly id: number }
  | { readonly t: 'leave' }
  | WheelTurn
  | (At & { readonly t: 'double'; readonly ground: Ground })
  | { readonly t: 'timer'; readonly ms: number };

type Phase = 'begin' | 'move' | 'end' | 'cancel';

export type GestureAction =
  | (At & { readonly t: 'hover' })
  | { readonly t: 'leave' }
  | { readonly t: 'pan'; readonly dx: number; readonly dy: number }
  /** `x` null: the right edge stays. */
  | { readonly t: 'zoom-time'; readonly factor: number; readonly x: number | null }
  | { readonly t: 'zoom-price'; readonly factor: number }
  | { readonly t: 'fit' }
  /** The chart goes on at this many pixels a millisecond, slower and slower. */
  | { readonly t: 'glide'; readonly speed: number }
  | { readonly t: 'still' }
  /** `edge` null: a new range begins. */
  | (At & { readonly t: 'range'; readonly phase: Phase; readonly edge: 'from' | 'to' | null })
  | (At & {
      readonly t: 'draw';
      readonly phase: Phase;
      readonly hasMoved: boolean;
      readonly isFree: boolean;
    })
  | (At & {
      readonly t: 'move-drawing';
      readonly phase: Phase;
      readonly key: string;
      readonly part: DrawingPart;
      readonly isFree: boolean;
    })
  /** A press without a drag. */
  | (At & { readonly t: 'press'; readonly target: Target; readonly kind: PointerKind })
  | { readonly t: 'next-zone' }
  | { readonly t: 'wait'; readonly ms: number };

/** What the chart is doing, as far as it changes what a hand means. */
export interface GestureContext {
  readonly isAutoFit: boolean;
  readonly tool: 'crosshair' | 'range' | 'draw';
}

type DragKind = 'pan' | 'price' | 'time' | 'range' | 'draw' | 'drawing' | 'crosshair' | 'zone';

interface Drag {
  readonly down: PointerDown;
  kind: DragKind;
  x: number;
  y: number;
  hasMoved: boolean;
  /** What moves has been named. */
  hasBegun: boolean;
  /** The drag moves prices too. */
  isVertical: boolean;
  /** Pixels a millisecond, smoothed. */
  speed: number;
  ms: number;
}

interface Pinch {
  distance: number;
  x: number;
  readonly isVertical: boolean;
}

export class Gestures {
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #drag: Drag | null = null;
  #pinch: Pinch | null = null;

  /** Nothing is held down. */
  get isIdle(): boolean {
    return this.#pointers.size === 0;
  }

  take(input: GestureInput, context: GestureContext): readonly GestureAction[] {
    switch (input.t) {
      case 'down':
        return this.#down(input, context);
      case 'move':
        return this.#move(input, context);
      case 'up':
        return this.#up(input);
      case 'cancel':
        return this.#cancel(input.id);
      case 'leave':
        return this.#drag === null ? [{ t: 'leave' }] : [];
      case 'wheel':
        return wheelActions(input);
      case 'double':
        return input.ground === 'zone' ? [] : [{ t: 'fit' }];
      case 'timer':
        return this.#timer(input.ms);
      default:
        return input satisfies never;
    }
  }

  #down(input: PointerDown, context: GestureContext): readonly GestureAction[] {
    const { id, x, y, ms } = input;
    this.#pointers.set(id, { x, y });
    if (this.#pointers.size === 2) return [...this.#ended('cancel'), ...this.#beginPinch()];
    if (this.#pointers.size > 2) return [];
    const kind = dragKind(input, context);
    const drag: Drag = {
      ...{ down: input, kind, x, y, hasMoved: false, hasBegun: false },
      ...{ isVertical: !context.isAutoFit, speed: 0, ms },
    };
    this.#drag = drag;
    const actions: GestureAction[] = [{ t: 'still' }];
    const edge = input.target.t === 'range-edge' ? input.target.edge : null;
    if (kind === 'range') actions.push({ t: 'range', phase: 'begin', edge, x, y });
    if (kind === 'draw') {
      actions.push({ t: 'draw', phase: 'begin', hasMoved: false, isFree: input.hasAlt, x, y });
    }
    if (kind === 'pan' && input.kind === 'touch') actions.push({ t: 'wait', ms: LONG_PRESS_MS });
    return actions;
  }

  #beginPinch(): readonly GestureAction[] {
    const [a, b] = this.#twoPointers();
    this.#drag = null;
    this.#pinch = {
      distance: Math.max(PINCH_PX_MIN, Math.hypot(a.x - b.x, a.y - b.y)),
      x: (a.x + b.x) / 2,
      isVertical: Math.abs(a.y - b.y) > 2 * Math.abs(a.x - b.x),
    };
    return [{ t: 'still' }];
  }

  #move(
    { id, x, y, ms, hasAlt }: GestureInput & { t: 'move' },
    context: GestureContext,
  ): readonly GestureAction[] {
    const pointer = this.#pointers.get(id);
    if (pointer === undefined) return [{ t: 'hover', x, y }];
    pointer.x = x;
    pointer.y = y;
    if (this.#pinch !== null) return this.#movePinch(this.#pinch);
    const drag = this.#drag;
    if (drag === null) return [];
    const { down } = drag;
    if (!drag.hasMoved) {
      if (Math.hypot(x - down.x, y - down.y) < SLACK_PX[down.kind]) return [];
      drag.hasMoved = true;
    }
    const actions = [...beginnings(drag), ...dragged(drag, { x, y }, hasAlt, context)];
    // A finger hides what lies under it: its crosshair comes from a long press only.
    if (down.kind !== 'touch' && hasCrosshair(drag.kind)) actions.push({ t: 'hover', x, y });
    drag.hasBegun = true;
    const passed = Math.max(1, ms - drag.ms);
    drag.speed = 0.6 * drag.speed + 0.4 * ((x - drag.x) / passed);
    drag.ms = ms;
    drag.x = x;
    drag.y = y;
    return actions;
  }

  #movePinch(pinch: Pinch): readonly GestureAction[] {
    const [a, b] = this.#twoPointers();
    const distance = Math.max(PINCH_PX_MIN, Math.hypot(a.x - b.x, a.y - b.y));
    const x = (a.x + b.x) / 2;
    const factor = distance / pinch.distance;
    const dx = x - pinch.x;
    pinch.distance = distance;
    pinch.x = x;
    return [
      { t: 'pan', dx, dy: 0 },
      pinch.isVertical ? { t: 'zoom-price', factor } : { t: 'zoom-time', factor, x },
    ];
  }

  #up({ id, x, y, ms, hasAlt }: GestureInput & { t: 'up' }): readonly GestureAction[] {
    if (!this.#pointers.delete(id)) return [];
    if (this.#pinch !== null) {
      if (this.#pointers.size < 2) this.#pinch = null;
      return [];
    }
    const drag = this.#drag;
    if (drag === null || drag.down.id !== id) return [];
    const { down, hasMoved, kind } = drag;
    if (!hasMoved && kind === 'zone') {
      this.#drag = null;
      return [{ t: 'next-zone' }];
    }
    const isPress = !hasMoved && (kind === 'pan' || kind === 'drawing');
    if (isPress) {
      this.#drag = null;
      return [{ t: 'press', x, y, target: down.target, kind: down.kind }];
    }
    const ended = this.#ended('end', { x, y }, hasAlt);
    const isThrown =
      kind === 'pan' && hasMoved && Math.abs(drag.speed) > GLIDES_FROM && ms - drag.ms <= RESTED_MS;
    return isThrown ? [...ended, { t: 'glide', speed: drag.speed }] : ended;
  }

  #cancel(id: number): readonly GestureAction[] {
    if (!this.#pointers.delete(id)) return [];
    this.#pinch = null;
    return this.#ended('cancel');
  }

  #ended(phase: 'end' | 'cancel', at: At | null = null, isFree = false): readonly GestureAction[] {
    const drag = this.#drag;
    this.#drag = null;
    if (drag === null) return [];
    const { x, y } = at ?? drag;
    const { target } = drag.down;
    if (drag.kind === 'range') {
      return [{ t: 'range', phase, edge: target.t === 'range-edge' ? target.edge : null, x, y }];
    }
    if (drag.kind === 'draw') {
      return [{ t: 'draw', phase, hasMoved: drag.hasMoved, isFree, x, y }];
    }
    if (drag.kind !== 'drawing' || target.t !== 'drawing' || !drag.hasMoved) return [];
    return [{ t: 'move-drawing', phase, key: target.key, part: target.part, isFree, x, y }];
  }

  /** A finger that stays where it went down sets the crosshair, and moves it from then on. */
  #timer(ms: number): readonly GestureAction[] {
    const drag = this.#drag;
    if (drag === null || drag.hasMoved || drag.kind !== 'pan') return [];
    if (drag.down.kind !== 'touch' || ms - drag.down.ms < LONG_PRESS_MS) return [];
    drag.kind = 'crosshair';
    drag.hasMoved = true;
    return [{ t: 'hover', x: drag.x, y: drag.y }];
  }

  #twoPointers(): readonly [At, At] {
    const [a, b] = this.#pointers.values();
    return [a!, b!];
  }
}

function dragKind({ ground, target, hasShift }: PointerDown, { tool }: GestureContext): DragKind {
  if (ground === 'price-axis') return 'price';
  if (ground === 'time-axis') return 'time';
  if (ground === 'zone') return 'zone';
  if (target.t === 'range-edge') return 'range';
  if (tool === 'draw') return 'draw';
  if (tool === 'range' || hasShift) return 'range';
  return target.t === 'drawing' ? 'drawing' : 'pan';
}

function hasCrosshair(kind: DragKind): boolean {
  return kind === 'pan' || kind === 'range' || kind === 'draw' || kind === 'drawing';
}

/** A drawing begins to move where it was taken, not where the pointer is after its slack. */
function beginnings({ hasBegun, kind, down }: Drag): readonly GestureAction[] {
  const { target, hasAlt, x, y } = down;
  if (hasBegun || kind !== 'drawing' || target.t !== 'drawing') return [];
  const { key, part } = target;
  return [{ t: 'move-drawing', phase: 'begin', key, part, isFree: hasAlt, x, y }];
}

function dragged(
  drag: Drag,
  { x, y }: At,
  isFree: boolean,
  { isAutoFit }: GestureContext,
): readonly GestureAction[] {
  const { target } = drag.down;
  switch (drag.kind) {
    case 'price':
      return [{ t: 'zoom-price', factor: Math.exp((drag.y - y) * AXIS_ZOOM) }];
    case 'time':
      return [{ t: 'zoom-time', factor: Math.exp((drag.x - x) * AXIS_ZOOM), x: null }];
    case 'range': {
      const edge = target.t === 'range-edge' ? target.edge : null;
      return [{ t: 'range', phase: 'move', edge, x, y }];
    }
    case 'draw':
      return [{ t: 'draw', phase: 'move', hasMoved: true, isFree, x, y }];
    case 'drawing':
      if (target.t !== 'drawing') return [];
      return [
        { t: 'move-drawing', phase: 'move', key: target.key, part: target.part, isFree, x, y },
      ];
    case 'crosshair':
      return [{ t: 'hover', x, y }];
    case 'zone':
      return [];
    case 'pan': {
      if (!isAutoFit) drag.isVertical = true;
      const wasVertical = drag.isVertical;
      drag.isVertical ||= Math.abs(y - drag.down.y) > LEAVES_FIT_PX;
      const dy = wasVertical ? y - drag.y : 0;
      return [{ t: 'pan', dx: x - drag.x, dy }];
    }
    default:
      return drag.kind satisfies never;
  }
}

function wheelActions(wheel: WheelTurn): readonly GestureAction[] {
  const unit = wheel.mode === 0 ? 1 : wheel.mode === 1 ? WHEEL_LINE_PX : 20 * WHEEL_LINE_PX;
  const [dx, dy] = [wheel.dx * unit, wheel.dy * unit];
  const { x, y, ground, hasAlt, hasControl, hasShift } = wheel;
  const hover: GestureAction = { t: 'hover', x, y };
  // Some systems turn Shift + wheel into a sideways wheel by themselves.
  if (hasShift || Math.abs(dx) > Math.abs(dy)) return [{ t: 'pan', dx: -(dx || dy), dy: 0 }, hover];
  const factor = Math.exp(-dy * (hasControl ? PINCH_ZOOM : WHEEL_ZOOM));
  if (hasAlt || ground === 'price-axis') return [{ t: 'zoom-price', factor }];
  return [{ t: 'zoom-time', factor, x }, hover];
}
