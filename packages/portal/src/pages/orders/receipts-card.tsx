/** All charges as the payment provider lists them, with its receipts. */

import { portalApi } from '../../api/portal-api.ts';
import type { OrderView, ReceiptView } from '../../api/portal-shapes.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../components/card.tsx';
import { Money } from '../../components/money.tsx';
import { LoadError } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { receiptWord } from './receipt-words.ts';

/** Receipts are requested for this many orders; an account rarely has more than two paid ones. */
const ORDERS_MAX = 8;

interface Charge extends ReceiptView {
  readonly order: OrderView;
}

export function ReceiptsCard(props: {
  readonly orders: readonly OrderView[];
  readonly nameOf: (order: OrderView) => string;
}) {
  const paid = props.orders.filter(({ paidAt }) => paidAt !== null).slice(0, ORDERS_MAX);
  const loaded = useLoaded(
    (signal) => chargesOf(paid, signal),
    paid.map(({ id, state, paidUntil }) => `${id} ${state} ${paidUntil}`).join(),
  );
  if (paid.length === 0 || loaded.value?.length === 0) return null;
  return (
    <Card title="Receipts">
      {loaded.value !== null ? (
        <Table
          caption="Receipts, newest first"
          columns={columns(props.nameOf)}
          rows={loaded.value}
          rowKey={({ id, order }) => `${order.id} ${id}`}
          rowClass={({ state }) => (state === 'failed' ? 'faint' : undefined)}
        />
      ) : (
        <div class="card-body">
          {loaded.error === null ? (
            <Skeleton label="Your receipts are loading" lines={2} />
          ) : (
            <LoadError
              title="Your receipts did not load"
              error={loaded.error}
              onRetry={loaded.reload}
            >
              The payment provider keeps them, so nothing is lost.
            </LoadError>
          )}
        </div>
      )}
    </Card>
  );
}

async function chargesOf(
  orders: readonly OrderView[],
  signal: AbortSignal,
): Promise<readonly Charge[]> {
  const lists = await Promise.all(
    orders.map(async (order) => {
      const { receipts } = await portalApi.receipts(order.id, { signal });
      return receipts.map((receipt) => ({ ...receipt, order }));
    }),
  );
  return lists.flat().sort((a, b) => (BigInt(a.at) < BigInt(b.at) ? 1 : -1));
}

function columns(nameOf: (order: OrderView) => string): readonly Column<Charge>[] {
  return [
    {
      label: 'Receipt',
      cell: ({ order, id }) => (
        <>
          {nameOf(order)}
          <code class="tiny faint order-id">{id}</code>
        </>
      ),
    },
    { label: 'Charged', cell: ({ at }) => <Time at={at} form="day" /> },
    {
      label: 'Amount',
      isRight: true,
      cell: ({ totalMinor, currency }) => <Money amountMinor={totalMinor} currency={currency} />,
    },
    {
      label: 'Tax included',
      isRight: true,
      cell: ({ taxMinor, currency }) =>
        taxMinor === null ? '–' : <Money amountMinor={taxMinor} currency={currency} />,
    },
    {
      label: 'State',
      cell: (charge) => {
        const { word, kind } = receiptWord(charge);
        return <span class={kind === 'plain' ? 'badge' : `badge ${kind}`}>{word}</span>;
      },
    },
    {
      label: 'Document',
      cell: ({ url, id }) =>
        url === null ? (
          '–'
        ) : (
          <a class="receipt-link" href={url} target="_blank" rel="noopener noreferrer">
            Open<span class="visually-hidden"> receipt {id} at the provider</span>
          </a>
        ),
    },
  ];
}
