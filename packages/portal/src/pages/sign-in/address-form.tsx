/** One field, one button: an e-mail address, to which a link is sent. */

import { useRef, useState } from 'preact/hooks';
import type { PortalError } from '../../api/portal-error.ts';
import { useAction } from '../../api/use-action.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { typedFault } from '../../components/typed-fault.ts';
import { waitText } from './wait-text.ts';

export function AddressForm(props: {
  readonly button: string;
  readonly hint: string;
  readonly initial?: string;
  /** Sends the link; rejects with what the service says. */
  readonly onSend: (email: string) => Promise<void>;
}) {
  const [email, setEmail] = useState(props.initial ?? '');
  const [isEmpty, setIsEmpty] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [sent, setSent] = useState('');
  const send = useAction(props.onSend);
  const fault = typedFault(sent, send.error?.fault('/email') ?? null);
  const submit = async () => {
    const typed = email.trim();
    setIsEmpty(typed === '');
    setSent(typed);
    if (typed === '' || !(await send.run(typed))) field.current?.focus();
  };
  return (
    <form
      class="sign-in-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autocomplete="email"
        inputMode="email"
        spellcheck={false}
        autofocus
        maxLength={320}
        placeholder="you@desk.com"
        value={email}
        onInput={setEmail}
        hint={props.hint}
        error={isEmpty ? 'Enter your e-mail address.' : fault}
        inputRef={field}
      />
      <SendError error={send.error} />
      <Button type="submit" kind="primary" size="lg" isBlock busy={send.isBusy && 'Sending'}>
        {props.button}
      </Button>
    </form>
  );
}

/** What is not about the field. */
export function SendError({ error }: { readonly error: PortalError | null }) {
  if (error === null || error.fault('/email') !== null) return null;
  if (error.code === 'RATE_LIMITED') {
    return (
      <Notice kind="warn" title="Too many links were asked for." isNews>
        {waitText(error.retryAfterSeconds)} The newest link in your mail may still work.
      </Notice>
    );
  }
  return (
    <Notice kind="danger" title="The link was not sent." isNews>
      {error.message}
    </Notice>
  );
}
