/** The address that links are sent to. A new one counts once its own link was used. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { typedFault } from '../../components/typed-fault.ts';

export function EmailCard(props: { readonly email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The form took the focus with it.
    if (!isOpen && wasOpen.current) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <section class="card" aria-labelledby="email-title">
      <div class="card-head">
        <h2 id="email-title">E-mail</h2>
        {!isOpen && (
          <Button size="sm" buttonRef={opener} onClick={() => setIsOpen(true)}>
            Change
          </Button>
        )}
      </div>
      <div class="card-body stack">
        <p>
          Sign-in links and receipts go to <bdi class="strong">{props.email}</bdi>.
        </p>
        {sentTo !== null && (
          <Notice
            kind="info"
            isNews
            title={
              <>
                Look into the mail of <bdi>{sentTo}</bdi>.
              </>
            }
          >
            Open the link in this browser within 15 minutes. Until then nothing changes.
          </Notice>
        )}
        {isOpen && (
          <EmailForm
            onClose={() => setIsOpen(false)}
            onSent={(email) => {
              setSentTo(email);
              setIsOpen(false);
            }}
          />
        )}
      </div>
    </section>
  );
}

function EmailForm(props: {
  readonly onClose: () => void;
  readonly onSent: (email: string) => void;
}) {
  const [email, setEmail] = useState('');
  const [isEmpty, setIsEmpty] = useState(false);
  const [sent, setSent] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const change = useAction(async (typed: string) => {
    await portalApi.changeEmail(typed);
    props.onSent(typed);
  });
  const submit = async () => {
    const typed = email.trim();
    setIsEmpty(typed === '');
    setSent(typed);
    if (typed === '' || !(await change.run(typed))) field.current?.focus();
  };
  const fault = typedFault(sent, change.error?.fault('/email') ?? null);
  return (
    <form
      class="stack narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label="New address"
        type="email"
        name="email"
        autocomplete="email"
        inputMode="email"
        spellcheck={false}
        autofocus
        maxLength={320}
        value={email}
        onInput={setEmail}
        hint="We send a link there, and tell the old address."
        error={isEmpty ? 'Enter the new e-mail address.' : fault}
        inputRef={field}
      />
      {fault === null && <ErrorNotice title="The address is as it was." error={change.error} />}
      <div class="row">
        <Button type="submit" kind="primary" busy={change.isBusy && 'Sending'}>
          Send the link
        </Button>
        <Button kind="ghost" onClick={props.onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
