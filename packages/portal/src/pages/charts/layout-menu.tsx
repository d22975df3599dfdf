/** The button of layouts, with how the open one is saved. */

import { useDesk } from './desk-context.tsx';
import { DeskIcon } from './desk-icon.tsx';
import { later } from './later.tsx';
import { savedWord } from './layout-keeper.ts';
import { Menu } from './menu.tsx';
import { useStore } from './use-store.ts';

export const LayoutParts = later(async () => (await import('./layout-parts.tsx')).LayoutParts);

export function LayoutMenu() {
  const desk = useDesk();
  const { name, state } = useStore(desk.keeper.shown);
  const word = savedWord(state);
  const isWrong = state.t === 'conflict' || state.t === 'failed' || state.t === 'refused';
  return (
    <Menu
      label="Layouts"
      kind="dialog"
      class="layouts"
      isAtEnd
      button={
        <>
          <DeskIcon name="grid" />
          <span class="layout-name medium-up">
            <bdi>{name}</bdi>
          </span>
          {word !== '' && <small class={isWrong ? 'is-wrong' : 'wide-only'}>{word}</small>}
          <DeskIcon name="chevron" />
        </>
      }
    >
      {(close) => <LayoutParts onClose={close} />}
    </Menu>
  );
}
