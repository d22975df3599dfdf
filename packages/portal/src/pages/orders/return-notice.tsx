/** What became of the payment that somebody has just come back from. It changes by itself. */

import type { OffersView } from '../../api/portal-shapes.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { offerName } from '../plans/plan-facts.ts';
import type { WatchedOrder } from './use-watched-order.ts';

export function ReturnNotice(props: {
  readonly watched: WatchedOrder;
  readonly offers: OffersView;
}) {
  const { watched, offers } = props;
  // One element for all of it, so that a change is said by screen readers.
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
      return watched.isGivenUp ? (
        <Notice
          kind="warn"
          title="The provider has not confirmed this payment yet."
          action={
            <Button size="sm" onClick={() => location.reload()}>
              Look again
            </Button>
          }
        >
          That can take a day with some banks. You get an e-mail when it is done.
        </Notice>
      ) : (
        <Notice
          kind="info"
          title="Payment received, waiting for the provider’s confirmation. This page changes by itself."
        />
      );
    case 'decided':
      return <Decided offer={watched.order.offer} state={watched.order.state} offers={offers} />;
    default:
      return watched satisfies never;
  }
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
      The confirmation is on its way to your mailbox. Streams that are open have it already.
    </Notice>
  );
}
