/** Keys that concern the page and not one chart, whether a chart or the page has heard them. */

import type { ViewCommand } from '@tapeloom/charts/view/view-options';
import type { Desk } from './desk.ts';
import { type DrawerState, INDICATORS_DRAWER } from './desk-ui.ts';
import { toggleFullScreen } from './full-screen.ts';

export function runCommand(desk: Desk, command: ViewCommand): void {
  const acts: Readonly<Record<ViewCommand, () => void>> = {
    indicators: () => desk.openDrawer(INDICATORS_DRAWER),
    table: () => toggle(desk, { t: 'table' }),
    wire: () => toggle(desk, { t: 'wire' }),
    keys: () => desk.setUi({ dialog: 'keys' }),
    'full-screen': toggleFullScreen,
    play: () => desk.replay.run?.toggle(),
    'step-back': () => desk.replay.run?.stepBack(),
    'step-on': () => desk.replay.run?.stepOn(),
  };
  acts[command]();
}

function toggle(desk: Desk, drawer: DrawerState): void {
  desk.openDrawer(desk.ui.value.drawer?.t === drawer.t ? null : drawer);
}

/** What a focused button does with a key by itself. */
const OF_BUTTONS: ReadonlySet<string> = new Set(['Enter', ' ', 'Tab']);

/** Keys that no chart has heard go to the chart in use, unless a field, a menu or a button has its own use for them. */
export function heardKey(desk: Desk, event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.defaultPrevented || desk.ui.value.dialog !== null) return;
  if (target instanceof HTMLElement) {
    if (
      target.closest('input, textarea, select, [role="menu"], [role="dialog"], dialog') !== null
    ) {
      return;
    }
    if (target.closest('.chart-root') !== null) return;
    const isButton = target.closest('button, a, [role="slider"]') !== null;
    if (isButton && (OF_BUTTONS.has(key) || key.startsWith('Arrow'))) return;
    if (target.closest('.drawer') !== null && key !== 'Escape') return;
  }
  if (key === 'Escape' && desk.ui.value.drawer !== null) {
    desk.openDrawer(null);
    event.preventDefault();
    return;
  }
  if (desk.inUse.view?.key(event) === true) event.preventDefault();
}
