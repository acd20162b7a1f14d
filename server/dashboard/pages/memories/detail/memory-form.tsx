import type { SubjectKey } from '@memory-service/sdk';
import { Field, Textarea } from '../../../kit/controls/field.js';

/** Members of the metadata that the service adds for older clients. They cannot be written. */
const MIRRORED = ['externalKey', 'subjectKey'];

export interface MemoryInput {
  content: string;
  /** A JSON object as text. */
  metadata: string;
}

interface MemoryFieldsProps {
  input: MemoryInput;
  onInput: (input: MemoryInput) => void;
}

/** The fields that a new memory and a changed one share. */
export function MemoryFields({ input, onInput }: MemoryFieldsProps) {
  const isReadable = readMetadata(input.metadata) !== undefined;
  return (
    <>
      <Field label="Content">
        {(control) => (
          <Textarea
            {...control}
            required
            dir="auto"
            value={input.content}
            onInput={(event) => onInput({ ...input, content: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Metadata"
        hint={'A JSON object, such as {"kind": "note"}'}
        error={isReadable ? undefined : 'Write a JSON object, such as {"kind": "note"}.'}
      >
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            spellcheck={false}
            value={input.metadata}
            onInput={(event) => onInput({ ...input, metadata: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}

/** Returns the object that a text is, or undefined. An empty text is an empty object. */
export function readMetadata(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes metadata for the form. */
export function writeMetadata(metadata: Readonly<Record<string, unknown>>): string {
  const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !MIRRORED.includes(key)));
  return JSON.stringify(own, null, 2);
}

/** Reads a subject key of the type that the organization has chosen. */
export function readSubjectKey(text: string, type: 'integer' | 'string'): SubjectKey | undefined {
  if (text === '') return undefined;
  const isNumber = type === 'integer' && /^-?\d+$/.test(text);
  return isNumber ? Number(text) : text;
}
