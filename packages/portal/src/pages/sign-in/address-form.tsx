/** One field and one button: an e-mail address, to which a link is sent. */

import type { PortalError } from '../../api/portal-error.ts';
import { Button } from '../../components/button.tsx';
import { EmailForm } from '../../components/email-form.tsx';
import { Notice } from '../../components/notice.tsx';
import { waitText } from './wait-text.ts';

export function AddressForm(props: {
  readonly button: string;
  readonly hint: string;
  /** Sends the link; rejects with the service's error. */
  readonly onSend: (email: string) => Promise<void>;
}) {
  return (
    <EmailForm
      class="sign-in-form"
      label="E-mail"
      placeholder="you@desk.com"
      hint={props.hint}
      emptyText="Enter your e-mail address."
      onSend={props.onSend}
    >
      {({ isBusy, error }) => (
        <>
          <SendError error={error} />
          <Button type="submit" kind="primary" size="lg" isBlock busy={isBusy && 'Sending'}>
            {props.button}
          </Button>
        </>
      )}
    </EmailForm>
  );
}

/** Errors that do not belong to the field. */
export function SendError({ error }: { readonly error: PortalError | null }) {
  if (error === null || error.fault('/email') !== null) return null;
  if (error.code === 'RATE_LIMITED') {
    return (
      <Notice kind="warn" title="Too many links were requested." isNews>
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
