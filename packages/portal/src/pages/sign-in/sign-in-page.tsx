/** Sign in. */

import { PageHead } from '../../shell/page-head.tsx';

export function SignInPage() {
  return <PageHead title="Sign in" />;
}
