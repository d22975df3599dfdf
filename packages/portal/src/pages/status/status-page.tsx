/** The service's state: one sentence, the last ninety days, then the engine and every instrument. It updates itself. */

import './status.css';
import { portalApi } from '../../api/portal-api.ts';
import type { StatusHistoryView, StatusView } from '../../api/portal-shapes.ts';
import { useLoaded, useReloadEvery } from '../../api/use-loaded.ts';
import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadError } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { StatusPast } from './status-past.tsx';
import {
  datasetGroups,
  engineWords,
  instrumentWords,
  type StateWords,
  statusSentence,
} from './status-words.ts';

const LOOK_AGAIN_MS = 15_000;

interface Shown {
  readonly view: StatusView;
  /** Null: the history is unavailable. */
  readonly past: StatusHistoryView | null;
  readonly atMs: number;
}

export function StatusPage() {
  const status = useLoaded(async (signal): Promise<Shown> => {
    const [view, past] = await Promise.all([
      portalApi.status({ signal }),
      // Without the history, the present state is still shown.
      portalApi.statusHistory({ signal }).catch(() => null),
    ]);
    return { view, past, atMs: Date.now() };
  });
  const { reload } = status;
  useReloadEvery(LOOK_AGAIN_MS, reload);
  return (
    <>
      <PageHead title="Status" />
      {status.error !== null && (
        <LoadError title="The service does not respond" error={status.error} onRetry={reload} />
      )}
      {status.error === null && status.value !== null && <StatusOf {...status.value} />}
      {status.error === null && status.value === null && <Skeleton label="Checking the service." />}
    </>
  );
}

function StatusOf({ view, past, atMs }: Shown) {
  const sentence = statusSentence(view);
  return (
    <div class="stack">
      <div class={`card status-now ${sentence.level}`}>
        <Icon name={sentence.level === 'ok' ? 'check' : 'warn'} />
        <p role="status">{sentence.text}</p>
      </div>
      <StatusPast past={past} />
      <Card
        title="Service"
        titleId="status-engine"
        aside={<span class="small faint">Version {view.version}</span>}
      >
        <StateTable
          caption="Parts of the service"
          first="Part"
          rows={[{ name: 'Engine', also: null, words: engineWords(view.engine.state) }]}
        />
      </Card>
      {view.instruments.length === 0 ? (
        <Card title="Instruments" body="card-body muted">
          <p>This service streams no instruments.</p>
        </Card>
      ) : (
        datasetGroups(view).map(({ title, state, instruments }) => (
          <Card
            key={title}
            title={title}
            titleId={`status-${title}`}
            aside={state !== null && <StateBadge words={instrumentWords(state)} />}
          >
            <StateTable
              caption={title}
              first="Instrument"
              rows={instruments.map(({ symbol, alias, state: own }) => ({
                name: alias ?? symbol,
                also: alias === null ? null : symbol,
                words: instrumentWords(own),
              }))}
            />
          </Card>
        ))
      )}
      <p class="small faint">
        Checked <Time at={`${atMs}000000`} form="both" />. This page looks again every 15 seconds.
      </p>
    </div>
  );
}

interface StateRow {
  readonly name: string;
  /** The contract that an alias designates. */
  readonly also: string | null;
  readonly words: StateWords;
}

function StateBadge({ words }: { readonly words: StateWords }) {
  return (
    <span class={`badge ${words.level}`}>
      <span class="dot" />
      {words.state}
    </span>
  );
}

const STATE_COLUMNS: readonly Column<StateRow>[] = [
  {
    label: 'State',
    class: 'status-state',
    cell: ({ words }) => <StateBadge words={words} />,
  },
  { label: 'What it means', class: 'muted', isSentence: true, cell: ({ words }) => words.meaning },
];

function StateTable(props: {
  readonly caption: string;
  readonly first: string;
  readonly rows: readonly StateRow[];
}) {
  const first: Column<StateRow> = {
    label: props.first,
    class: 'status-name',
    cell: ({ name, also }) => (
      <>
        {name} {also !== null && <code class="faint tiny">{also}</code>}
      </>
    ),
  };
  return (
    <Table
      caption={props.caption}
      columns={[first, ...STATE_COLUMNS]}
      rows={props.rows}
      rowKey={({ name, also }) => `${name} ${also}`}
      isSlim
    />
  );
}
