/** What a chart has to say, at the right of its legend row, so that it never covers a bar. */

import { Button } from '../../components/button.tsx';
import { useDesk } from './desk-context.tsx';
import type { Seat } from './seat.ts';
import { useStore } from './use-store.ts';

export function ChartMessage(props: { readonly seat: Seat; readonly isInUse: boolean }) {
  const { seat, isInUse } = props;
  const desk = useDesk();
  useStore(seat.frames);
  const notice = useStore(desk.notice);
  const note = seat.isPlayed ? null : seat.feed.note;
  if (notice !== null && isInUse) {
    return (
      <Message
        text={notice.text}
        actions={[...notice.actions, { text: 'Close', run: () => desk.say(null) }]}
      />
    );
  }
  if (note === null) return <div role="status" hidden />;
  const actions = note.actions.map(({ id, text }) => ({
    text,
    run: () => desk.act(seat.key, id),
  }));
  return <Message text={note.text} actions={actions} isWaiting={note.kind === 'lost'} />;
}

function Message(props: {
  readonly text: string;
  readonly isWaiting?: boolean;
  readonly actions: readonly { readonly text: string; readonly run: () => void }[];
}) {
  return (
    <div class={props.actions.length === 0 ? 'message plain' : 'message'} role="status">
      {props.isWaiting && <span class="spinner" />}
      <p title={props.text}>{props.text}</p>
      {props.actions.map(({ text, run }) => (
        <Button key={text} size="sm" onClick={run}>
          {text}
        </Button>
      ))}
    </div>
  );
}
