/** One field for an e-mail address, to which a link is sent. Its fault is shown at the field, which gets the focus. */

import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Action, useAction } from '../api/use-action.ts';
import { TextField } from './field.tsx';
import { Form } from './form.tsx';
import { typedFault } from './typed-fault.ts';

export function EmailForm(props: {
  readonly class: string;
  readonly label: string;
  readonly hint: string;
  readonly placeholder?: string;
  /** The fault of an empty field. */
  readonly emptyText: string;
  /** Sends the link; rejects with the service's error. */
  readonly onSend: (email: string) => Promise<void>;
  /** Buttons, and errors that do not belong to the field. */
  readonly children: (send: Action<[string]>) => ComponentChildren;
}) {
  const { class: className, emptyText, onSend, children, ...words } = props;
  const [email, setEmail] = useState('');
  const [isEmpty, setIsEmpty] = useState(false);
  const [sent, setSent] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const send = useAction(onSend);
  const typed = email.trim();
  const submit = async () => {
    setIsEmpty(typed === '');
    setSent(typed);
    if (typed === '' || !(await send.run(typed))) field.current?.focus();
  };
  // A fault of the sent text does not apply to changed text.
  const fault = typed === sent ? typedFault(sent, send.error?.fault('/email') ?? null) : null;
  return (
    <Form class={className} onSubmit={() => void submit()}>
      <TextField
        {...words}
        type="email"
        name="email"
        autocomplete="email"
        inputMode="email"
        spellcheck={false}
        autofocus
        maxLength={320}
        value={email}
        onInput={setEmail}
        error={isEmpty && typed === '' ? emptyText : fault}
        inputRef={field}
      />
      {children(send)}
    </Form>
  );
}
