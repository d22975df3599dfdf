/** A table that becomes a card per row in a narrow container, with column names. The first column names the row. */

import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** For numbers and comparable values. */
  readonly isRight?: boolean;
  /** For columns of buttons: only screen readers get the label. */
  readonly isLabelHidden?: boolean;
  /** As a card, a sentence needs no column name beside it. */
  readonly isSentence?: boolean;
  readonly class?: string;
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly rowClass?: (row: Row) => string | undefined;
  /** With few columns: becomes cards below 560 px instead of 940. */
  readonly isSlim?: boolean;
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, rowClass, isSlim = false } = props;
  return (
    <div class={isSlim ? 'table-box slim' : 'table-box'}>
      <table class="cards">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, isRight, isLabelHidden }) => (
              <th key={label} scope="col" class={isRight ? 'r' : undefined}>
                {isLabelHidden ? <span class="visually-hidden">{label}</span> : label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} class={rowClass?.(row)}>
              {columns.map((column, index) => (
                <Cell key={column.label} column={column} row={row} isFirst={index === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>(props: {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isFirst: boolean;
}) {
  const { column, row, isFirst } = props;
  const content = column.cell(row);
  const className = [column.isRight && 'r', column.class].filter(Boolean).join(' ') || undefined;
  if (isFirst) {
    return (
      <th scope="row" class={className}>
        {content}
      </th>
    );
  }
  return (
    <td
      class={className}
      data-l={column.isLabelHidden || column.isSentence ? undefined : column.label}
    >
      {content}
    </td>
  );
}
