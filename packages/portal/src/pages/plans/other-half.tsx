/** Offers the missing half to an account that chose both offers and has one, until it is bought or declined. */

import { PLAN_NAMES } from '@tapeloom/core/entitlement/plan';
import { portalApi } from '../../api/portal-api.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionButton, ButtonLink } from '../../components/button.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { showToast } from '../../components/toast.tsx';
import { useAccount } from '../../shell/account-context.tsx';
import { BOTH_PATH } from './both-offers.ts';

export function OtherHalf() {
  const account = useAccount();
  const decline = useAction(async () => {
    await portalApi.declineOtherHalf();
    showToast('Declined. You can add it under Plans at any time.');
    account?.reload();
  });
  const left = account?.value?.otherHalf ?? null;
  if (left === null) return null;
  const name = PLAN_NAMES[left];
  const bought = PLAN_NAMES[left === 'live' ? 'history' : 'live'];
  return (
    <>
      <Notice
        kind="info"
        title={`Order 1 of 2 is done: you have ${bought}.`}
        action={
          <span class="row">
            <ButtonLink kind="primary" size="sm" href={BOTH_PATH}>
              Order {name}
            </ButtonLink>
            <ActionButton kind="ghost" size="sm" action={decline} busy="Declining">
              No, thanks
            </ActionButton>
          </span>
        }
      >
        You chose both. {name} is still to be ordered.
      </Notice>
      <ErrorNotice title="Nothing was changed." error={decline.error} />
    </>
  );
}
