/** The drawer for an indicator that this page cannot draw: its newest objects as a table from its schema. */

import { Button } from '../../components/button.tsx';
import { withoutItem } from './chart-items.ts';
import { useDesk, useFrames, useSeat } from './desk-context.tsx';
import { DrawerFrame } from './drawer-frame.tsx';
import { itemOf } from './indicator-form.ts';
import { objectTable } from './object-table.ts';
import { zoneTexts } from './zone-texts.ts';

export function ObjectsDrawer({ item: key }: { readonly item: string }) {
  const desk = useDesk();
  const { seat, spec } = useSeat();
  useFrames(seat);
  const item = itemOf(spec, key);
  const definition = item === null ? null : desk.definition(item.indicator);
  const layer = seat.content.layers.get(key);
  const name = definition?.name ?? item?.indicator ?? key;
  const time = zoneTexts(spec.zone, seat.content.instrument?.timeZone ?? null);
  const table = definition === null ? null : objectTable(definition, layer?.objects.all ?? []);
  return (
    <DrawerFrame
      title={name}
      foot={
        <div class="acts">
          <Button
            kind="ghost"
            onClick={() => {
              desk.openDrawer(null);
              desk.changeSpec(seat.key, (now) => withoutItem(now, key));
            }}
          >
            Remove from chart
          </Button>
        </div>
      }
    >
      <p class="drawer-empty">
        This page does not know {name} yet. Here are its newest objects, with the columns of its
        schema.
      </p>
      {layer?.state.t === 'refused' && <p class="drawer-empty">{layer.state.text}</p>}
      {table !== null && table.rows.length > 0 && (
        <div class="wide-table">
          <table>
            <caption class="visually-hidden">Objects of {name}, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {table.columns.map((column) => (
                  <th key={column.name} scope="col" title={column.title}>
                    {column.name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map(({ id, ns, cells, isRemoved }) => (
                <tr key={id} class={isRemoved ? 'is-removed' : undefined}>
                  <th scope="row" title={id}>
                    {time.clock(ns, true)}
                  </th>
                  {cells.map((cell, at) => (
                    <td key={table.columns[at]!.name}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {table !== null && table.left > 0 && (
        <p class="drawer-empty">{table.left} older ones are not listed.</p>
      )}
    </DrawerFrame>
  );
}
