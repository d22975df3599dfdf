/** The result of the payment that the buyer has just returned from. It updates itself. */

import type { OffersView, OrderView } from '../../api/portal-shapes.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { offerName } from '../plans/plan-facts.ts';
import { waitingWords } from './order-words.ts';
import type { WatchedOrder } from './use-watched-order.ts';

export function ReturnNotice(props: {
  readonly watched: WatchedOrder;
  readonly offers: OffersView;
}) {
  const { watched, offers } = props;
  // A single element, so that screen readers announce changes.
  return (
    <div class="return-notice" role="status">
      {noticeOf(watched, offers)}
    </div>
  );
}

function noticeOf(watched: WatchedOrder, offers: OffersView) {
  switch (watched.t) {
    case 'asking':
      return null;
    case 'unknown':
      return <Notice kind="warn" title="There is no such order in this account." />;
    case 'waiting':
      return <Waiting order={watched.order} isGivenUp={watched.isGivenUp} />;
    case 'decided':
      return <Decided offer={watched.order.offer} state={watched.order.state} offers={offers} />;
    default:
      return watched satisfies never;
  }
}

/** The payment's result is not known here: the provider has yet to confirm it, or it was not made. */
function Waiting(props: { readonly order: OrderView; readonly isGivenUp: boolean }) {
  const { order, isGivenUp } = props;
  const { title, text } = waitingWords(isGivenUp);
  const { payUrl } = order;
  return (
    <Notice
      kind={isGivenUp ? 'warn' : 'info'}
      title={title}
      action={
        isGivenUp && (
          <Button size="sm" onClick={() => location.reload()}>
            Check again
          </Button>
        )
      }
    >
      {text}{' '}
      {payUrl !== null && (
        <>
          Not paid yet? <a href={payUrl}>Open the payment page</a>.
        </>
      )}
    </Notice>
  );
}

function Decided(props: {
  readonly offer: 'live' | 'history';
  readonly state: string;
  readonly offers: OffersView;
}) {
  const name = offerName(props.offers, props.offer);
  if (props.state === 'failed') {
    return (
      <Notice
        kind="warn"
        title="This payment did not go through. Nothing was charged."
        action={
          <ButtonLink size="sm" href={`/checkout?offer=${props.offer}`}>
            Try again
          </ButtonLink>
        }
      />
    );
  }
  if (props.state !== 'paid') return null;
  return (
    <Notice
      kind="ok"
      title={`${name} is on.`}
      action={
        <ButtonLink size="sm" href="/dashboard">
          Overview
        </ButtonLink>
      }
    >
      The confirmation is on its way to your mailbox. It already applies to open streams.
    </Notice>
  );
}
