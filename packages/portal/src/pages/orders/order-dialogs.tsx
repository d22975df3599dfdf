/** Explains what cancelling does and when, before it happens. */

import { portalApi } from '../../api/portal-api.ts';
import type { OrderView } from '../../api/portal-shapes.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { cancelText } from './order-words.ts';

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
          <ActionButton kind="danger" action={cancel} busy="Cancelling">
            Cancel {name}
          </ActionButton>
        </>
      }
    >
      <p>
        {order.state === 'past_due' ? 'With it' : 'On that day'} connections above your plan's limit
        close, and streams continue 10 minutes late. Keys, usage and everything you bought for life
        stay.{' '}
        {order.state === 'past_due'
          ? 'You can buy it again at once.'
          : 'You can undo this until then.'}
      </p>
      <ErrorNotice title="It is not cancelled." error={cancel.error} />
    </Dialog>
  );
}
