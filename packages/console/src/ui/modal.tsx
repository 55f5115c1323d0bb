import type { ReactNode } from 'react';
import { Modal as AriaModal, Dialog, Heading, ModalOverlay } from 'react-aria-components';

export interface ModalProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** Called by Escape and by a press outside. Without it the dialog stays until it is answered. */
  readonly onClose?: () => void;
  readonly children: ReactNode;
}

export function Modal({ title, isOpen, onClose, children }: ModalProps) {
  return (
    <ModalOverlay
      className="backdrop"
      isOpen={isOpen}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(isStillOpen) => !isStillOpen && onClose?.()}
    >
      <AriaModal className="modal">
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
