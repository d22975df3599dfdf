/** The five tabs of a phone. Each opens a sheet from below. */

import type { ComponentChildren } from 'preact';
import { LookPart } from './chooser-menus.tsx';
import { useDesk, useSeat } from './desk-context.tsx';
import { DeskIcon, type DeskIconName } from './desk-icon.tsx';
import { INDICATORS_DRAWER } from './desk-ui.ts';
import { LOOK_NAMES } from './look-words.ts';
import { Menu, MenuItem } from './menu.tsx';
import { PhoneMore } from './phone-more.tsx';
import { TOOL_FACTS } from './tool-rail.tsx';
import { useStore } from './use-store.ts';

export function PhoneTabs() {
  const desk = useDesk();
  const { spec } = useSeat();
  const { tool, areDrawingsHidden, drawer } = useStore(desk.ui);
  const isReplay = useStore(desk.replay.phase, ({ t }) => t !== 'off');
  const isAdding = drawer?.t === 'indicators';
  return (
    <nav class="desk-tabs" aria-label="Chart">
      <Tab icon="look" label="Look of the chart" kind="dialog" name={LOOK_NAMES[spec.look]}>
        {(close) => <LookPart onClose={close} />}
      </Tab>
      <button
        type="button"
        class="tab"
        aria-expanded={isAdding}
        onClick={() =>
          desk.openDrawer(isAdding ? null : { ...INDICATORS_DRAWER, isSearching: false })
        }
      >
        <DeskIcon name="indicators" />
        Indicators
      </button>
      <Tab icon="measure" label="Drawing tools" name="Draw">
        {(close) => (
          <>
            {TOOL_FACTS.map(([name, icon, words]) => (
              <MenuItem
                key={name}
                icon={icon}
                isChosen={tool === name}
                onClick={() => {
                  desk.setTool(name);
                  close();
                }}
              >
                {words}
              </MenuItem>
            ))}
            <hr />
            <MenuItem
              icon={areDrawingsHidden ? 'eye' : 'eye-off'}
              onClick={() => {
                desk.hideDrawings(!areDrawingsHidden);
                close();
              }}
            >
              {areDrawingsHidden ? 'Show drawings' : 'Hide drawings'}
            </MenuItem>
            <MenuItem
              icon="trash"
              isOff={spec.drawings.length === 0}
              onClick={() => {
                desk.inUse.view?.deleteAllDrawings();
                close();
              }}
            >
              Delete all drawings
            </MenuItem>
          </>
        )}
      </Tab>
      <button
        type="button"
        class="tab"
        aria-pressed={isReplay}
        onClick={() => (isReplay ? desk.replay.end() : void desk.replay.open())}
      >
        <DeskIcon name="replay" />
        Replay
      </button>
      <Tab icon="more" label="More" name="More" kind="dialog">
        {(close) => <PhoneMore onClose={close} />}
      </Tab>
    </nav>
  );
}

function Tab(props: {
  readonly icon: DeskIconName;
  readonly label: string;
  readonly name: string;
  readonly kind?: 'menu' | 'dialog';
  readonly children: (close: () => void) => ComponentChildren;
}) {
  return (
    <Menu
      label={props.label}
      kind={props.kind ?? 'menu'}
      buttonClass="tab"
      button={
        <>
          <DeskIcon name={props.icon} />
          {props.name}
        </>
      }
    >
      {props.children}
    </Menu>
  );
}
