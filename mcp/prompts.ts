import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

export const PROMPTS: Prompt[] = [
  {
    name: 'remember',
    title: 'Remember this',
    description: 'Store something for later, unless it is known already.',
    arguments: [{ name: 'what', description: 'What to remember', required: true }],
  },
  {
    name: 'recall',
    title: 'What do we know about …',
    description: 'Gather what is stored about a topic.',
    arguments: [{ name: 'topic', description: 'What to look for', required: true }],
  },
];

/** @throws {ProtocolError} for a prompt that is not known, or without its argument */
export function getPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  if (name === 'remember') {
    return ask(`Remember this:

${needed(given, 'what')}

Split it into facts that can each be understood alone, with names and full dates. Look with memory_search for what says
the same or contradicts it. Store new facts with memory_ingest; correct one that has changed with memory_update and its
id, if you may. Then say in a sentence what is stored now.`);
  }
  if (name === 'recall') {
    return ask(`What do we know about this?

${needed(given, 'topic')}

Search with memory_search, in two or three wordings. Read a text that was cut with memory_get. Answer from what you found
alone, newest first where memories disagree, with the ids you used; if nothing was found, say so.`);
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt: prompts/list names them');
}

function needed(given: Readonly<Record<string, string>>, name: string): string {
  const value = given[name]?.trim();
  if (!value) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${name} is required`);
  return value;
}

function ask(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}
