/** Account. */

import { PageHead } from '../../shell/page-head.tsx';

export function AccountPage() {
  return <PageHead title="Account" />;
}
