/** Starts the chart workspace in its own document. */

import { render } from 'preact';
import { ChartsPage } from './charts-page.tsx';
import './styles/charts.css';

render(<ChartsPage />, document.getElementById('charts')!);
