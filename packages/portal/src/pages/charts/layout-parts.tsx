/** What the menu of layouts offers: the charts of the open one, the saved ones, and what can be done with them. */

import { useEffect, useState } from 'preact/hooks';
import { chartsApi } from '../../api/charts-api.ts';
import type { LayoutStates } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/button.tsx';
import { FieldNote } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { millisecondsOf, relativeText, secondText } from '../../components/time-text.ts';
import { roomOfNewChart } from './chart-room.ts';
import { useDesk } from './desk-context.tsx';
import { layoutDeskOf } from './layout-desk.ts';
import { MenuCheck, MenuItem } from './menu.tsx';
import { useStore } from './use-store.ts';
import { isFull } from './workspace.ts';

type Part = 'list' | 'rename' | 'states';

export function LayoutParts(props: { readonly onClose: () => void }) {
  const desk = useDesk();
  const loading = useAction(() => layoutDeskOf(desk).refresh());
  useEffect(() => {
    void loading.run();
  }, []);
  const [part, setPart] = useState<Part>('list');
  const { id, state } = useStore(desk.keeper.shown);
  const act = useAction(async (run: () => Promise<void>) => {
    await run();
  });
  const done = async (run: () => Promise<void>) => {
    if (await act.run(run)) props.onClose();
  };
  const fault = act.error ?? loading.error;
  return (
    <>
      <KeptNote />
      {fault !== null && <FieldNote id="layout-fault" error={fault.message} />}
      {part === 'rename' && (
        <RenameForm onName={(name) => void done(() => layoutDeskOf(desk).rename(name))} />
      )}
      {part === 'states' && id !== null && (
        <States
          id={id}
          onState={(number) => void done(() => layoutDeskOf(desk).restore(id, number))}
        />
      )}
      {part === 'list' && (
        <>
          <ChartItems onClose={props.onClose} />
          <hr />
          <SavedItems onDone={(run) => void done(run)} />
          <hr />
          <MenuItem icon="pen" onClick={() => setPart('rename')}>
            {id === null ? 'Save with a name' : 'Rename'}
          </MenuItem>
          <MenuItem icon="copy" onClick={() => void done(() => layoutDeskOf(desk).copy())}>
            Save a copy
          </MenuItem>
          {id !== null && (
            <>
              <MenuItem icon="clock" onClick={() => setPart('states')}>
                Earlier states
              </MenuItem>
              <MenuItem
                icon="trash"
                isOff={state.t === 'saving'}
                onClick={() =>
                  void done(() =>
                    layoutDeskOf(desk).remove({ id, name: desk.keeper.shown.value.name }),
                  )
                }
              >
                Delete
              </MenuItem>
            </>
          )}
        </>
      )}
    </>
  );
}

/** Why the layout is not saved, and what to do about it. */
function KeptNote() {
  const desk = useDesk();
  const { state, name } = useStore(desk.keeper.shown);
  if (state.t === 'failed' || state.t === 'refused') return <p role="status">{state.text}</p>;
  if (state.t !== 'conflict') return null;
  return (
    <>
      <p role="status">
        Another tab or device has saved “{name}” meanwhile. Nothing is lost: choose which one goes
        on.
      </p>
      <div class="acts">
        <Button size="sm" onClick={() => void desk.keeper.keepMine()}>
          Keep mine
        </Button>
        <Button size="sm" kind="ghost" onClick={() => void layoutDeskOf(desk).copy()}>
          Save mine as a copy
        </Button>
      </div>
    </>
  );
}

function ChartItems({ onClose }: { readonly onClose: () => void }) {
  const desk = useDesk();
  const workspace = useStore(desk.workspace);
  const { charts, inUse, sharesInstrument } = workspace;
  const room = roomOfNewChart(desk);
  const full = isFull(workspace);
  const then = (run: () => void) => () => {
    run();
    onClose();
  };
  return (
    <>
      <MenuItem
        icon="plus"
        isOff={full || !room.hasRoom}
        note={full ? 'four at most' : undefined}
        onClick={then(() => desk.addChart())}
      >
        Add a chart
      </MenuItem>
      {!full && <p>{room.text}</p>}
      {charts.length > 1 && (
        <>
          <MenuItem icon="close" onClick={then(() => desk.closeChart(inUse))}>
            Close this chart
          </MenuItem>
          <MenuCheck
            isChecked={sharesInstrument}
            onChange={(shares) => desk.shareInstrument(shares)}
          >
            Linked charts share the instrument
          </MenuCheck>
        </>
      )}
    </>
  );
}

function SavedItems({ onDone }: { readonly onDone: (run: () => Promise<void>) => void }) {
  const desk = useDesk();
  const list = useStore(layoutDeskOf(desk).list);
  const { id: open } = useStore(desk.keeper.shown);
  if (list === null) return <p class="late">Loading layouts</p>;
  return (
    <>
      {list.layouts.map(({ id, name, updatedAt }) => (
        <button
          key={id}
          type="button"
          class="menu-item"
          aria-current={id === open ? 'true' : undefined}
          onClick={() => onDone(id === open ? async () => {} : () => layoutDeskOf(desk).open(id))}
        >
          <span class="name">
            <bdi>{name}</bdi>
          </span>
          <small>{relativeText(millisecondsOf(updatedAt), Date.now())}</small>
        </button>
      ))}
      <MenuItem icon="plus" onClick={() => onDone(() => layoutDeskOf(desk).fresh())}>
        New layout
      </MenuItem>
      {list.deleted.slice(0, 3).map(({ id, name }) => (
        <MenuItem
          key={id}
          icon="replay"
          note="deleted"
          onClick={() => onDone(() => layoutDeskOf(desk).bringBack(id))}
        >
          Bring back “<bdi>{name}</bdi>”
        </MenuItem>
      ))}
    </>
  );
}

function RenameForm({ onName }: { readonly onName: (name: string) => void }) {
  const desk = useDesk();
  const [name, setName] = useState(desk.keeper.shown.value.name);
  const [isEmpty, setIsEmpty] = useState(false);
  return (
    <Form
      class="number-box"
      onSubmit={() => (name.trim() === '' ? setIsEmpty(true) : onName(name))}
    >
      <label for="layout-name">Name of the layout</label>
      <input
        autofocus
        id="layout-name"
        class="input"
        maxLength={60}
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button size="sm" type="submit">
        Save
      </Button>
      <FieldNote id="layout-name-note" error={isEmpty ? 'Type a name.' : null} />
    </Form>
  );
}

function States(props: { readonly id: string; readonly onState: (state: number) => void }) {
  const [states, setStates] = useState<LayoutStates['states'] | null>(null);
  const load = useAction(async () => setStates((await chartsApi.layoutStates(props.id)).states));
  if (states === null && !load.isBusy && load.error === null) void load.run();
  if (load.error !== null) return <p role="status">{load.error.message}</p>;
  if (states === null) return <p class="late">Loading earlier states</p>;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <h3>Earlier states</h3>
      {states.map(({ state, savedAt }, at) => (
        <MenuItem
          key={state}
          isOff={at === 0}
          note={at === 0 ? 'now' : undefined}
          onClick={() => props.onState(state)}
        >
          {secondText(millisecondsOf(savedAt), Date.now(), zone)}
        </MenuItem>
      ))}
      <p>An earlier state becomes the newest one, so you can go back again.</p>
    </>
  );
}
