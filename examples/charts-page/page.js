/** A chart of live footprints. `/?instrument=ES.c.0` shows another market. */

import { createChart } from '@tapeloom/charts';
import './page.css';

const service = import.meta.env.SERVICE;
const chart = createChart(document.querySelector('#chart'), {
  instrument: new URLSearchParams(location.search).get('instrument') ?? 'BTC.c.0',
  url: service,
  token: async () => {
    const answer = await fetch('/stream-token', { method: 'POST' });
    if (!answer.ok) throw new Error(`The back end gave no token: ${answer.status}`);
    return (await answer.json()).token;
  },
  fetch: (url, init) =>
    fetch(String(url).replace(service, '/tapeloom'), { ...init, credentials: 'same-origin' }),
});

chart.on('status', ({ live }) => {
  document.title = `${live}: a chart of order flow`;
});
