/** The dialogs of a chart on a page: its table, and the list of its keys. Loaded when they are first opened. */

import {
  type ChartTable,
  chartTable,
  type TableBar,
  type TableOptions,
} from '../view/chart-table.ts';
import { button, element } from '../view/dom.ts';

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['← →', 'Bar before, bar after'],
  ['↑ ↓', 'Row above, row below'],
  ['Alt ← →', 'Half a screen'],
  ['+ −', 'Zoom time'],
  ['Alt + −', 'Zoom price'],
  ['Home End', 'First bar, newest bar'],
  ['A', 'Fit prices'],
  ['1 2 3 4', 'Look of the cells'],
  ['G', 'Rows: automatic, then by hand'],
  ['R', 'Range profile'],
  ['Shift ← →', 'Range from the crosshair'],
  ['H T B X M', 'Line, trend, rectangle, text, measure'],
  ['Enter', 'Place of a tool, or the next drawing'],
  ['F2', 'Text of a drawing'],
  ['Delete', 'Delete a drawing'],
  ['Ctrl Z', 'Undo'],
  ['V', 'Table'],
  ['F', 'Full screen'],
  ['Esc', 'Back to the crosshair'],
];

export function openKeys(root: HTMLElement): void {
  const rows = KEYS.flatMap(([keys, does]) => [
    element('dt', '', {
      children: keys.split(' ').map((key) => element('kbd', '', { text: key })),
    }),
    element('dd', '', { text: does }),
  ]);
  open(root, 'Keys', [element('dl', 'tlc-keys', { children: rows })]);
}

export function openTable(root: HTMLElement, options: TableOptions): void {
  const table = chartTable(options);
  const body = element('tbody', '');
  for (const bar of table.bars) body.append(barRow(bar, table));
  const head = ['Time', 'Open', 'High', 'Low', 'Close', 'Volume', 'Delta', 'POC'];
  const made = element('table', 'tlc-table', {
    children: [
      element('caption', '', { text: table.caption }),
      element('thead', '', { children: [headRow(head)] }),
      body,
    ],
  });
  const copy = button('tl-button tl-main', 'Copy as CSV', () => {
    void navigator.clipboard?.writeText(table.csv());
  });
  const scroll = element('div', 'tlc-scroll', {
    attributes: { tabindex: '0', role: 'region', 'aria-label': 'Bars' },
    children: [made],
  });
  open(root, 'Bars', [scroll, copy]);
}

/** Focus returns to the chart when the dialog closes: the browser does that. */
function open(root: HTMLElement, title: string, children: readonly Node[]): void {
  const dialog = element('dialog', 'tlc-dialog', { attributes: { 'aria-label': title } });
  const close = button('tl-button', 'Close', () => dialog.close());
  dialog.append(
    element('div', 'tlc-dialog-head', { children: [element('b', '', { text: title }), close] }),
    ...children,
  );
  dialog.addEventListener('close', () => dialog.remove());
  root.append(dialog);
  dialog.showModal();
}

function headRow(names: readonly string[]): HTMLElement {
  const cells = names.map((name) =>
    element('th', '', { text: name, attributes: { scope: 'col' } }),
  );
  return element('tr', '', { children: cells });
}

/** A bar opens its rows below it. */
function barRow(bar: TableBar, table: ChartTable): HTMLElement {
  if (bar.gap !== null) {
    const words = element('td', '', { text: bar.gap, attributes: { colspan: '7' } });
    return element('tr', '', { children: [rowHead(bar.time), words] });
  }
  const row = element('tr', '');
  let rows: HTMLElement | null = null;
  const toggle = button('tlc-toggle', bar.time, () => {
    if (rows === null) {
      rows = rowsOf(table, bar.column);
      row.after(rows);
    } else {
      rows.remove();
      rows = null;
    }
    toggle.setAttribute('aria-expanded', String(rows !== null));
  });
  toggle.setAttribute('aria-expanded', 'false');
  const cells = [bar.open, bar.high, bar.low, bar.close, bar.volume, bar.delta, bar.poc];
  row.append(
    element('th', '', { attributes: { scope: 'row' }, children: [toggle] }),
    ...cells.map((text) => element('td', '', { text })),
  );
  return row;
}

function rowsOf(table: ChartTable, column: number): HTMLElement {
  const rows = table.rows(column).map(({ price, bid, ask, delta, marks }) =>
    element('tr', '', {
      children: [
        rowHead(price),
        ...[bid, ask, delta, marks].map((text) => element('td', '', { text })),
      ],
    }),
  );
  const inner = element('table', 'tlc-table', {
    children: [
      element('thead', '', { children: [headRow(['Price', 'Bid', 'Ask', 'Delta', 'Marks'])] }),
      element('tbody', '', { children: rows }),
    ],
  });
  const cell = element('td', 'tlc-rows', { attributes: { colspan: '8' }, children: [inner] });
  return element('tr', '', { children: [cell] });
}

function rowHead(text: string): HTMLElement {
  return element('th', '', { text, attributes: { scope: 'row' } });
}
