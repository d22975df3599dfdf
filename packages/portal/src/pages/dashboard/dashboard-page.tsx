/** Overview. */

import './dashboard.css';
import { PageHead } from '../../shell/page-head.tsx';

export function DashboardPage() {
  return <PageHead title="Overview" />;
}
