import type { ComponentChildren } from 'preact';
import { Field, Input } from './field.js';

/** Bounds of a password in openapi.yaml, in characters. */
export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 256;

interface EmailFieldProps {
  label?: string;
  value: string;
  onChange: (email: string) => void;
  /** The address of the account that signs in, which password managers fill in. Default: true. */
  isOwn?: boolean;
  autofocus?: boolean;
}

export function EmailField({ label = 'E-mail address', value, onChange, isOwn = true, autofocus }: EmailFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="email"
          {...(isOwn && { name: 'email', autocomplete: 'username' })}
          required
          autofocus={autofocus}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface PasswordFieldProps {
  label?: string;
  hint?: ComponentChildren;
  value: string;
  onChange: (password: string) => void;
  required?: boolean;
  /** True if the person chooses this password now. Then it has the bounds of a new one. */
  isNew?: boolean;
}

export function PasswordField({ label = 'Password', hint, value, onChange, required, isNew }: PasswordFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          type="password"
          name={isNew ? 'new-password' : 'password'}
          autocomplete={isNew ? 'new-password' : 'current-password'}
          required={required}
          {...(isNew && { minLength: MIN_PASSWORD_LENGTH })}
          maxLength={MAX_PASSWORD_LENGTH}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
