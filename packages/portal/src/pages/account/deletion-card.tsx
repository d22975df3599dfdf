/**
 * The end of an account: asked for by typing a word, confirmed by a link in a mail, done two weeks later, and taken back
 * by one click until then.
 */

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
    showToast('The account stays. A subscription that was to end can be kept under Billing.');
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
            Keys, sessions and your address go 14 days after you confirm it by mail; until then you
            can take it back. A subscription does not renew any more once you confirm it. Orders,
            consents and withdrawals are kept for as long as the law asks for, and for nothing else.
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
            Until then everything works as before, and nothing is charged any more.
          </Notice>
        )}
        {isSent && deletion === null && (
          <Notice
            kind="info"
            isNews
            title={
              <>
                Look into the mail of <bdi>{props.account.email}</bdi>.
              </>
            }
          >
            Open the link in this browser within 15 minutes. Until then nothing changes.
          </Notice>
        )}
        <ErrorNotice title="The deletion was not taken back." error={keep.error} />
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
      text="We send a link to your address; nothing happens before you open it. Then a running subscription does not renew any more. 14 days later it ends, all keys are revoked, open connections close, and your address is removed. Until then everything works, and you can take it back here; a subscription is then kept under Billing."
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
      <ErrorNotice title="The account is as it was." error={ask.error} />
    </Dialog>
  );
}
