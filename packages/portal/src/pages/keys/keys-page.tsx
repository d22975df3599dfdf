/** Keys. */

import './keys.css';
import { PageHead } from '../../shell/page-head.tsx';

export function KeysPage() {
  return <PageHead title="Keys" />;
}
