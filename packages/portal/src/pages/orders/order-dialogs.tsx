/** Cancelling and withdrawing: two plain ways out, each says what happens and when. */

import { portalApi } from '../../api/portal-api.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { dayText, millisecondsOf } from '../../components/time-text.ts';
import { cancelText, withdrawalEnds } from './order-words.ts';

export function CancelDialog(props: {
  readonly order: OrderView;
  readonly name: string;
  readonly onDone: (order: OrderView) => void;
  readonly onClose: () => void;
}) {
  const { order, name } = props;
  const cancel = useAction(async () => props.onDone(await portalApi.cancelOrder(order.id)));
  return (
    <Dialog
      title={`Cancel ${name}?`}
      text={cancelText(order, name)}
      onClose={props.onClose}
      foot={
        <>
          <Button onClick={props.onClose}>Keep {name}</Button>
          <Button
            kind="danger"
            busy={cancel.isBusy && 'Cancelling'}
            onClick={() => void cancel.run()}
          >
            Cancel {name}
          </Button>
        </>
      }
    >
      <p>
        {order.state === 'past_due' ? 'With it' : 'On that day'} connections beyond your plan close,
        and streams go on 10 minutes late. Keys, usage and what you bought for life stay.{' '}
        {order.state === 'past_due'
          ? 'You can buy it again at once.'
          : 'You can take this back until then.'}
      </p>
      <ErrorNotice title="It is not cancelled." error={cancel.error} />
    </Dialog>
  );
}

export function WithdrawDialog(props: {
  readonly order: OrderView;
  readonly name: string;
  readonly now: number;
  readonly onClose: () => void;
}) {
  const { order, name, now } = props;
  const ends = withdrawalEnds(order);
  const ordered = dayText(millisecondsOf(order.createdAt));
  return (
    <Dialog
      title={`Withdraw from ${name}`}
      text={`Ordered on ${ordered}. You agreed that it begins at once, by the text of version ${order.waiverVersion}.`}
      onClose={props.onClose}
      foot={
        <>
          <Button onClick={props.onClose}>Close</Button>
          <ButtonLink kind="primary" href="/imprint">
            To whom to write
          </ButtonLink>
        </>
      }
    >
      {withdrawalText(order, name, now < ends, dayText(ends))}
      <p class="small muted">
        Name the order in your letter: <code>{order.id}</code>
      </p>
    </Dialog>
  );
}

function withdrawalText(order: OrderView, name: string, isInTime: boolean, ends: string) {
  if (order.interval === null) {
    return (
      <p>
        {name} is digital content. With the access you asked for at once, the right of withdrawal
        ended. If it does not do what we promise, write to us all the same.
      </p>
    );
  }
  if (!isInTime) {
    return (
      <p>
        The 14 days ended on {ends}. You can cancel {name} to the end of its month.
      </p>
    );
  }
  return (
    <p>
      You can withdraw until {ends} by a clear statement to us, a sentence by e-mail is enough. You
      pay the part of the month that {name} was on; the rest comes back.
    </p>
  );
}
