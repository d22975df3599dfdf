/** What a phone has no room for in a bar: bars and rows, layouts, sharing, the table, keys and theme. */

import { useState } from 'preact/hooks';
import { BarChooser, GroupChooser } from './chooser-menus.tsx';
import { useDesk } from './desk-context.tsx';
import { LayoutParts } from './layout-menu.tsx';
import { MenuItem } from './menu.tsx';
import { ShareItems } from './share-menu.tsx';
import { ThemeButton } from './top-bar.tsx';
import { useStore } from './use-store.ts';

export function PhoneMore({ onClose }: { readonly onClose: () => void }) {
  const desk = useDesk();
  const { charts, inUse } = useStore(desk.workspace);
  const at = charts.findIndex(({ key }) => key === inUse);
  const [part, setPart] = useState<'first' | 'layouts'>('first');
  if (part === 'layouts') return <LayoutParts onClose={onClose} />;
  const then = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <>
      <div class="row more-row">
        <BarChooser />
        <GroupChooser />
        <ThemeButton />
      </div>
      <hr />
      {charts.length > 1 && (
        <MenuItem
          icon="step-on"
          note={`${at + 1} of ${charts.length}`}
          onClick={then(() => desk.useNeighbour(1))}
        >
          Next chart
        </MenuItem>
      )}
      <MenuItem icon="grid" onClick={() => setPart('layouts')}>
        Layouts and charts
      </MenuItem>
      <ShareItems onClose={onClose} />
      <hr />
      <MenuItem icon="table" onClick={then(() => desk.openDrawer({ t: 'table' }))}>
        Show as table
      </MenuItem>
      <MenuItem icon="wire" onClick={then(() => desk.openDrawer({ t: 'wire' }))}>
        Messages of the stream
      </MenuItem>
      <MenuItem icon="keyboard" onClick={then(() => desk.setUi({ dialog: 'keys' }))}>
        Keys
      </MenuItem>
      <a class="menu-item" href="/dashboard">
        <span class="name">Overview</span>
      </a>
    </>
  );
}
