/** Status. */

import { PageHead } from '../../shell/page-head.tsx';

export function StatusPage() {
  return <PageHead title="Status" />;
}
