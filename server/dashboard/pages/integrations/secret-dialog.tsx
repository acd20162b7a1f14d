import type { ComponentChildren } from 'preact';
import { Button } from '../../kit/controls/button.js';
import { CopyField } from '../../kit/controls/copy.js';
import { Dialog } from '../../kit/feedback/dialog.js';

interface SecretDialogProps {
  title: string;
  secret: string;
  /** Says what to do with the secret, and shows other values to copy. */
  children?: ComponentChildren;
  onClose: () => void;
}

/** Shows a new secret, once. */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  const done = (
    <Button look="primary" onClick={onClose}>
      Done
    </Button>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={done} isFirm>
      {children}
      <CopyField label="Secret" value={secret} once />
    </Dialog>
  );
}
