/** The account's keys and their actions. A secret exists only in this page's memory, while it is shown. */

import './keys.css';
import type { Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { CreatedKey, KeyList, KeyView, RotatedKey } from '../../api/portal-shapes.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { Button } from '../../components/button.tsx';
import { LoadError } from '../../components/notice.tsx';
import { showToast } from '../../components/toast.tsx';
import { PageHead } from '../../shell/page-head.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** Links from other pages use this fragment. */
const NEW_KEY_HASH = '#new';

type Opened =
  | { readonly t: 'create' }
  | { readonly t: 'rotate' | 'revoke'; readonly key: KeyView }
  | { readonly t: 'secret'; readonly made: CreatedKey | RotatedKey };

export function KeysPage() {
  const list = useLoaded((signal) => portalApi.keys({ signal }));
  const [opened, setOpened] = useState<Opened | null>(() =>
    location.hash === NEW_KEY_HASH ? { t: 'create' } : null,
  );
  const newKey = useRef<HTMLButtonElement>(null);
  const wasOpened = useRef(false);
  useEffect(() => {
    // Neither a reload nor a bookmark may open the dialog again.
    if (location.hash === NEW_KEY_HASH) history.replaceState(history.state, '', location.pathname);
  }, []);
  useEffect(() => {
    // The dialog's opener may have disappeared with its row.
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (opened === null && isLost && wasOpened.current) newKey.current?.focus();
    wasOpened.current = opened !== null;
  }, [opened]);
  const close = () => setOpened(null);
  const made = (key: CreatedKey | RotatedKey) => {
    setOpened({ t: 'secret', made: key });
    list.reload();
  };
  const revoked = (key: KeyView) => {
    close();
    list.reload();
    showToast(`Revoked ${key.name}, ending ${key.hint}`);
  };
  return (
    <>
      <PageHead title="Keys">
        <NewKeyButton
          list={list.value}
          buttonRef={newKey}
          onClick={() => setOpened({ t: 'create' })}
        />
      </PageHead>
      <p class="page-sub">
        A key belongs on a server, never in a web page: pages use{' '}
        <a href="/docs/protocol#connecting">stream tokens</a> that live for 60 seconds.
      </p>
      <KeysCard list={list} onOpen={setOpened} />
      {opened?.t === 'create' && <NewKeyDialog onMade={made} onClose={close} />}
      {opened?.t === 'rotate' && <RotateDialog target={opened.key} onMade={made} onClose={close} />}
      {opened?.t === 'revoke' && (
        <RevokeDialog
          target={opened.key}
          onRevoked={revoked}
          onRotate={() => setOpened({ t: 'rotate', key: opened.key })}
          onClose={close}
        />
      )}
      {opened?.t === 'secret' && <SecretDialog made={opened.made} onDone={close} />}
    </>
  );
}

const FULL_NOTE = 'keys-full';

function NewKeyButton(props: {
  readonly list: KeyList | null;
  readonly buttonRef: Ref<HTMLButtonElement>;
  readonly onClick: () => void;
}) {
  const isFull = props.list !== null && props.list.limits.valid >= props.list.limits.validMax;
  return (
    <>
      {isFull && (
        <span class="small faint" id={FULL_NOTE}>
          {props.list!.limits.validMax} keys are the most. Revoke one to make another.
        </span>
      )}
      <Button
        kind="primary"
        icon="plus"
        isOff={isFull}
        buttonRef={props.buttonRef}
        onClick={props.onClick}
        {...(isFull ? { describedBy: FULL_NOTE } : {})}
      >
        New key
      </Button>
    </>
  );
}

function KeysCard(props: {
  readonly list: Loaded<KeyList>;
  readonly onOpen: (opened: Opened) => void;
}) {
  const { list, onOpen } = props;
  if (list.value === null) {
    if (list.error === null) return <KeysSkeleton />;
    return (
      <LoadError title="The keys did not load" error={list.error} onRetry={list.reload}>
        Keys in use continue to work.
      </LoadError>
    );
  }
  const { keys, limits } = list.value;
  if (keys.length === 0) {
    return (
      <section class="card empty">
        <h2>No keys yet</h2>
        <p>
          Your programs sign in with a key. Create one, copy it once, and paste it where they run.
        </p>
        <Button icon="plus" onClick={() => onOpen({ t: 'create' })}>
          Make the first key
        </Button>
      </section>
    );
  }
  return (
    <section class="card" aria-label="Keys">
      <KeyTable
        keys={keys}
        onRotate={(key) => onOpen({ t: 'rotate', key })}
        onRevoke={(key) => onOpen({ t: 'revoke', key })}
      />
      <div class="limits-line">
        <span class="num">
          {limits.valid} of {limits.validMax} valid keys
        </span>
        <span>Revoked and expired keys stay listed for 30 days.</span>
      </div>
    </section>
  );
}

/** In the shape of the content; the style delays its appearance. */
function KeysSkeleton() {
  return (
    <section class="card late loading" aria-busy="true" aria-label="Keys are loading">
      {[0, 1, 2].map((row) => (
        <div class="skeleton-row" key={row}>
          <div class="skeleton" />
          <div class="skeleton" />
          <div class="skeleton" />
        </div>
      ))}
    </section>
  );
}
