/** The keys as a table, which becomes cards where space is short. */

import './key-name.css';
import type { KeyView } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { bothTimesText, millisecondsOf } from '../../components/time-text.ts';
import { isValid, keyHint, restrictionWords, stateWords } from './key-text.ts';

/** Names up to this length fit on one line. */
const NAMES_ON_A_LINE = 20;

export interface KeyTableProps {
  readonly keys: readonly KeyView[];
  readonly onRotate: (key: KeyView) => void;
  readonly onRevoke: (key: KeyView) => void;
}

export function KeyTable({ keys, onRotate, onRevoke }: KeyTableProps) {
  const columns: readonly Column<KeyView>[] = [
    { label: 'Name', class: 'key-name', cell: nameCell },
    { label: 'Environment', cell: (key) => (key.environment === 'live' ? 'Live' : 'Test') },
    { label: 'Scopes', cell: scopesCell },
    { label: 'Restricted to', cell: restrictionCell },
    { label: 'State', cell: stateCell },
    {
      label: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? 'Never' : <Time at={lastUsedAt} form="relative" />,
    },
    {
      label: 'Actions',
      isLabelHidden: true,
      cell: (key) => <RowActs target={key} onRotate={onRotate} onRevoke={onRevoke} />,
    },
  ];
  return (
    <Table
      caption="Keys of the account, newest first"
      columns={columns}
      rows={keys}
      rowKey={({ id }) => id}
      rowClass={(key) => (isValid(key) ? undefined : 'dim')}
    />
  );
}

function nameCell(key: KeyView) {
  return (
    <>
      <b>
        <bdi>{key.name}</bdi>
      </b>
      <code>
        {keyHint(key)}
        {key.rotatedTo !== undefined && ', replaced'}
      </code>
    </>
  );
}

function scopesCell({ scopes }: KeyView) {
  return (
    <span class="scopes">
      {scopes.map((scope) => (
        <span class="badge mono" key={scope}>
          {scope}
        </span>
      ))}
    </span>
  );
}

function restrictionCell(key: KeyView) {
  const words = restrictionWords(key);
  if (words === null) return <span class="faint">Nothing</span>;
  const look = words.length <= NAMES_ON_A_LINE ? 'restriction short' : 'restriction';
  if (key.allowedIps === undefined && words === key.instruments?.join(', ')) {
    return <span class={look}>{words}</span>;
  }
  return (
    <details class="restriction">
      <summary>{words}</summary>
      <ul class="mono">
        {[...(key.instruments ?? []), ...(key.allowedIps ?? [])].map((entry) => (
          <li key={entry}>{entry}</li>
        ))}
      </ul>
    </details>
  );
}

function stateCell(key: KeyView) {
  const { text, level, at } = stateWords(key, Date.now());
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <span
      class={`badge ${level}`}
      title={at === null ? undefined : bothTimesText(millisecondsOf(at), zone)}
    >
      {level !== '' && <span class="dot" />}
      {text}
    </span>
  );
}

function RowActs(props: Omit<KeyTableProps, 'keys'> & { readonly target: KeyView }) {
  const { target } = props;
  if (!isValid(target)) return null;
  const which = `${target.name}, ending ${target.hint}`;
  return (
    <span class="row-acts">
      {target.rotatedTo === undefined && (
        <Button
          kind="ghost"
          size="sm"
          label={`Rotate ${which}`}
          onClick={() => props.onRotate(target)}
        >
          Rotate
        </Button>
      )}
      <Button
        kind="ghost"
        size="sm"
        label={`Revoke ${which}`}
        onClick={() => props.onRevoke(target)}
      >
        Revoke
      </Button>
    </span>
  );
}
