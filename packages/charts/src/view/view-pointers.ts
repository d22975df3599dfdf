/** Pointers over a stage act on its chart. */

import type { ClientClock } from '@tapeloom/client/stream';
import { Gestures } from './gestures.ts';
import { applyGesture, groundAt, targetAt } from './model-gestures.ts';
import { listenToPointers } from './pointer-input.ts';
import type { ViewModel } from './view-model.ts';
import type { Tool } from './view-options.ts';

export interface ViewPointers {
  readonly stage: HTMLElement;
  readonly model: ViewModel;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  /** True: the double click was for a drawing. */
  takesDouble(x: number, y: number): boolean;
  used(): void;
}

export function connectPointers(pointers: ViewPointers): void {
  const { stage, model, clock, signal, used, takesDouble } = pointers;
  listenToPointers({
    ...{ stage, signal, used, takesDouble, gestures: new Gestures() },
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
    act: (actions) => {
      for (const action of actions) applyGesture(model, action);
    },
  });
}

function gestureTool(tool: Tool): 'crosshair' | 'range' | 'draw' {
  return tool === 'crosshair' || tool === 'range' ? tool : 'draw';
}
