import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

export const PROMPTS: Prompt[] = [
  {
    name: 'remember',
    title: 'Remember this',
    description: 'Store something for later, unless it is already stored.',
    arguments: [{ name: 'what', description: 'What to remember', required: true }],
  },
  {
    name: 'recall',
    title: 'What do we know about …',
    description: 'Collect what is stored about a topic.',
    arguments: [{ name: 'topic', description: 'What to search for', required: true }],
  },
];

/** @throws {ProtocolError} if the prompt is unknown or its argument is missing */
export function getPrompt(name: string, given: Readonly<Record<string, string>>): GetPromptResult {
  if (name === 'remember') {
    return ask(`Remember this:

${needed(given, 'what')}

Split it into facts. Write each as one self-contained sentence, with names and full dates. Use memory_search to find
memories that say the same or contradict it. Store new facts with memory_ingest. If a fact has changed, correct its memory
with memory_update and its id, if your token permits it. Then say in one sentence what is stored now.`);
  }
  if (name === 'recall') {
    return ask(`What do we know about this?

${needed(given, 'topic')}

Search with memory_search, with two or three different queries. Use memory_get to read a content that was truncated. Answer
only from the memories you found, and cite their ids. If memories disagree, prefer the newest. If you found none, say so.`);
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt: prompts/list returns them');
}

function needed(given: Readonly<Record<string, string>>, name: string): string {
  const value = given[name]?.trim();
  if (!value) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The argument ${name} is required`);
  return value;
}

function ask(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}
