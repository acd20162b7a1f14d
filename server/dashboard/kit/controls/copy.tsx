import { useRef, useState } from 'preact/hooks';
import { Button } from './button.js';
import styles from './copy.module.css';

/** How long the button says that it copied. */
const CONFIRMED_MS = 2_000;

interface CopyButtonProps {
  text: string;
  /** Names the copied text, for people who do not see it beside the button. */
  what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const timer = useRef(0);
  const copy = async () => {
    const copied = await write(text);
    setState(copied ? 'copied' : 'failed');
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setState('idle'), CONFIRMED_MS);
  };
  const labels = { idle: 'Copy', copied: 'Copied', failed: 'Select the text to copy it' };
  return (
    <Button look="quiet" onClick={copy}>
      <span aria-live="polite">{labels[state]}</span>
      <span class="visually-hidden"> {what}</span>
    </Button>
  );
}

interface CopyFieldProps {
  label: string;
  value: string;
  /** True if the value is shown only this once. */
  once?: boolean;
}

/** A value to copy, such as a new secret. */
export function CopyField({ label, value, once = false }: CopyFieldProps) {
  return (
    <div class={styles.field}>
      <p class={styles.label}>{label}</p>
      <div class={styles.row}>
        <code class={styles.value}>{value}</code>
        <CopyButton text={value} what={label} />
      </div>
      {once && <p class={styles.note}>Copy it now. It is not shown again.</p>}
    </div>
  );
}

interface CodeBlockProps {
  /** Names the client of the code, such as "curl". */
  label: string;
  code: string;
}

/** Code to copy. */
export function CodeBlock({ label, code }: CodeBlockProps) {
  return (
    <figure class={styles.block} aria-label={label}>
      <figcaption class={styles.caption}>
        {label}
        <CopyButton text={code} what={label} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

/** Returns false if the browser has no clipboard for this page, for example because it came over plain HTTP. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
