/** Turns the pointer events of an element into the inputs of gestures. */

import type {
  GestureAction,
  GestureContext,
  GestureInput,
  Gestures,
  Ground,
  PointerKind,
  Target,
} from './gestures.ts';

export interface PointerPort {
  readonly stage: HTMLElement;
  readonly gestures: Gestures;
  readonly signal: AbortSignal;
  /** Milliseconds; never goes back. */
  now(): number;
  /** Calls once after that time. */
  after(ms: number, call: () => void): void;
  context(): GestureContext;
  groundAt(x: number, y: number): Ground;
  targetAt(x: number, y: number, isTouch: boolean): Target;
  /** True: the double click was for something under it, such as a drawing. */
  takesDouble(x: number, y: number): boolean;
  act(actions: readonly GestureAction[]): void;
  /** The first thing that any pointer does. */
  used(): void;
}

export function listenToPointers(port: PointerPort): void {
  const { stage, gestures, signal } = port;
  const take = (input: GestureInput) => {
    const actions = gestures.take(input, port.context());
    for (const action of actions) {
      if (action.t === 'wait') {
        port.after(action.ms, () => take({ t: 'timer', ms: port.now() }));
      }
    }
    port.act(actions);
  };
  const hear = <K extends keyof HTMLElementEventMap>(
    kind: K,
    call: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => stage.addEventListener(kind, call, { ...options, signal });
  hear('pointerdown', (event) => {
    // The right button opens the browser's menu; the middle one scrolls.
    if (event.button !== 0) return;
    port.used();
    stage.setPointerCapture(event.pointerId);
    take(downInput(event, port));
  });
  hear('pointermove', (event) => {
    const [x, y] = placeIn(stage, event);
    take({ t: 'move', id: event.pointerId, x, y, hasAlt: event.altKey, ms: port.now() });
  });
  hear('pointerup', (event) => {
    const [x, y] = placeIn(stage, event);
    take({ t: 'up', id: event.pointerId, x, y, hasAlt: event.altKey, ms: port.now() });
  });
  hear('pointercancel', ({ pointerId }) => take({ t: 'cancel', id: pointerId }));
  hear('pointerleave', ({ pointerType }) => {
    // A finger that was lifted leaves its crosshair behind, to be read.
    if (pointerType === 'mouse') take({ t: 'leave' });
  });
  hear('dblclick', (event) => {
    const [x, y] = placeIn(stage, event);
    if (!port.takesDouble(x, y)) take({ t: 'double', x, y, ground: port.groundAt(x, y) });
  });
  hear('contextmenu', (event) => {
    // On touch it comes with the long press, which sets the crosshair.
    if (!gestures.isIdle) event.preventDefault();
  });
  hear('wheel', (event) => wheel(event, port, take), { passive: false });
}

function downInput(event: PointerEvent, port: PointerPort): GestureInput {
  const [x, y] = placeIn(port.stage, event);
  const kind = kindOf(event);
  return {
    t: 'down',
    id: event.pointerId,
    ...{ kind, x, y },
    ground: port.groundAt(x, y),
    target: port.targetAt(x, y, kind === 'touch'),
    hasShift: event.shiftKey,
    hasAlt: event.altKey,
    ms: port.now(),
  };
}

function wheel(event: WheelEvent, port: PointerPort, take: (input: GestureInput) => void): void {
  event.preventDefault();
  port.used();
  const [x, y] = placeIn(port.stage, event);
  take({
    t: 'wheel',
    ...{ x, y, dx: event.deltaX, dy: event.deltaY, mode: event.deltaMode },
    ground: port.groundAt(x, y),
    ...{ hasShift: event.shiftKey, hasAlt: event.altKey, hasControl: event.ctrlKey },
  });
}

function placeIn(stage: HTMLElement, event: MouseEvent): readonly [number, number] {
  const { left, top } = stage.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

function kindOf({ pointerType }: PointerEvent): PointerKind {
  return pointerType === 'touch' || pointerType === 'pen' ? pointerType : 'mouse';
}
