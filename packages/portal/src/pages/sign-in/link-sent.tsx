/** After a link was sent. It can be sent again after 30 seconds. A sign-in in another tab is detected. */

import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { onOtherTab } from '../../shell/signed-in-hint.ts';
import { SendError } from './address-form.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const AGAIN_SECONDS = 30;

export function LinkSent(props: {
  readonly email: string;
  /** Null: a claim works once and cannot be sent again. */
  readonly onAgain: (() => Promise<void>) | null;
  readonly onOther: () => void;
  readonly onSignedIn: () => void;
}) {
  const [sent, setSent] = useState({ count: 1, atMs: Date.now() });
  const left = useSecondsLeft(sent.atMs + AGAIN_SECONDS * 1_000);
  const again = useAction(async () => {
    await props.onAgain?.();
    setSent(({ count }) => ({ count: count + 1, atMs: Date.now() }));
  });
  const { onSignedIn } = props;
  useEffect(() => {
    return onOtherTab((who) => {
      if (who !== 'nobody') onSignedIn();
    });
  }, [onSignedIn]);
  return (
    <SignInFrame
      title="Check your mail"
      text={
        <>
          We wrote to <bdi class="strong">{props.email}</bdi>. The link works once, for 15 minutes.
        </>
      }
    >
      <p class="visually-hidden" role="status">
        {sent.count > 1 && `Sent again, ${sent.count} links in all.`}
      </p>
      <SendError error={again.error} />
      {props.onAgain !== null && (
        <div class="row center">
          <ActionButton action={again} busy="Sending" isOff={left > 0}>
            {left > 0 ? `Send again in ${left} s` : 'Send again'}
          </ActionButton>
          <Button kind="ghost" onClick={props.onOther}>
            Use another address
          </Button>
        </div>
      )}
      <p class="small faint">
        Nothing there after a minute? Check the spam folder.{' '}
        {props.onAgain === null
          ? 'If the address was wrong, ask your operator for another link.'
          : 'You need only the newest link.'}
      </p>
    </SignInFrame>
  );
}

function useSecondsLeft(untilMs: number): number {
  const secondsTo = () => Math.max(Math.ceil((untilMs - Date.now()) / 1_000), 0);
  const [left, setLeft] = useState(secondsTo);
  useEffect(() => {
    const look = () => {
      const now = secondsTo();
      setLeft(now);
      if (now === 0) clearInterval(timer);
    };
    const timer = setInterval(look, 1_000);
    look();
    return () => clearInterval(timer);
  }, [untilMs]);
  return left;
}
