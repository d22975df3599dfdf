/** Not found. */

import { PageHead } from '../../shell/page-head.tsx';

export function NotFoundPage() {
  return <PageHead title="Not found" />;
}
