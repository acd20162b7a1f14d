import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { usePlace, useWrite } from '../../data/organization.js';
import type { MenuItem } from '../../kit/controls/menu.js';
import { ConfirmDialog } from '../../kit/feedback/confirm-dialog.js';
import { useToast } from '../../kit/feedback/toast.js';
import { SecretDialog } from './secret-dialog.js';
import { useLeave } from './use-leave.js';

/** The calls that inbound and outbound webhooks have alike. */
interface WebhookCalls {
  update(id: string, change: { enabled: boolean }): Promise<{ enabled: boolean }>;
  rotateSecret(id: string): Promise<{ secret: string }>;
  delete(id: string): Promise<void>;
}

interface WebhookActions {
  /** First name of what is read again after a change. */
  subject: 'inbound-webhooks' | 'outbound-webhooks';
  calls: WebhookCalls;
  webhook: { id: string; enabled: boolean };
  /** Operations that change, rotate and delete. */
  operations: Record<'change' | 'rotate' | 'delete', Parameters<ReturnType<typeof usePlace>['can']>[0]>;
  /** The text that is typed before the webhook is deleted. */
  typed: string;
  /** Says what each step means for the other side. */
  texts: Record<'rotate' | 'secret' | 'delete', string>;
  /** The form that changes the webhook. */
  form: (close: () => void) => ComponentChildren;
}

/** Returns the menu of one webhook, the dialogs that it opens, and why the last change failed. */
export function useWebhookActions({ subject, calls, webhook, operations, typed, texts, form }: WebhookActions): {
  items: readonly (MenuItem | false)[];
  dialogs: ComponentChildren;
  error: Error | null;
} {
  const { can } = usePlace();
  const leave = useLeave(subject);
  const toast = useToast();
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpen(undefined);
  const toggle = useWrite((_, enabled: boolean) => calls.update(webhook.id, { enabled }), {
    subjects: [subject],
    onDone: ({ enabled }) => toast({ text: enabled ? 'Enabled' : 'Disabled' }),
  });
  const rotate = useWrite((_, id: string) => calls.rotateSecret(id), {
    subjects: [subject],
    onDone: (rotated) => setSecret(rotated.secret),
  });
  const remove = useWrite((_, id: string) => calls.delete(id), { subjects: [], onDone: leave });
  const mayChange = can(operations.change);
  return {
    error: toggle.error,
    items: [
      mayChange && { label: 'Edit', run: () => setOpen('edit') },
      mayChange && { label: webhook.enabled ? 'Disable' : 'Enable', run: () => toggle.mutate(!webhook.enabled) },
      can(operations.rotate) && { label: 'Rotate the secret', run: () => setOpen('rotate') },
      can(operations.delete) && { label: 'Delete', isDangerous: true, run: () => setOpen('delete') },
    ],
    dialogs: (
      <>
        {open === 'edit' && form(close)}
        {open === 'rotate' && (
          <ConfirmDialog
            title="Rotate the secret"
            confirmLabel="Rotate"
            onConfirm={() => rotate.mutateAsync(webhook.id)}
            onClose={close}
          >
            {texts.rotate}
          </ConfirmDialog>
        )}
        {open === 'delete' && (
          <ConfirmDialog
            title="Delete the webhook"
            confirmLabel="Delete"
            typed={typed}
            onConfirm={() => remove.mutateAsync(webhook.id)}
            onClose={close}
          >
            {texts.delete}
          </ConfirmDialog>
        )}
        {secret !== undefined && (
          <SecretDialog title="The new secret" secret={secret} onClose={() => setSecret(undefined)}>
            <p>{texts.secret}</p>
          </SecretDialog>
        )}
      </>
    ),
  };
}
