import type { Answer } from './answer.js';

const EVENT_DATA = /^data: ?(.*)$/gm;

/** The result of a call, or an error of the protocol. */
export interface RpcAnswer {
  readonly status: number;
  readonly result: Record<string, unknown> | undefined;
  readonly error: { code?: number; message?: string; data?: unknown } | undefined;
}

/** Reads the message of an answer: its body, or the last event of its stream. */
export function readMessage({ status, headers, text, body }: Answer): RpcAnswer {
  const message = headers.get('content-type')?.includes('text/event-stream') ? lastEvent(text) : body;
  const { result, error } = message as Pick<RpcAnswer, 'result' | 'error'>;
  return { status, result, error: typeof error === 'object' ? error : undefined };
}

/** Returns the structured content of a tool result, else its text parsed as JSON. */
export function toData({ structuredContent, content }: Record<string, unknown>): Record<string, unknown> {
  if (typeof structuredContent === 'object' && structuredContent !== null) {
    return structuredContent as Record<string, unknown>;
  }
  const [first] = (content ?? []) as { text?: string }[];
  try {
    return JSON.parse(first?.text ?? '{}') as Record<string, unknown>;
  } catch {
    return { error: first?.text };
  }
}

function lastEvent(text: string): unknown {
  const events = Array.from(text.matchAll(EVENT_DATA), ([, data = '']) => data);
  return JSON.parse(events.at(-1) ?? '{}');
}
