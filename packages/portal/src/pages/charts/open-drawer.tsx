/** The drawers, which are fetched when the first one opens. */

import type { DrawerState } from './desk-ui.ts';
import { IndicatorsDrawer } from './indicators-drawer.tsx';
import { ObjectsDrawer } from './objects-drawer.tsx';
import { TableDrawer } from './table-drawer.tsx';
import { WireDrawer } from './wire-drawer.tsx';

export function OpenDrawer({ drawer }: { readonly drawer: DrawerState }) {
  switch (drawer.t) {
    case 'indicators':
      return <IndicatorsDrawer drawer={drawer} />;
    case 'objects':
      return <ObjectsDrawer item={drawer.item} />;
    case 'table':
      return <TableDrawer />;
    case 'wire':
      return <WireDrawer />;
    default:
      return drawer satisfies never;
  }
}
