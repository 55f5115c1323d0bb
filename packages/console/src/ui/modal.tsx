import type { ReactNode } from 'react';
import { use, useState } from 'react';
import { Modal as AriaModal, Dialog, Heading, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import { OverlayPlace } from './overlay-place.ts';
import { ReportUnsavedInput } from './unsaved-input.ts';

export interface ModalProps {
  readonly title: string;
  readonly isOpen: boolean;
  /**
   * Called by Escape and by a press outside. Without it the dialog stays until it is answered. With something typed, a press
   * outside does nothing, and Escape asks first.
   */
  readonly onClose?: () => void;
  /** A function gets what closes the dialog as Escape does, for its button. */
  readonly children: ReactNode | ((close: () => void) => ReactNode);
}

export function Modal({ title, isOpen, onClose, children }: ModalProps) {
  const [isUnsaved, setIsUnsaved] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const place = use(OverlayPlace);
  const close = () => (isUnsaved ? setIsAsking(true) : onClose?.());
  const keep = () => setIsAsking(false);
  return (
    <ModalOverlay
      className="backdrop"
      {...(place && { UNSTABLE_portalContainer: place })}
      isOpen={isOpen}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      shouldCloseOnInteractOutside={() => !isUnsaved}
      onOpenChange={(isStillOpen) => !isStillOpen && close()}
    >
      <AriaModal className="modal">
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <ReportUnsavedInput value={setIsUnsaved}>
            {typeof children === 'function' ? children(close) : children}
          </ReportUnsavedInput>
          {isAsking && (
            <Modal title="Discard what you have entered?" isOpen onClose={keep}>
              <div className="row">
                <Button
                  kind="danger"
                  onPress={() => {
                    keep();
                    onClose?.();
                  }}
                >
                  Discard
                </Button>
                <Button autoFocus onPress={keep}>
                  Keep editing
                </Button>
              </div>
            </Modal>
          )}
        </Dialog>
      </AriaModal>
    </ModalOverlay>
  );
}
