/** A page the operator wrote. */

import { PageHead } from '../../shell/page-head.tsx';

export function LegalPage() {
  return <PageHead title="Imprint" />;
}
