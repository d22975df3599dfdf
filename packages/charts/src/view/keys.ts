/** What each key of a focused chart does. Keys with Ctrl or Meta stay the browser's, but for undo and redo. */

import type { Look } from '../spec/chart-spec.ts';
import type { Tool, ViewCommand } from './view-options.ts';

export interface KeyPress {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
}

export type KeyAction =
  | { readonly t: 'bar'; readonly by: 1 | -1 }
  | { readonly t: 'row'; readonly by: 1 | -1 }
  /** Shift + arrow: a range grows from the crosshair. */
  | { readonly t: 'range-bar'; readonly by: 1 | -1 }
  /** Half a screen; positive is towards the present. */
  | { readonly t: 'half-screen'; readonly by: 1 | -1 }
  | { readonly t: 'zoom-time'; readonly factor: number }
  | { readonly t: 'zoom-price'; readonly factor: number }
  | { readonly t: 'home' }
  | { readonly t: 'end' }
  | { readonly t: 'fit' }
  | { readonly t: 'look'; readonly look: Look }
  | { readonly t: 'next-group' }
  | { readonly t: 'tool'; readonly tool: Tool }
  /** A place for the tool, or the next drawing. */
  | { readonly t: 'enter' }
  | { readonly t: 'edit-text' }
  | { readonly t: 'delete' }
  | { readonly t: 'escape' }
  | { readonly t: 'undo' }
  | { readonly t: 'redo' }
  | { readonly t: 'command'; readonly command: ViewCommand };

const ZOOM_STEP = 1.25;

const LOOK_KEYS = new Map<string, Look>(
  Object.entries<Look>({
    1: 'bidask',
    2: 'delta',
    3: 'volume',
    4: 'two',
  }),
);

const TOOL_KEYS = new Map<string, Tool>(
  Object.entries<Tool>({
    r: 'range',
    h: 'line',
    t: 'trend',
    b: 'rectangle',
    x: 'text',
    m: 'measure',
  }),
);

const COMMAND_KEYS = new Map<string, ViewCommand>(
  Object.entries<ViewCommand>({
    '/': 'indicators',
    ' ': 'play',
    ',': 'step-back',
    '.': 'step-on',
    w: 'wire',
    v: 'table',
    f: 'full-screen',
    '?': 'keys',
  }),
);

const OTHER_KEYS = new Map<string, KeyAction>(
  Object.entries<KeyAction>({
    ArrowLeft: { t: 'bar', by: -1 },
    ArrowRight: { t: 'bar', by: 1 },
    ArrowUp: { t: 'row', by: 1 },
    ArrowDown: { t: 'row', by: -1 },
    Home: { t: 'home' },
    End: { t: 'end' },
    a: { t: 'fit' },
    g: { t: 'next-group' },
    Enter: { t: 'enter' },
    F2: { t: 'edit-text' },
    Delete: { t: 'delete' },
    Backspace: { t: 'delete' },
    Escape: { t: 'escape' },
  }),
);

/** Null: the key is not the chart's. Tab never is: the page's order of focus leads to the next chart. */
export function keyAction(press: KeyPress): KeyAction | null {
  const { altKey, ctrlKey, metaKey, shiftKey } = press;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (ctrlKey || metaKey) {
    if (altKey) return null;
    if (key === 'z') return { t: shiftKey ? 'redo' : 'undo' };
    return key === 'y' ? { t: 'redo' } : null;
  }
  const zoom = key === '+' || key === '=' ? ZOOM_STEP : isMinus(key) ? 1 / ZOOM_STEP : null;
  if (zoom !== null) return { t: altKey ? 'zoom-price' : 'zoom-time', factor: zoom };
  const arrow = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : null;
  if (arrow !== null && altKey) return { t: 'half-screen', by: arrow };
  if (arrow !== null && shiftKey) return { t: 'range-bar', by: arrow };
  if (altKey) return null;
  const look = LOOK_KEYS.get(key);
  if (look !== undefined) return { t: 'look', look };
  const tool = TOOL_KEYS.get(key);
  if (tool !== undefined) return { t: 'tool', tool };
  const command = COMMAND_KEYS.get(key);
  if (command !== undefined) return { t: 'command', command };
  return OTHER_KEYS.get(key) ?? null;
}

function isMinus(key: string): boolean {
  return key === '-' || key === '_' || key === '−';
}
