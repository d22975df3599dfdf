/** Deletes an account: requested by typing a word, confirmed by a mailed link, done in two weeks unless withdrawn. */

import { useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import type { AccountView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { showToast } from '../../components/toast.tsx';

const WORD = 'delete';

export function DeletionCard(props: {
  readonly account: AccountView;
  readonly onChange: () => void;
}) {
  const { deletion } = props.account;
  const [isOpen, setIsOpen] = useState(false);
  const [isSent, setIsSent] = useState(false);
  const keep = useAction(async () => {
    await portalApi.withdrawDeletion();
    showToast('The account stays. To keep a subscription that was due to end, open Billing.');
    props.onChange();
  });
  return (
    <section class="card" id="deletion" aria-labelledby="deletion-title">
      <div class="card-head">
        <h2 id="deletion-title">Delete this account</h2>
        {deletion === null && (
          <Button kind="danger-quiet" size="sm" onClick={() => setIsOpen(true)}>
            Delete account
          </Button>
        )}
      </div>
      <div class="card-body stack">
        {deletion === null ? (
          <p class="muted">
            Your keys, sessions and address are deleted 14 days after you confirm by mail. Until
            then you can stop the deletion. Once you confirm, a subscription no longer renews. We
            keep orders, consents and withdrawals only for as long as the law requires.
          </p>
        ) : (
          <Notice
            kind="danger"
            title={
              <>
                This account will be deleted on <Time at={deletion.dueAt} form="both" />.
              </>
            }
            action={
              <ActionButton size="sm" action={keep} busy="Keeping">
                Keep the account
              </ActionButton>
            }
          >
            Until then everything works as before, and nothing more is charged.
          </Notice>
        )}
        {isSent && deletion === null && (
          <Notice
            kind="info"
            isNews
            title={
              <>
                Check the mail of <bdi>{props.account.email}</bdi>.
              </>
            }
          >
            Open the link in this browser within 15 minutes. Until then nothing changes.
          </Notice>
        )}
        <ErrorNotice title="The deletion was not stopped." error={keep.error} />
      </div>
      {isOpen && (
        <DeletionDialog
          onClose={() => setIsOpen(false)}
          onAsked={() => {
            setIsOpen(false);
            setIsSent(true);
          }}
        />
      )}
    </section>
  );
}

function DeletionDialog(props: { readonly onClose: () => void; readonly onAsked: () => void }) {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim().toLowerCase() === WORD;
  const ask = useAction(async () => {
    await portalApi.askForDeletion();
    props.onAsked();
  });
  return (
    <Dialog
      title="Delete this account?"
      text="We send a link to your address; nothing happens before you open it. From then on, a subscription no longer renews. 14 days later it ends, all keys are revoked, open connections close, and your address is removed. Until then everything works, and you can stop the deletion here. To keep a subscription, open Billing."
      onClose={props.onClose}
      onSubmit={() => {
        if (isTyped) void ask.run();
      }}
      foot={
        <>
          <Button onClick={props.onClose}>Keep it</Button>
          <Button type="submit" kind="danger" isOff={!isTyped} busy={ask.isBusy && 'Sending'}>
            Send the link
          </Button>
        </>
      }
    >
      <TextField
        label={
          <>
            Type <code>{WORD}</code> to confirm
          </>
        }
        isMono
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={setTyped}
        hint="Do you need a copy? Download your data first."
      />
      <ErrorNotice title="The account was not changed." error={ask.error} />
    </Dialog>
  );
}
