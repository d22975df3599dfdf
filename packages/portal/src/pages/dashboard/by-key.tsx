/** Usage per key in the month, highest first. */

import '../keys/key-name.css';
import type { UsageView, Used } from '../../api/portal-shapes.ts';
import { ButtonLink } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { bytesText, exactNumber } from '../../components/number-text.ts';
import { type Column, Table } from '../../components/table.tsx';
import { keyHint } from '../keys/key-text.ts';
import { monthName } from './usage-pace.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly isOver: boolean;
  readonly used: Used;
  /** The share of the month's compute units. */
  readonly share: number;
}

export function ByKey({ usage }: { readonly usage: UsageView }) {
  const rows = rowsOf(usage);
  return (
    <Card
      id="by-key"
      title={`By key, ${monthName(usage.reportPeriod)}`}
      aside={
        <ButtonLink kind="ghost" size="sm" href="/keys">
          Manage keys
        </ButtonLink>
      }
    >
      {rows.length === 0 ? (
        <div class="empty">
          <p>No usage yet. The requests and compute units of each key will appear here.</p>
        </div>
      ) : (
        <Table
          caption="Usage by key, largest first"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          rowClass={({ isOver }) => (isOver ? 'dim' : undefined)}
        />
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Key',
    class: 'key-name',
    cell: ({ name, hint }) => (
      <>
        <b>
          <bdi>{name}</bdi>
        </b>
        <code>{hint}</code>
      </>
    ),
  },
  { label: 'Compute units', isRight: true, cell: ({ used }) => exactNumber(used.computeUnits) },
  { label: 'Share', isRight: true, cell: ({ share }) => <Share share={share} /> },
  { label: 'History results', isRight: true, cell: ({ used }) => exactNumber(used.historyItems) },
  {
    label: 'Exported',
    isRight: true,
    cell: ({ used }) => (
      <span title={`${exactNumber(used.exportBytes)} bytes`}>{bytesText(used.exportBytes)}</span>
    ),
  },
  { label: 'Requests', isRight: true, cell: ({ used }) => exactNumber(used.restRequests) },
];

function Share({ share }: { readonly share: number }) {
  return (
    <span class="share">
      <svg viewBox="0 0 88 6" aria-hidden="true">
        <rect class="off" width="88" height="6" rx="3" />
        <rect class="on" width={88 * share} height="6" rx="3" />
      </svg>
      <span class="share-text">{(share * 100).toFixed(1)}%</span>
    </span>
  );
}

function rowsOf({ byKey, byPortal }: UsageView): Row[] {
  const total = byKey.reduce((sum, { used }) => sum + used.computeUnits, byPortal.computeUnits);
  const share = ({ computeUnits }: Used) => (total === 0 ? 0 : computeUnits / total);
  const rows: Row[] = byKey.map((key) => ({
    id: key.keyId,
    name: key.name,
    hint: `${keyHint(key)}${key.state === 'revoked' || key.state === 'expired' ? `, ${key.state}` : ''}`,
    isOver: key.state === 'revoked' || key.state === 'expired',
    used: key.used,
    share: share(key.used),
  }));
  if (byPortal.computeUnits === 0) return rows;
  const portal = { id: 'portal', name: 'This portal', hint: 'charts you opened here' };
  return [...rows, { ...portal, isOver: false, used: byPortal, share: share(byPortal) }];
}
