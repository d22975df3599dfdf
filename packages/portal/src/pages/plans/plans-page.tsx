/** Plans. */

import { PageHead } from '../../shell/page-head.tsx';

export function PlansPage() {
  return <PageHead title="Plans" />;
}
