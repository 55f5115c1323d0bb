import { useBlocker } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';

interface LeaveQuestionProps {
  readonly isUnsaved: boolean;
  /** The person has pressed Cancel. */
  readonly isCancelling: boolean;
  readonly onCancel: () => void;
  readonly onStay: () => void;
}

interface Place {
  readonly pathname: string;
}

const isOtherPage = ({ current, next }: { readonly current: Place; readonly next: Place }) =>
  current.pathname !== next.pathname;

/**
 * Asks before what was typed is lost: by a link, by the way back, by Cancel, and, in the words of the browser, by a reload. The end of
 * a session loses nothing, so it asks nothing.
 */
export function LeaveQuestion({ isUnsaved, isCancelling, onCancel, onStay }: LeaveQuestionProps) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isOtherPage,
    enableBeforeUnload: isUnsaved,
    disabled: !isUnsaved,
    withResolver: true,
  });
  const isLeaving = status === 'blocked';
  const stay = isLeaving ? reset : onStay;
  return (
    <Modal title="Leave without saving?" isOpen={isLeaving || isCancelling} onClose={stay}>
      <p>What you have typed is lost then.</p>
      <div className="row">
        <Button kind="primary" onPress={stay}>
          Stay
        </Button>
        <Button kind="danger" onPress={isLeaving ? proceed : onCancel}>
          Leave
        </Button>
      </div>
    </Modal>
  );
}
