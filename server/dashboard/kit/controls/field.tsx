import type {
  ComponentChildren,
  InputHTMLAttributes,
  SelectHTMLAttributes,
  TextareaHTMLAttributes,
  VNode,
} from 'preact';
import { useId } from 'preact/hooks';
import styles from './field.module.css';

/** Attributes that connect a control with its label, hint and error. */
interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** Says what to correct. */
  error?: string | undefined;
  /** Renders the control with the given properties. */
  children: (control: ControlProps) => VNode;
}

/** A control with its label above and its hint or error below. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = Boolean(error ?? hint);
  return (
    <div class={styles.field}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': hasNote ? noteId : undefined, 'aria-invalid': error !== undefined })}
      {hasNote && (
        <p id={noteId} class={error === undefined ? styles.hint : styles.error}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

export function Input(props: InputHTMLAttributes) {
  return <input autocomplete="off" {...props} class={styles.control} />;
}

export function Textarea(props: TextareaHTMLAttributes) {
  return <textarea rows={5} {...props} class={`${styles.control} ${styles.textarea}`} />;
}

interface SelectProps extends SelectHTMLAttributes {
  options: readonly { value: string; label: string }[];
}

export function Select({ options, value, ...rest }: SelectProps) {
  return (
    <select {...rest} value={value} class={`${styles.control} ${styles.select}`}>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

interface CheckboxProps extends InputHTMLAttributes {
  label: ComponentChildren;
  hint?: string;
}

export function Checkbox({ label, hint, ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div class={styles.checkbox}>
      <input {...rest} type="checkbox" id={id} aria-describedby={hint === undefined ? undefined : `${id}-note`} />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-note`} class={styles.hint}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
