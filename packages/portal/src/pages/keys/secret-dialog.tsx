/**
 * The only place that shows a secret. It is text in this dialog, never in an address, storage or attribute, and
 * disappears with the dialog. Esc does not close it; "Done" does, once the reader confirms that it is stored.
 */

import { useEffect, useState } from 'preact/hooks';
import type { CreatedKey, RotatedKey } from '../../api/portal-shapes.ts';
import { Button } from '../../components/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { Time } from '../../components/time.tsx';
import { useFirstUse } from './use-first-use.ts';

export function SecretDialog(props: {
  readonly made: CreatedKey | RotatedKey;
  readonly onDone: () => void;
}) {
  const { made } = props;
  const [isStored, setIsStored] = useState(false);
  const secret = made.key ?? '';
  useEffect(() => {
    if (isStored) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isStored]);
  return (
    <Dialog
      title={'previous' in made ? 'Copy your new key now' : 'Copy your key now'}
      text="We store only its fingerprint, so nobody can show it again, not even us."
      foot={
        <>
          <CheckField class="left" isChecked={isStored} onChange={setIsStored}>
            I have stored it
          </CheckField>
          <Button kind="primary" isOff={!isStored} onClick={props.onDone}>
            Done
          </Button>
        </>
      }
    >
      <div class="secret">
        <div class="secret-value" translate={false}>
          <span>{secret.slice(0, 9)}</span>
          {secret.slice(9)}
        </div>
        <div class="secret-acts">
          <Copy text={() => secret} label="Copy key" kind="primary" isAutoFocused />
          <Button icon="down" onClick={() => download(secret)}>
            Download .env
          </Button>
        </div>
      </div>
      {'previous' in made && <PreviousNote previous={made.previous} />}
      <div class="field">
        <div class="paste-head">
          <span class="label">Try it</span>
          <Copy size="sm" text={() => tryText(secret)} label="Copy lines" />
        </div>
        <pre class="paste" translate={false}>
          {tryText(secret)}
        </pre>
      </div>
      <FirstUse keyId={made.id} />
    </Dialog>
  );
}

/** Commands to paste. */
function tryText(secret: string): string {
  return [
    `export TAPELOOM_KEY=${secret}`,
    `curl -H "Authorization: Bearer $TAPELOOM_KEY" ${location.origin}/v1/usage`,
  ].join('\n');
}

function PreviousNote({ previous }: { readonly previous: RotatedKey['previous'] }) {
  return (
    <p class="small muted">
      {previous.expiresAt === undefined ? (
        'The old key has ended.'
      ) : (
        <>
          The old key works until <Time at={previous.expiresAt} form="both" />.
        </>
      )}
    </p>
  );
}

/** Updates itself when a program has used the key. */
function FirstUse({ keyId }: { readonly keyId: string }) {
  const isUsed = useFirstUse(keyId);
  return (
    <p class="small muted wait" role="status">
      <span class={isUsed ? 'dot ok' : 'dot live'} />
      {isUsed
        ? 'Its first request arrived. The key works.'
        : 'Waiting for its first request. This line changes when it comes.'}
    </p>
  );
}

/** The file is created in memory; its object URL is revoked at once. */
function download(secret: string): void {
  const url = URL.createObjectURL(new Blob([`TAPELOOM_KEY=${secret}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'tapeloom.env';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
