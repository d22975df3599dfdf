/** Everything that is kept about the account, as one file. */

import { EXPORT_PATH } from '../../api/portal-api.ts';
import { ButtonLink } from '../../components/button.tsx';

export function ExportCard() {
  return (
    <section class="card" aria-labelledby="export-title">
      <div class="card-head">
        <h2 id="export-title">Your data</h2>
        <ButtonLink size="sm" icon="down" href={EXPORT_PATH} download>
          Download
        </ButtonLink>
      </div>
      <div class="card-body">
        <p class="muted">
          Everything we keep about this account, as one JSON file: address, sessions, keys without
          their secrets, usage, orders, consents and what was done when.
        </p>
      </div>
    </section>
  );
}
