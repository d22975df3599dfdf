/** Pointers over a stage act on its chart. */

import type { ClientClock } from '@tapeloom/client/stream';
import type { DrawingText } from './drawing-text.ts';
import { Gestures } from './gestures.ts';
import { applyGesture, groundAt, targetAt } from './model-gestures.ts';
import { listenToPointers } from './pointer-input.ts';
import type { ViewModel } from './view-model.ts';
import type { Tool } from './view-options.ts';

export interface ViewPointers {
  readonly stage: HTMLElement;
  readonly model: ViewModel;
  readonly text: DrawingText;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  used(): void;
}

export function connectPointers({ stage, model, text, clock, signal, used }: ViewPointers): void {
  listenToPointers({
    ...{ stage, signal, used, gestures: new Gestures() },
    now: () => clock.now(),
    after: (ms, call) => {
      clock.after(ms, () => {
        if (!signal.aborted) call();
      });
    },
    context: () => ({
      isAutoFit: model.viewport.window.isAuto,
      tool: gestureTool(model.tool),
    }),
    groundAt: (x, y) => groundAt(model, { x, y }),
    targetAt: (x, y, isTouch) => targetAt(model, { x, y }, isTouch),
    takesDouble: (x, y) => text.openAt(x, y),
    act: (actions) => {
      for (const action of actions) applyGesture(model, action);
    },
  });
}

function gestureTool(tool: Tool): 'crosshair' | 'range' | 'draw' {
  return tool === 'crosshair' || tool === 'range' ? tool : 'draw';
}
