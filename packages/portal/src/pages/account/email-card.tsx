/** The owner's address. A new one takes effect once a link to the old one and a link to the new one were used. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { EmailForm } from '../../components/email-form.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';

export function EmailCard(props: { readonly email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The closed form had the focus.
    if (!isOpen && wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <Card
      title="E-mail"
      titleId="email-title"
      aside={
        !isOpen && (
          <Button size="sm" buttonRef={opener} onClick={() => setIsOpen(true)}>
            Change
          </Button>
        )
      }
      body="card-body stack"
    >
      <p>
        Sign-in links and receipts go to <bdi class="strong">{props.email}</bdi>.
      </p>
      {wanted !== null && (
        <Notice
          kind="info"
          isNews
          title={
            <>
              Check the mail of <bdi>{props.email}</bdi>.
            </>
          }
        >
          Approve the change to <bdi>{wanted}</bdi> there, in this browser and within 15 minutes.
          Then we send a link to the new address. Nothing changes until you open it.
        </Notice>
      )}
      {isOpen && (
        <EmailForm
          class="stack narrow"
          label="New address"
          hint="We first send a link to the present address, then one to the new address."
          emptyText="Enter the new e-mail address."
          onSend={async (email) => {
            await portalApi.changeEmail(email);
            setWanted(email);
            setIsOpen(false);
          }}
        >
          {({ isBusy, error }) => (
            <>
              {(error?.fault('/email') ?? null) === null && (
                <ErrorNotice title="The address was not changed." error={error} />
              )}
              <div class="row">
                <Button type="submit" kind="primary" busy={isBusy && 'Sending'}>
                  Send the link
                </Button>
                <Button kind="ghost" onClick={() => setIsOpen(false)}>
                  Cancel
                </Button>
              </div>
            </>
          )}
        </EmailForm>
      )}
    </Card>
  );
}
