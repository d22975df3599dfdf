/** Shows on the first page that a removal of all passkeys was requested, with a link to cancel it. */

import { ButtonLink } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';

export function RecoveryNotice(props: { readonly dueAt: string }) {
  return (
    <Notice
      kind="danger"
      title={
        <>
          All passkeys will be removed on <Time at={props.dueAt} form="both" />.
        </>
      }
      action={
        <ButtonLink size="sm" href="/account#passkeys">
          Passkeys
        </ButtonLink>
      }
    >
      Somebody with access to the mail of this account reported them as lost. If it was not you,
      stop the removal.
    </Notice>
  );
}
