/** What failed where nobody has to be signed in: a 401 is about the link or the passkey, in the service's own words. */

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
