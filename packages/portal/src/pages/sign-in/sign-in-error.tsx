/** Errors of public sign-in requests: a 401 concerns the link or the passkey, so the service's message is shown. */

import type { PortalError } from '../../api/portal-error.ts';
import { Notice } from '../../components/notice.tsx';

export function SignInError(props: { readonly title: string; readonly error: PortalError | null }) {
  if (props.error === null) return null;
  return (
    <Notice kind="danger" title={props.title} isNews>
      {props.error.message}
    </Notice>
  );
}
