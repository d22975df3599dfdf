/** Passkeys: their list, adding and removing them, whether links also require one, and recovery if all are lost. */

import { useState } from 'preact/hooks';
import { hasPasskeys, whyNoPasskeys } from '../../api/passkey-device.ts';
import { portalApi } from '../../api/portal-api.ts';
import type { AccountView, PasskeyList, PasskeyView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { CheckField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { showToast } from '../../components/toast.tsx';
import { WhenLoaded } from '../../components/when-loaded.tsx';
import { NewPasskeyDialog, SignInAgainDialog } from './new-passkey-dialog.tsx';

export function PasskeysCard(props: { readonly account: AccountView }) {
  const list = useLoaded((signal) => portalApi.passkeys({ signal }));
  const [isOpen, setIsOpen] = useState(false);
  const { value } = list;
  const close = () => setIsOpen(false);
  const isFull = value !== null && value.passkeys.length >= value.max;
  return (
    <Card
      title="Passkeys"
      titleId="passkeys-title"
      id="passkeys"
      aside={
        hasPasskeys() &&
        value !== null && (
          <Button size="sm" icon="plus" isOff={isFull} onClick={() => setIsOpen(true)}>
            Add a passkey
          </Button>
        )
      }
    >
      <WhenLoaded
        loaded={list}
        loading="Loading your passkeys."
        lines={2}
        failed="The passkeys did not load"
      >
        {(loaded) => <Passkeys list={loaded} email={props.account.email} onChange={list.reload} />}
      </WhenLoaded>
      {isOpen && value?.mayAdd === false && (
        <SignInAgainDialog email={props.account.email} onClose={close} />
      )}
      {isOpen && value?.mayAdd === true && (
        <NewPasskeyDialog
          name={props.account.sessions.find(({ isThis }) => isThis)?.browser ?? ''}
          onClose={close}
          onAdded={() => {
            close();
            showToast('The passkey is added.');
            list.reload();
          }}
        />
      )}
    </Card>
  );
}

function Passkeys(props: {
  readonly list: PasskeyList;
  readonly email: string;
  readonly onChange: () => void;
}) {
  const { passkeys, recovery } = props.list;
  const remove = useAction(async (passkey: PasskeyView) => {
    await portalApi.removePasskey(passkey.id);
    showToast(`The passkey “${passkey.name}” is removed.`);
    props.onChange();
  });
  const stop = useAction(async () => {
    await portalApi.stopRecovery();
    showToast('Your passkeys stay.');
    props.onChange();
  });
  if (passkeys.length === 0) {
    return (
      <div class="card-body stack">
        <p class="muted">
          Sign in with your fingerprint, face or a security key instead of a link. From then on, the
          passkey is also required to create a key, change the address or delete the account.
        </p>
        {!hasPasskeys() && <p class="small faint">{whyNoPasskeys()}</p>}
      </div>
    );
  }
  return (
    <>
      {recovery !== null && (
        <Notice
          kind="danger"
          title={
            <>
              All passkeys will be removed on <Time at={recovery.dueAt} form="both" />.
            </>
          }
          action={
            <ActionButton size="sm" action={stop} busy="Stopping">
              Keep the passkeys
            </ActionButton>
          }
        >
          Somebody with access to the mail of this account reported them as lost. If it was not you,
          keep them and secure your mailbox.
        </Notice>
      )}
      <ErrorNotice title="The recovery was not stopped." error={stop.error} />
      <ErrorNotice title="The passkey was not removed." error={remove.error} />
      <Table
        caption="Passkeys of this account"
        columns={columns(remove.isBusy, (passkey) => void remove.run(passkey))}
        rows={passkeys}
        rowKey={({ id }) => id}
        isSlim
      />
      <div class="card-body stack">
        <SecondFactor list={props.list} onChange={props.onChange} />
        {recovery === null && <LostPasskeys email={props.email} />}
      </div>
    </>
  );
}

function columns(
  isBusy: boolean,
  onRemove: (passkey: PasskeyView) => void,
): readonly Column<PasskeyView>[] {
  return [
    { label: 'Passkey', cell: ({ name }) => <bdi>{name}</bdi> },
    {
      label: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <span class="faint">Never</span>
        ) : (
          <Time at={lastUsedAt} form="relative" />
        ),
    },
    { label: 'Added', cell: ({ createdAt }) => <Time at={createdAt} form="both" /> },
    {
      label: 'Actions',
      isLabelHidden: true,
      isRight: true,
      cell: (passkey) => (
        <Button
          kind="ghost"
          size="sm"
          label={`Remove ${passkey.name}`}
          isOff={isBusy}
          onClick={() => onRemove(passkey)}
        >
          Remove
        </Button>
      ),
    },
  ];
}

function SecondFactor(props: { readonly list: PasskeyList; readonly onChange: () => void }) {
  const [isOn, setIsOn] = useState(props.list.secondFactor);
  const choose = useAction(async (wanted: boolean) => {
    setIsOn(wanted);
    try {
      await portalApi.chooseSecondFactor(wanted);
    } catch (error) {
      setIsOn(!wanted);
      throw error;
    }
    props.onChange();
    showToast(wanted ? 'Sign-in links need a passkey.' : 'A sign-in link is enough.');
  });
  return (
    <>
      <CheckField
        isChecked={isOn}
        onChange={(wanted) => void choose.run(wanted)}
        title="Ask for a passkey after a sign-in link."
        name="second-factor"
      >
        {' '}
        Then nobody can sign in with a link alone, even with access to your mail.
      </CheckField>
      <ErrorNotice title="Nothing was changed." error={choose.error} />
    </>
  );
}

function LostPasskeys(props: { readonly email: string }) {
  const [isSent, setIsSent] = useState(false);
  const send = useAction(async () => {
    await portalApi.askForRecoveryLink();
    setIsSent(true);
  });
  if (isSent) {
    return (
      <Notice
        kind="info"
        isNews
        title={
          <>
            Check the mail of <bdi>{props.email}</bdi>.
          </>
        }
      >
        Open the link within 15 minutes. 24 hours later all passkeys are removed.
      </Notice>
    );
  }
  return (
    <>
      <p class="small muted">
        Lost your passkeys? We send a link to your address. 24 hours after you opened it they are
        removed; until then that address can stop it.
      </p>
      <div class="row">
        <ActionButton kind="danger-quiet" size="sm" action={send} busy="Sending">
          My passkeys are lost
        </ActionButton>
      </div>
      <ErrorNotice title="The link was not sent." error={send.error} />
    </>
  );
}
