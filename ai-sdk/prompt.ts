import type { LanguageModelMiddleware } from 'ai';

/** The parameters of a call of a language model, in the major version of `ai` that is installed. */
export type CallParams = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params'];

type Message = CallParams['prompt'][number];
type UserMessage = Extract<Message, { role: 'user' }>;

/** The newest words of the user in a prompt. */
export interface UserTurn {
  text: string;
  /** True if the model has not said or called anything since. */
  isNew: boolean;
}

/** Returns the newest turn of the user, or undefined if there is none or it has no text. */
export function userTurnOf({ prompt }: CallParams): UserTurn | undefined {
  const index = lastUserIndex(prompt);
  const message = prompt[index];
  if (message?.role !== 'user') return undefined;
  const text = textOf(message);
  return text.trim() === '' ? undefined : { text, isNew: index === prompt.length - 1 };
}

/** Returns the texts of all turns of the user. */
export function userTextsOf({ prompt }: CallParams): string[] {
  return prompt.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
}

/**
 * Puts a text before the newest turn of the user. There it has no more weight than the words of the user, and the
 * system prompt before it stays the same for the caches of providers.
 */
export function withContext<Params extends CallParams>(params: Params, text: string): Params {
  const at = lastUserIndex(params.prompt);
  const prompt = params.prompt.map((message, index): Message => {
    if (index !== at || message.role !== 'user') return message;
    return { ...message, content: [{ type: 'text', text }, ...message.content] };
  });
  return { ...params, prompt };
}

function lastUserIndex(prompt: CallParams['prompt']): number {
  return prompt.findLastIndex(({ role }) => role === 'user');
}

function textOf({ content }: UserMessage): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
